// See cubin.h. Read off what ptxas and nvlink of CUDA 13.0 write, a 64-bit ELF file, little endian:
//
//   section .nv.info   attributes one behind the other: u8 format, u8 attribute, and
//                      format 4: u16 bytes of a value, the value; formats 1, 2, 3: a value of 2 bytes
//     attribute 0x2f   u32 number of a symbol, u32 registers of that function
//   section .text.NAME the code of NAME; older compilers have its registers in the high byte of
//                      sh_info, too, and in their oldest versions there alone
#include "common/simulator/fatbin/cubin.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "common/simulator/fatbin/fatbin.h"

namespace gridstride::sim::fatbin {
namespace {

constexpr std::uint16_t executable = 2, machine_cuda = 190;
constexpr std::uint32_t symbol_table = 2, cuda_info = 0x70000000;
constexpr std::size_t file_header = 64, section_header = 64, symbol_bytes = 24;
constexpr std::uint8_t format_sized = 4, attribute_registers = 0x2f;
constexpr std::uint32_t most_registers = 255;  // that an instruction can name

[[noreturn]] void fail(const std::string& message) {
  throw FatbinError("damaged machine code: " + message);
}

template <class T>
T number(std::string_view bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) fail("a number that is cut off");
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string_view part(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) fail("a part that is cut off");
  return bytes.substr(offset, size);
}

struct Section {
  std::uint32_t name = 0, type = 0, link = 0, info = 0;
  std::uint64_t offset = 0, size = 0;
};

class Cubin {
 public:
  explicit Cubin(std::string_view elf) : elf_(elf), names_left_(4 * elf.size()) {
    const auto at = number<std::uint64_t>(elf, 40);
    const auto count = number<std::uint16_t>(elf, 60);
    if (number<std::uint16_t>(elf, 58) != section_header) fail("sections of another kind");
    const std::string_view headers = part(elf, at, count * section_header);
    for (std::size_t offset = 0; offset < headers.size(); offset += section_header) {
      sections_.push_back({.name = number<std::uint32_t>(headers, offset),
                           .type = number<std::uint32_t>(headers, offset + 4),
                           .link = number<std::uint32_t>(headers, offset + 40),
                           .info = number<std::uint32_t>(headers, offset + 44),
                           .offset = number<std::uint64_t>(headers, offset + 24),
                           .size = number<std::uint64_t>(headers, offset + 32)});
    }
    section_names_ = contents(number<std::uint16_t>(elf, 62));
    for (const Section& section : sections_) {
      if (section.type != symbol_table) continue;
      symbols_ = part(elf, section.offset, section.size);
      symbol_names_ = contents(section.link);
      break;
    }
  }

  Registers registers() {
    Registers found;
    for (const Section& section : sections_) {
      if (section.type == cuda_info && name(section_names_, section.name) == ".nv.info")
        read_attributes(part(elf_, section.offset, section.size), found);
    }
    if (!found.empty()) return found;
    constexpr std::string_view prefix = ".text.";
    for (const Section& section : sections_) {
      const std::uint32_t count = section.info >> 24;
      const std::string_view of = name(section_names_, section.name);
      if (count != 0 && of.starts_with(prefix)) found.emplace(of.substr(prefix.size()), count);
    }
    return found;
  }

 private:
  std::string_view contents(std::size_t index) const {
    if (index >= sections_.size()) fail("a section that is not there");
    return part(elf_, sections_[index].offset, sections_[index].size);
  }

  /// Any number of names may lie in the same bytes; of a compiler's they do not, but for endings.
  std::string_view name(std::string_view table, std::size_t offset) {
    if (offset >= table.size()) fail("a name that is not there");
    std::string_view found = table.substr(offset);
    found = found.substr(0, found.find('\0'));
    if (found.size() >= names_left_) fail("more names than it has room for");
    names_left_ -= found.size() + 1;
    return found;
  }

  void read_attributes(std::string_view info, Registers& found) {
    for (std::size_t at = 0; at < info.size();) {
      const auto format = number<std::uint8_t>(info, at);
      const auto attribute = number<std::uint8_t>(info, at + 1);
      const auto size = number<std::uint16_t>(info, at + 2);
      at += 4;
      if (format == 0 || format > format_sized) fail("an attribute of unknown format");
      if (format != format_sized) continue;
      const std::string_view value = part(info, at, size);
      at += size;
      if (attribute != attribute_registers) continue;
      const std::uint64_t symbol = number<std::uint32_t>(value, 0);
      const auto count = number<std::uint32_t>(value, 4);
      if (count == 0 || count > most_registers) fail("an impossible number of registers");
      const auto of = name(symbol_names_, number<std::uint32_t>(symbols_, symbol * symbol_bytes));
      found.emplace(of, count);
    }
  }

  std::string_view elf_, section_names_, symbols_, symbol_names_;
  std::vector<Section> sections_;
  std::size_t names_left_;  ///< bytes of names that may still be read
};

}  // namespace

Registers registers_in(std::string_view elf) {
  if (elf.size() < file_header || !elf.starts_with("\177ELF\2\1")) fail("no ELF file of 64 bits");
  if (number<std::uint16_t>(elf, 18) != machine_cuda) fail("code of another machine");
  if (number<std::uint16_t>(elf, 16) != executable) return {};
  return Cubin(elf).registers();
}

}  // namespace gridstride::sim::fatbin

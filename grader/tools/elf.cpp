// Program headers lead to the dynamic section, and that to its string table: what the loader reads,
// and what is left in a stripped program. The file may be anything; libelf checks every offset.
#include "grader/tools/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/unique_fd.h"

namespace gridstride::cli {
namespace {

std::uint64_t file_offset(const std::vector<GElf_Phdr>& segments, std::uint64_t address) {
  for (const GElf_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  }
  return address;
}

/// Adds what the dynamic section in `dynamic` needs; nothing where it leads out of the file.
void add_needed(Elf* elf, const std::vector<GElf_Phdr>& segments, const GElf_Phdr& dynamic,
                std::vector<std::string>& names) {
  const auto bytes = [elf](std::uint64_t offset, std::uint64_t size, Elf_Type type) {
    return elf_getdata_rawchunk(elf, static_cast<std::int64_t>(offset), size, type);
  };
  Elf_Data* const entries = bytes(dynamic.p_offset, dynamic.p_filesz, ELF_T_DYN);
  std::vector<std::uint64_t> needed;
  std::uint64_t address = 0, size = 0;
  GElf_Dyn entry;
  for (int i = 0; gelf_getdyn(entries, i, &entry) != nullptr && entry.d_tag != DT_NULL; ++i) {
    if (entry.d_tag == DT_NEEDED) needed.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) address = entry.d_un.d_ptr;
    if (entry.d_tag == DT_STRSZ) size = entry.d_un.d_val;
  }
  const Elf_Data* const strings = bytes(file_offset(segments, address), size, ELF_T_BYTE);
  if (strings == nullptr) return;
  for (const std::uint64_t at : needed) {
    if (at >= strings->d_size) continue;
    const char* const name = static_cast<const char*>(strings->d_buf) + at;
    names.emplace_back(name, ::strnlen(name, strings->d_size - at));
  }
}

}  // namespace

std::optional<std::vector<std::string>> needed_libraries(const std::filesystem::path& program) {
  elf_version(EV_CURRENT);
  const UniqueFd file(::open(program.c_str(), O_RDONLY | O_CLOEXEC));
  const std::unique_ptr<Elf, decltype(&elf_end)> elf(elf_begin(file.get(), ELF_C_READ, nullptr),
                                                     elf_end);
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) return std::nullopt;
  const char* const identity = elf_getident(elf.get(), nullptr);
  std::size_t count = 0;
  if (identity == nullptr || identity[EI_CLASS] != ELFCLASS64 || identity[EI_DATA] != ELFDATA2LSB ||
      elf_getphdrnum(elf.get(), &count) != 0)
    return std::nullopt;
  std::vector<GElf_Phdr> segments(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (gelf_getphdr(elf.get(), static_cast<int>(i), &segments[i]) == nullptr) return std::nullopt;
  }
  std::vector<std::string> names;
  for (const GElf_Phdr& segment : segments) {
    if (segment.p_type == PT_DYNAMIC) add_needed(elf.get(), segments, segment, names);
  }
  return names;
}

}  // namespace gridstride::cli

// Program headers lead to the dynamic section, and that to its string table. Every offset is
// checked: the file may be anything.
#include "grader/cli/elf.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <string>
#include <vector>

namespace gridstride::cli {
namespace {

class Image {
 public:
  explicit Image(const std::filesystem::path& file) : stream_(file, std::ios::binary) {}

  template <class T>
  bool read(std::uint64_t offset, T& value) {
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(stream_.read(reinterpret_cast<char*>(&value), sizeof value));
  }
  std::string text(std::uint64_t offset) {
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    std::string name;
    for (char c; name.size() < 4096 && stream_.get(c) && c != '\0';) name += c;
    return name;
  }

 private:
  std::ifstream stream_;
};

}  // namespace

std::optional<std::vector<std::string>> needed_libraries(const std::filesystem::path& program) {
  Image image(program);
  Elf64_Ehdr header{};
  if (!image.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return std::nullopt;

  std::vector<Elf64_Phdr> segments(header.e_phnum);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!image.read(header.e_phoff + i * header.e_phentsize, segments[i])) return std::nullopt;
  }
  const auto file_offset = [&](std::uint64_t address) -> std::uint64_t {
    for (const Elf64_Phdr& segment : segments) {
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
          address - segment.p_vaddr < segment.p_filesz)
        return segment.p_offset + (address - segment.p_vaddr);
    }
    return address;
  };

  std::vector<std::string> names;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    std::vector<std::uint64_t> offsets;
    std::uint64_t strings = 0;
    Elf64_Dyn entry{};
    for (std::uint64_t at = 0; at + sizeof entry <= segment.p_filesz; at += sizeof entry) {
      if (!image.read(segment.p_offset + at, entry) || entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) offsets.push_back(entry.d_un.d_val);
      if (entry.d_tag == DT_STRTAB) strings = file_offset(entry.d_un.d_ptr);
    }
    for (const std::uint64_t offset : offsets) names.push_back(image.text(strings + offset));
  }
  return names;
}

}  // namespace gridstride::cli

// See the header.
#include "common/simulator/findings/source_lines.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace gridstride::sim {

SourceLines::SourceLines(const KernelCode& kernel, const PlaceNames& names)
    : of(kernel.code.size(), none) {
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> numbers;
  // A helper in the kernel's own file is charged where it stands, not where it is called.
  const auto number_of = [&](std::size_t instruction) -> std::uint32_t* {
    if (!kernel.origins[instruction].instruction) return nullptr;
    const ptx::Location& at = names.location(static_cast<std::uint32_t>(instruction));
    return at.line == 0 ? nullptr : &numbers[{names.file_name(at.file), at.own_line}];
  };
  for (std::size_t i = 0; i < of.size(); ++i) number_of(i);
  for (auto& [line, number] : numbers) {
    number = static_cast<std::uint32_t>(lines.size());
    lines.push_back(line);
  }
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (const std::uint32_t* number = number_of(i)) of[i] = *number;
  }
}

}  // namespace gridstride::sim

// See the header.
#include "common/simulator/findings/diagnostic_text.h"

#include <fmt/core.h>

#include <cstdint>
#include <string>

namespace gridstride::sim {

std::string ordinal(std::uint64_t number) {
  const std::uint64_t tens = number / 10 % 10, ones = number % 10;
  const char* ending = tens == 1   ? "th"
                       : ones == 1 ? "st"
                       : ones == 2 ? "nd"
                       : ones == 3 ? "rd"
                                   : "th";
  return std::to_string(number) + ending;
}

std::string bytes_text(std::uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string hexadecimal(std::uint64_t value) { return fmt::format("0x{:x}", value); }

std::string mask_text(std::uint32_t mask) { return fmt::format("0x{:08x}", mask); }

std::string in_line(std::uint32_t line) {
  return line != 0 ? " in line " + std::to_string(line) : std::string();
}

std::string capital(std::string sentence) {
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') {
    sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  }
  return sentence;
}

std::string inlining_of(const Finding& finding) {
  const SourcePosition &now = finding.where, &earlier = finding.other;
  const auto sentence = [](const SourcePosition& at) {
    return fmt::format("Line {} {}.", at.line, at.inlined);
  };
  const bool both = !earlier.inlined.empty() && earlier.line != 0 &&
                    (earlier.line != now.line || earlier.inlined != now.inlined);
  if (now.inlined.empty() && !both) return "";
  std::string text = both ? sentence(earlier) : "";
  if (!now.inlined.empty()) text += (both ? " " : "") + sentence(now);
  return " (" + text + ")";
}

std::string allocation_title(const Allocation& allocation) {
  if (!allocation.name.empty()) {
    return fmt::format("the {}-byte variable {}", allocation.size, allocation.name);
  }
  if (allocation.origin == Allocation::Origin::heap) {
    return fmt::format("the {}-byte block that malloc gave a kernel", allocation.size);
  }
  if (allocation.origin == Allocation::Origin::parameters) {
    return fmt::format("the {}-byte parameter buffer of a device launch", allocation.size);
  }
  if (allocation.origin == Allocation::Origin::array) {
    return fmt::format("the {}-byte storage of a CUDA array", allocation.size);
  }
  if (allocation.origin == Allocation::Origin::condition) return "the condition of a graph";
  const char* call = "cudaMalloc";
  if (allocation.origin == Allocation::Origin::managed) call = "cudaMallocManaged";
  if (allocation.origin == Allocation::Origin::pinned) call = "allocation of pinned host memory";
  const std::string site = allocation.made_in ? allocation.made_in() : std::string();
  return fmt::format("the {}-byte allocation (the {} {}{}{})", allocation.size,
                     ordinal(allocation.serial), call, site.empty() ? "" : ", ", site);
}

}  // namespace gridstride::sim

// See the header.
#include "common/simulator/findings/unchecked_memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/simulator/findings/diagnostic_text.h"

namespace gridstride::sim {

std::vector<UncheckedMemory> unchecked_memory(const RacePages& pages, const GlobalMemory& memory,
                                              const std::string& kernel) {
  if (pages.unchecked() == 0) return {};
  std::map<const Allocation*, std::uint64_t> bytes;
  pages.for_each_unchecked([&](std::uint64_t page) {
    // Allocations begin at multiples of this.
    constexpr std::uint64_t step = 512;
    for (std::uint64_t at = page; at < page + RacePages::page_bytes; at += step) {
      const Allocation* allocation = memory.find(at);
      if (!allocation) continue;
      bytes[allocation] += std::min(step, allocation->begin + allocation->size - at);
    }
  });
  std::vector<UncheckedMemory> result;
  for (const auto& [allocation, count] : bytes) {
    result.push_back(
        {count, allocation->order,
         fmt::format("In {} of {} no races between accesses of {} were looked for: the "
                     "checker may take {} MiB here, which were used up.",
                     bytes_text(count), allocation_title(*allocation), kernel,
                     pages.limit() >> 20)});
  }
  std::ranges::sort(result, {}, &UncheckedMemory::order);
  return result;
}

}  // namespace gridstride::sim

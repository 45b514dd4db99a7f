// What the race checker had no room to look at, for the user to know.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/check/race_pages.h"
#include "common/simulator/memory/global_memory.h"

namespace gridstride::sim {

/// What of one allocation was not checked.
struct UncheckedMemory {
  std::uint64_t bytes = 0;
  std::uint64_t order = 0;  ///< the allocation's, see Allocation
  std::string note;         ///< a sentence for the user
};

/// By allocation, in the order in which they were made. `kernel`: its name.
std::vector<UncheckedMemory> unchecked_memory(const RacePages& pages, const GlobalMemory& memory,
                                              const std::string& kernel);

}  // namespace gridstride::sim

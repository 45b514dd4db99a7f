// Which source lines make a kernel slow.
#pragma once

#include "common/simulator/count/counters.h"

namespace gridstride::sim {

/// Clocks of one multiprocessor that the work of a line takes, each unit taken alone and summed;
/// for ranking lines of one kernel, not for time. Weights are what the H200 profile gives: four
/// instructions a clock, one shared-memory pass, four sectors from L1, and of DRAM sectors and L2
/// atomics a multiprocessor's share of the device's rate.
inline double line_cost(const Counters& c) {
  constexpr double instruction = 0.25, wavefront = 1, sector = 0.25, dram_sector = 1.9,
                   atomic_sector = 2.9;
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  return instruction * number(c.warp_instructions) +
         wavefront * number(c.shared_load_wavefronts + c.shared_store_wavefronts +
                            c.shared_atomic_wavefronts) +
         sector * number(c.global_load_sectors + c.global_store_sectors + c.local_sectors) +
         dram_sector * number(c.dram_read_sectors + c.dram_write_sectors) +
         atomic_sector * number(c.global_atomic_sectors);
}

}  // namespace gridstride::sim

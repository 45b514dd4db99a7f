// Joins the bounds that the parts of the GPU set.
#include "common/simulator/model/time_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gridstride::sim {
namespace {

constexpr double sector_bytes = 32;

double at(std::uint64_t work, double rate) { return static_cast<double>(work) / rate; }

Bounds bounds_of(const DeviceProfile& profile, const LaunchShape& shape, const GridResult& result) {
  const Throughputs& rate = profile.throughput;
  const Counters& c = result.counters;
  Bounds bounds;
  bounds.dram = at(c.dram_read_sectors, rate.dram_read / sector_bytes) +
                at(c.dram_write_sectors, rate.dram_write / sector_bytes);
  // Everything that leaves a multiprocessor passes the L2, whether it hits there or not.
  const std::uint64_t l2_sectors = c.global_load_sectors + c.global_store_sectors + c.local_sectors;
  bounds.l2 = at(l2_sectors, rate.l2 / sector_bytes);
  bounds.atomics = std::max(at(c.global_atomic_sectors, rate.l2_atomics),
                            at(result.hottest_address_operations, rate.l2_atomics_same_address));
  // Shared memory and L1 are one array: a wavefront serves up to 128 bytes of either.
  const std::uint64_t wavefronts =
      c.shared_load_wavefronts + c.shared_store_wavefronts + c.shared_atomic_wavefronts;
  bounds.shared = at(wavefronts, rate.wavefronts) + at(l2_sectors, 4 * rate.wavefronts);
  bounds.issue = at(c.warp_instructions, rate.issue);
  bounds.integer = at(c.integer_instructions, rate.integer_issue);
  bounds.special = at(c.special_instructions, rate.special_issue);
  bounds.fp64 = at(c.double_instructions, rate.double_issue);
  // Blocks run in rounds of as many as the device holds; each lasts as long as one block alone.
  const double slots =
      static_cast<double>(std::max(shape.resident_blocks, 1u)) * profile.properties.multiprocessors;
  bounds.latency = std::ceil(static_cast<double>(shape.blocks) / slots) *
                       result.block_latency_cycles / profile.clock_hz +
                   at(shape.blocks, rate.blocks);
  return bounds;
}

}  // namespace

TimeEstimate estimate(const DeviceProfile& profile, const LaunchShape& shape,
                      const GridResult& result) {
  TimeEstimate estimate;
  estimate.bounds = bounds_of(profile, shape, result);
  const Bounds& b = estimate.bounds;
  const std::array<std::pair<const char*, double>, 9> parts{{{"dram", b.dram},
                                                             {"l2", b.l2},
                                                             {"atomics", b.atomics},
                                                             {"shared", b.shared},
                                                             {"issue", b.issue},
                                                             {"integer", b.integer},
                                                             {"special", b.special},
                                                             {"fp64", b.fp64},
                                                             {"latency", b.latency}}};
  double largest = 0, sum = 0;
  estimate.limiter = "launch";
  for (const auto& [name, seconds] : parts) {
    if (seconds > largest) {
      largest = seconds;
      if (seconds > profile.launch_seconds) estimate.limiter = name;
    }
  }
  // Scaled by the largest, so that no power overflows.
  for (const auto& [name, seconds] : parts) {
    if (largest > 0) sum += std::pow(seconds / largest, profile.smoothness);
  }
  estimate.seconds = profile.launch_seconds + largest * std::pow(sum, 1 / profile.smoothness);
  return estimate;
}

}  // namespace gridstride::sim

// Joins the bounds that the parts of the GPU set.
#include "common/simulator/model/time_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace gridstride::sim {
namespace {

constexpr double sector_bytes = 32;

struct Part {
  const char* name;
  double seconds;
};

const Part& largest_of(std::span<const Part> parts) {
  return *std::max_element(parts.begin(), parts.end(),
                           [](const Part& x, const Part& y) { return x.seconds < y.seconds; });
}

/// Scaled by the largest, so that no power overflows.
double norm(std::span<const Part> parts, double exponent) {
  const double largest = largest_of(parts).seconds;
  if (largest <= 0) return 0;
  double sum = 0;
  for (const Part& part : parts) sum += std::pow(part.seconds / largest, exponent);
  return largest * std::pow(sum, 1 / exponent);
}

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
  // A shared atomic passes twice: it reads, then writes.
  const std::uint64_t wavefronts = c.shared_load_wavefronts + c.shared_store_wavefronts +
                                   c.shared_atomic_wavefronts + c.shared_atomic_requests;
  bounds.shared = at(wavefronts, rate.wavefronts) + at(l2_sectors, 4 * rate.wavefronts);
  bounds.issue = at(c.warp_instructions, rate.issue);
  bounds.integer = at(c.integer_instructions, rate.integer_issue);
  bounds.special = at(c.special_instructions, rate.special_issue);
  bounds.fp64 = at(c.double_instructions, rate.double_issue);
  // Blocks run in rounds of as many as the device holds; each lasts as long as one block alone.
  const double slots =
      static_cast<double>(std::max(shape.resident_blocks, 1u)) * profile.properties.multiprocessors;
  bounds.blocks = at(shape.blocks, rate.blocks);
  bounds.latency = std::ceil(static_cast<double>(shape.blocks) / slots) *
                   result.block_latency_cycles / profile.clock_hz;
  return bounds;
}

}  // namespace

TimeEstimate estimate(const DeviceProfile& profile, const LaunchShape& shape,
                      const GridResult& result) {
  TimeEstimate estimate;
  estimate.bounds = bounds_of(profile, shape, result);
  const Bounds& b = estimate.bounds;
  const std::array<Part, 8> throughputs{{{"dram", b.dram},
                                         {"l2", b.l2},
                                         {"atomics", b.atomics},
                                         {"shared", b.shared},
                                         {"issue", b.issue},
                                         {"integer", b.integer},
                                         {"special", b.special},
                                         {"fp64", b.fp64}}};
  const std::array<Part, 3> all{{{"", norm(throughputs, profile.throughput_norm)},
                                 {"blocks", b.blocks},
                                 {"latency", b.latency}}};
  estimate.seconds = profile.launch_seconds + norm(all, profile.latency_norm);

  Part largest = largest_of(throughputs);
  for (const Part& part : {all[1], all[2]}) {
    if (part.seconds > largest.seconds) largest = part;
  }
  estimate.limiter = largest.seconds > profile.launch_seconds ? largest.name : "launch";
  return estimate;
}

}  // namespace gridstride::sim

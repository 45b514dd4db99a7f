// Resident blocks of one multiprocessor.
#include "common/simulator/model/occupancy.h"

#include <algorithm>
#include <cstdint>

#include "common/simulator/base/round_up.h"

namespace gridstride::sim {
namespace {

/// A multiprocessor's warps and registers lie in so many parts, from compute capability 7.0 on; a
/// warp has all of its registers in one of them (cuda_occupancy.h of the toolkit).
constexpr std::uint32_t parts = 4;

}  // namespace

Occupancy occupancy(const MultiprocessorLimits& limits, std::uint32_t block_threads,
                    std::uint32_t registers, std::uint64_t shared_bytes) {
  const std::uint64_t warps = (std::uint64_t{block_threads} + 31) / 32;
  if (warps == 0) return {};

  Occupancy result{.blocks = limits.blocks, .fraction = 0, .limiter = "blocks"};
  const auto limit = [&result](std::uint64_t blocks, const char* name) {
    if (blocks < result.blocks) {
      result.blocks = static_cast<std::uint32_t>(blocks);
      result.limiter = name;
    }
  };
  limit(limits.threads / 32 / warps, "threads");
  const std::uint64_t warp_registers =
      round_up(std::uint64_t{std::max(registers, 1u)} * 32, limits.register_granularity);
  limit(limits.registers / parts / warp_registers * parts / warps, "registers");
  const std::uint64_t shared =
      round_up(shared_bytes + limits.shared_reserved, limits.shared_granularity);
  if (shared != 0) limit(limits.shared_bytes / shared, "shared");
  result.fraction = static_cast<double>(result.blocks * warps) * 32 / limits.threads;
  return result;
}

std::uint64_t l1_share(const MultiprocessorLimits& limits, std::uint32_t resident,
                       std::uint64_t shared_bytes, std::uint64_t blocks) {
  const std::uint64_t set_aside = std::min<std::uint64_t>(limits.l1_bytes, resident * shared_bytes);
  return (limits.l1_bytes - set_aside) /
         std::clamp<std::uint64_t>(blocks, 1, std::max(resident, 1u));
}

std::uint32_t registers_of_launch(const MultiprocessorLimits& limits, std::uint32_t block_threads,
                                  std::uint32_t estimated) {
  const std::uint32_t warps_of_part = (block_threads + 32 * parts - 1) / (32 * parts);
  if (warps_of_part == 0) return estimated;
  const std::uint32_t granularity = limits.register_granularity;
  const std::uint32_t most =
      limits.registers / parts / warps_of_part / granularity * granularity / 32;
  return std::min(estimated, most);
}

std::uint32_t most_threads(const MultiprocessorLimits& limits, std::uint32_t registers) {
  const std::uint32_t warp_registers =
      round_up(std::max(registers, 1u) * 32, limits.register_granularity);
  return std::min(limits.registers / parts / warp_registers * parts * 32, limits.threads_per_block);
}

}  // namespace gridstride::sim

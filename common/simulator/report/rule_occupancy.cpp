// Too little under way: few blocks, few warps that fit, or warps that all wait.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/model/occupancy.h"
#include "common/simulator/report/formatting.h"
#include "common/simulator/report/rules.h"

namespace gridstride::sim {
namespace {

/// Half of the warps that fit hide latency about as well as all of them.
constexpr double enough = 0.5;

/// In 3 of the labs' 96 kernels ptxas needs still fewer registers than this below the estimate
/// (docs/simulator.md).
constexpr std::uint32_t estimate_margin = 16;

double slots(const KernelView& kernel) {
  return static_cast<double>(std::max(kernel.longest().resident_blocks, 1u)) *
         kernel.profile.properties.multiprocessors;
}

/// "the grid has 1 block of 32 threads, the device has room for 128 at once".
std::string grid_text(const KernelView& kernel, double beside) {
  const LaunchRecord& launch = kernel.longest();
  const auto blocks = static_cast<double>(launch.grid.count());
  const std::string subject =
      kernel.launch_count == 1
          ? "the grid"
          : "the longest of " + count_text(static_cast<double>(kernel.launch_count)) + " launches";
  std::string text = subject + " has " + count_text(blocks) + (blocks == 1 ? " block" : " blocks") +
                     " of " + count_text(static_cast<double>(launch.block.count())) + " threads";
  if (beside >= 1) {
    text += " and runs beside " + count_text(std::floor(beside)) + " of the others on average";
  }
  return text + ", the device has room for " + count_text(slots(kernel)) + " at once";
}

Advice small_grid(const KernelView& kernel, double beside) {
  const std::uint32_t multiprocessors = kernel.profile.properties.multiprocessors;
  const double busy = static_cast<double>(kernel.longest().grid.count()) + beside;
  Advice advice;
  advice.rule = "small grid";
  advice.text = grid_text(kernel, beside);
  if (std::ceil(busy) < multiprocessors) {
    advice.text +=
        fmt::format(": {} of {} multiprocessors have nothing to do",
                    multiprocessors - static_cast<std::uint32_t>(std::ceil(busy)), multiprocessors);
  }
  advice.repair = "Divide the work among more blocks and threads.";
  advice.saved_seconds = kernel.saved([&](const LaunchRecord& one, ModelInputs& inputs) {
    const double room =
        static_cast<double>(std::max(one.resident_blocks, 1u)) * multiprocessors - beside;
    const auto now = static_cast<double>(one.grid.count());
    if (now >= room) return;
    // As much work, in as many blocks as there is room for.
    inputs.result.block_latency_cycles *= now / room;
    inputs.shape.blocks = static_cast<std::uint64_t>(room);
  });
  return advice;
}

std::string who_limits(const LaunchRecord& launch) {
  const std::string blocks =
      std::to_string(launch.resident_blocks) + (launch.resident_blocks == 1 ? " block" : " blocks");
  if (launch.occupancy_limiter == "shared") {
    return bytes_text(static_cast<double>(launch.shared_bytes)) +
           " of shared memory a block leave room for " + blocks + " on a multiprocessor";
  }
  if (launch.occupancy_limiter == "registers") {
    return fmt::format("{} registers a thread ({}) leave room for {} on a multiprocessor",
                       launch.registers, launch.registers_estimated ? "estimated" : "by ptxas",
                       blocks);
  }
  return fmt::format("blocks of {} {}, of which a multiprocessor takes {}", launch.block.count(),
                     launch.block.count() == 1 ? "thread" : "threads", launch.resident_blocks);
}

/// Whether ptxas, which may need fewer registers than are estimated from PTX, may well fit enough.
bool hangs_on_the_estimate(const KernelView& kernel) {
  const LaunchRecord& launch = kernel.longest();
  if (launch.occupancy_limiter != "registers" || !launch.registers_estimated) return false;
  const std::uint32_t fewest = launch.registers - std::min(launch.registers, estimate_margin);
  return occupancy(kernel.profile.limits, static_cast<std::uint32_t>(launch.block.count()), fewest,
                   launch.shared_bytes)
             .fraction >= enough;
}

Advice low_occupancy(const KernelView& kernel) {
  const LaunchRecord& launch = kernel.longest();
  Advice advice;
  advice.rule = "occupancy";
  advice.text = "occupancy is " + percent_text(launch.occupancy) + ": " + who_limits(launch);
  if (launch.occupancy_limiter == "shared") {
    advice.repair = "Smaller tiles, or more threads for each tile.";
  } else if (launch.occupancy_limiter == "registers") {
    advice.repair =
        "Fewer values alive at once, or __launch_bounds__ with the blocks that are "
        "wanted on a multiprocessor.";
  } else {
    advice.repair = "Take blocks of 128 to 512 threads.";
  }
  advice.saved_seconds = kernel.saved([&](const LaunchRecord& one, ModelInputs& inputs) {
    if (one.occupancy >= enough || one.occupancy <= 0) return;
    inputs.shape.resident_blocks = static_cast<std::uint32_t>(
        std::ceil(inputs.shape.resident_blocks * enough / one.occupancy));
  });
  return advice;
}

Advice waiting(const KernelView& kernel) {
  Advice advice;
  advice.rule = "latency";
  advice.text = "the warps that fit wait at the same time: a block takes " +
                count_text(kernel.longest().block_latency_cycles) +
                " clocks alone, most of them for memory and barriers; half of that is what is "
                "reckoned with";
  advice.repair =
      "Let each thread have several loads under way before it needs the first (two elements a "
      "thread, 16-byte loads, an unrolled loop), and save barriers.";
  advice.saved_seconds = kernel.saved(
      [](const LaunchRecord&, ModelInputs& inputs) { inputs.result.block_latency_cycles /= 2; });
  return advice;
}

}  // namespace

std::vector<Advice> occupancy_rule(const KernelView& kernel) {
  const LaunchRecord& launch = kernel.longest();
  if (launch.block_latency_cycles <= 0) return {};
  // What is over before it has begun is not worth more blocks: the headline says so.
  if (kernel.limiter() == "launch") return {};
  std::vector<Advice> all;
  const double beside = kernel.blocks_beside(launch);
  if (static_cast<double>(launch.grid.count()) + beside < enough * slots(kernel)) {
    all.push_back(small_grid(kernel, beside));
  } else if (launch.occupancy < enough && !hangs_on_the_estimate(kernel)) {
    all.push_back(low_occupancy(kernel));
  }
  const bool pays = !all.empty() && all.front().saved_seconds >= least_saved_share * kernel.seconds;
  if (!pays && kernel.limiter() == "latency") all = {waiting(kernel)};
  return all;
}

}  // namespace gridstride::sim

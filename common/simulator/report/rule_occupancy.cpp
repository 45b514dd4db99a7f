// Too little under way: few blocks, few warps that fit, or warps that all wait.
#include <algorithm>
#include <cmath>

#include "common/simulator/report/rules.h"
#include "common/simulator/report/words.h"

namespace gridstride::sim {
namespace {

/// Half of the warps that fit hide latency about as well as all of them.
constexpr double enough = 0.5;

double slots(const KernelView& kernel) {
  return static_cast<double>(std::max(kernel.longest().resident_blocks, 1u)) *
         kernel.profile.properties.multiprocessors;
}

Advice small_grid(const KernelView& kernel) {
  const LaunchRecord& launch = kernel.longest();
  const auto blocks = static_cast<double>(launch.grid.count());
  const std::uint32_t multiprocessors = kernel.profile.properties.multiprocessors;
  Advice advice;
  advice.rule = "small grid";
  advice.text = "the grid has " + count_text(blocks) + (blocks == 1 ? " block" : " blocks") +
                " of " + count_text(static_cast<double>(launch.block.count())) +
                " threads, the device has " + "room for " + count_text(slots(kernel)) + " at once";
  if (blocks < multiprocessors) {
    advice.text += ": " + std::to_string(multiprocessors - launch.grid.count()) + " of " +
                   std::to_string(multiprocessors) + " multiprocessors have nothing to do";
  }
  advice.repair = "Divide the work among more blocks and threads.";
  advice.saved_seconds = kernel.saved([&](const LaunchRecord& one, ModelInputs& inputs) {
    const double room = static_cast<double>(std::max(one.resident_blocks, 1u)) * multiprocessors;
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
    return std::to_string(launch.registers) + " registers a thread (estimated) leave room for " +
           blocks + " on a multiprocessor";
  }
  return "blocks of " + std::to_string(launch.block.count()) +
         (launch.block.count() == 1 ? " thread" : " threads") +
         ", of which a multiprocessor takes " + std::to_string(launch.resident_blocks);
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
  if (static_cast<double>(launch.grid.count()) < enough * slots(kernel)) {
    all.push_back(small_grid(kernel));
  } else if (launch.occupancy < enough) {
    all.push_back(low_occupancy(kernel));
  }
  const bool pays = !all.empty() && all.front().saved_seconds >= least_saved_share * kernel.seconds;
  if (!pays && kernel.limiter() == "latency") all = {waiting(kernel)};
  return all;
}

}  // namespace gridstride::sim

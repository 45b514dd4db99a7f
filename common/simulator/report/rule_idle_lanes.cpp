// Lanes of a warp that have nothing to do: instructions are issued for all 32 of them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/report/formatting.h"
#include "common/simulator/report/rules.h"

namespace gridstride::sim {
namespace {

/// A line counts from a quarter of its lanes idle on.
constexpr double well_filled = 24;

double active(const Counters& c) {
  return c.warp_instructions == 0 ? 32.0
                                  : static_cast<double>(c.thread_instructions) /
                                        static_cast<double>(c.warp_instructions);
}

std::uint64_t scaled(std::uint64_t value, double by) {
  return static_cast<std::uint64_t>(static_cast<double>(value) * by);
}

/// With full warps the same work takes as many fewer instructions.
void mend(const Counters& line, Counters& counters) {
  const double idle = 1 - active(line) / 32;
  const auto take = [idle](std::uint64_t& from, std::uint64_t of) {
    from -= std::min(from, scaled(of, idle));
  };
  take(counters.warp_instructions, line.warp_instructions);
  take(counters.sass_instructions, line.sass_instructions);
  take(counters.integer_instructions, line.integer_instructions);
  take(counters.logic_slots, line.logic_slots);
  take(counters.sum_slots, line.sum_slots);
  take(counters.product_slots, line.product_slots);
  take(counters.float_instructions, line.float_instructions);
  take(counters.double_instructions, line.double_instructions);
  take(counters.special_instructions, line.special_instructions);
  take(counters.special_slots, line.special_slots);
}

/// The branch that parted them: the nearest above, or the line itself.
const LineCounters* branch_before(const KernelView& kernel, const LineCounters& line) {
  const LineCounters* nearest = nullptr;
  for (const LineCounters& other : kernel.lines) {
    if (other.file == line.file && other.line <= line.line &&
        other.counters.divergent_branches > 0) {
      nearest = &other;
    }
  }
  return nearest;
}

}  // namespace

std::vector<Advice> idle_lanes_rule(const KernelView& kernel) {
  const LineCounters* worst = nullptr;
  double most = 0;
  for (const LineCounters& line : kernel.lines) {
    const double lanes = active(line.counters);
    if (lanes > well_filled) continue;
    const double wasted = static_cast<double>(line.counters.sass_instructions) * (1 - lanes / 32);
    if (wasted <= most) continue;
    most = wasted;
    worst = &line;
  }
  if (!worst) return {};
  Advice advice;
  advice.rule = "idle lanes";
  advice.file = worst->file;
  advice.line = worst->line;
  advice.text =
      "only " + number_text(active(worst->counters)) + " of 32 lanes are active on average";
  const std::uint64_t threads = kernel.longest().block.count();
  if (threads < 32) {
    advice.text +=
        ": a block has " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
    advice.repair = "Take blocks of 128 to 512 threads, a multiple of 32.";
  } else {
    const LineCounters* branch = branch_before(kernel, *worst);
    if (branch && branch->line != worst->line) {
      advice.text +=
          ", because the branch of line " + std::to_string(branch->line) + " splits the warps";
    } else if (branch) {
      advice.text += ", because its condition splits the warps";
    }
    advice.repair =
        "Give the work to threads side by side, so that whole warps have work and whole warps have "
        "none; let the lanes of a warp take the same path and about the same number of rounds.";
  }
  advice.saved_seconds = kernel.saved([&](const LaunchRecord& launch, ModelInputs& inputs) {
    for (const LineCounters& line : launch.lines) {
      if (active(line.counters) <= well_filled) mend(line.counters, inputs.result.counters);
    }
  });
  return {advice};
}

}  // namespace gridstride::sim

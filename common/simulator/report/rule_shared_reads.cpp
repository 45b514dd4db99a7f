// Shared memory that is read without a conflict, and still more often than it can deliver.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/simulator/report/formatting.h"
#include "common/simulator/report/rules.h"

namespace gridstride::sim {

std::vector<Advice> shared_reads_rule(const KernelView& kernel) {
  if (kernel.limiter() != "shared") return {};
  const auto most = std::max_element(
      kernel.lines.begin(), kernel.lines.end(), [](const LineCounters& a, const LineCounters& b) {
        return a.counters.shared_load_ideal < b.counters.shared_load_ideal;
      });
  if (most == kernel.lines.end() || most->counters.shared_load_ideal == 0) return {};
  const Counters& c = kernel.counters;
  const std::uint64_t all =
      c.shared_load_wavefronts + c.shared_store_wavefronts + c.shared_atomic_wavefronts;
  Advice advice;
  advice.rule = "shared reads";
  advice.file = most->file;
  advice.line = most->line;
  advice.text =
      percent_text(static_cast<double>(most->counters.shared_load_ideal) /
                   static_cast<double>(all)) +
      " of the kernel's " + count_text(static_cast<double>(all)) +
      " passes through shared memory are reads that stand here, and that no other order would "
      "spare; half as many reads are what is reckoned with";
  advice.repair =
      "Let each value that is read serve more than once: a thread that computes several results (a "
      "block of 2 x 2 or more) reads it once and keeps it in a register.";
  advice.saved_seconds = kernel.saved([&](const LaunchRecord& launch, ModelInputs& inputs) {
    const LineCounters* here = line_of(launch, *most);
    if (!here) return;
    std::uint64_t& passes = inputs.result.counters.shared_load_wavefronts;
    passes -= std::min(passes, here->counters.shared_load_ideal / 2);
  });
  return {advice};
}

}  // namespace gridstride::sim

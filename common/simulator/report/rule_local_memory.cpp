// Arrays and spilled registers of a thread, which live in device memory.
#include <algorithm>
#include <vector>

#include "common/simulator/report/formatting.h"
#include "common/simulator/report/rules.h"

namespace gridstride::sim {

std::vector<Advice> local_memory_rule(const KernelView& kernel) {
  const auto most = std::max_element(kernel.lines.begin(), kernel.lines.end(),
                                     [](const LineCounters& a, const LineCounters& b) {
                                       return a.counters.local_sectors < b.counters.local_sectors;
                                     });
  if (most == kernel.lines.end() || most->counters.local_sectors == 0) return {};
  Advice advice;
  advice.rule = "local memory";
  advice.file = most->file;
  advice.line = most->line;
  advice.text = "an array of the thread lives in local memory, which is device memory: " +
                count_text(static_cast<double>(kernel.counters.local_sectors)) +
                " sectors in the kernel";
  advice.repair =
      "Index the array with constants only (unroll the loop), so that it fits registers, or keep "
      "it "
      "in shared memory.";
  advice.saved_seconds = kernel.saved(
      [](const LaunchRecord&, ModelInputs& inputs) { inputs.result.counters.local_sectors = 0; });
  return {advice};
}

}  // namespace gridstride::sim

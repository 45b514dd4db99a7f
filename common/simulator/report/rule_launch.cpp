// Kernels that are launched more often than their work is worth.
#include "common/simulator/report/rules.h"
#include "common/simulator/report/words.h"

namespace gridstride::sim {

std::vector<Advice> launch_rule(const KernelView& kernel) {
  if (kernel.launch_count < 2) return {};
  const double each = kernel.profile.launch_seconds;
  Advice advice;
  advice.rule = "launches";
  advice.text = count_text(static_cast<double>(kernel.launch_count)) + " launches cost at least " +
                seconds_text(each) + " each, " +
                percent_text(static_cast<double>(kernel.launch_count) * each / kernel.seconds) +
                " of the kernel's time; one launch for all is what is reckoned with";
  advice.repair =
      "Do more in one launch: a grid-stride loop, several steps fused, the last block "
      "finishing what the others began.";
  advice.saved_seconds = each * static_cast<double>(kernel.launch_count - 1);
  return {advice};
}

}  // namespace gridstride::sim

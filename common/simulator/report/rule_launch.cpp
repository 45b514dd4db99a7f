// Kernels that are launched more often than their work is worth.
#include <algorithm>
#include <vector>

#include "common/simulator/report/formatting.h"
#include "common/simulator/report/rules.h"

namespace gridstride::sim {
namespace {

/// Launches by the host, or by kernels.
double launches_by(const KernelView& kernel, bool kernels) {
  double count = 0;
  for (const LaunchRecord* launch : kernel.launches) {
    if (launch->parent.empty() != kernels) count += static_cast<double>(launch->launches);
  }
  return count;
}

/// `count` launches, of which each costs the kernel's time `seconds`.
Advice launches(const KernelView& kernel, double count, double seconds, const std::string& who,
                const std::string& price) {
  Advice advice;
  advice.rule = "launches";
  advice.text = count_text(count) + " launches" + who + price + ", " +
                percent_text(std::min(count * seconds / kernel.seconds, 1.0)) +
                " of the kernel's time; half as many is what is reckoned with";
  advice.saved_seconds = seconds * count / 2;
  return advice;
}

Advice by_the_host(const KernelView& kernel, double count) {
  const double each = kernel.profile.launch_seconds;
  Advice advice =
      launches(kernel, count, each, "", " cost at least " + seconds_text(each) + " each");
  advice.repair =
      "Where none needs what another writes, one launch with a grid-stride loop does it all. Where "
      "each goes on from the last, do several steps in one, or let the last block finish what the "
      "others began.";
  return advice;
}

Advice by_kernels(const KernelView& kernel, double count) {
  const DeviceProfile& device = kernel.profile;
  const double call = device.latency.device_launch / device.clock_hz;
  Advice advice =
      launches(kernel, count, device.launch_seconds, " by kernels",
               " take " + seconds_text(call) + " of the thread that launches, and start " +
                   seconds_text(device.device_launch_start) + " later");
  advice.repair =
      "Launch only what is worth it: go on with the smaller parts in the same block (a loop and a "
      "stack), and let each launch have more to do.";
  return advice;
}

}  // namespace

std::vector<Advice> launch_rule(const KernelView& kernel) {
  std::vector<Advice> all;
  const double host = launches_by(kernel, false), kernels = launches_by(kernel, true);
  if (host >= 2) all.push_back(by_the_host(kernel, host));
  if (kernels >= 2) all.push_back(by_kernels(kernel, kernels));
  return all;
}

}  // namespace gridstride::sim

// Global atomics: too many of them, or on one address.
#include <algorithm>

#include "common/simulator/report/rules.h"
#include "common/simulator/report/words.h"

namespace gridstride::sim {
namespace {

constexpr double lanes = 32;

/// From here on one address is what they queue for.
constexpr double hot_share = 0.1;

}  // namespace

std::vector<Advice> atomics_rule(const KernelView& kernel) {
  double operations = 0, hottest = 0;
  for (const LaunchRecord* launch : kernel.launches) {
    operations += static_cast<double>(launch->atomic_operations);
    hottest += static_cast<double>(launch->hottest_address_operations);
  }
  const auto most = std::max_element(
      kernel.lines.begin(), kernel.lines.end(), [](const LineCounters& a, const LineCounters& b) {
        return a.counters.global_atomic_sectors < b.counters.global_atomic_sectors;
      });
  if (operations <= 0 || most == kernel.lines.end()) return {};
  Advice advice;
  advice.rule = "atomics";
  advice.file = most->file;
  advice.line = most->line;
  const double share = hottest / operations;
  if (share >= 0.995) {
    advice.text = "all " + count_text(operations) +
                  " atomic operations go to one address, one after the other";
  } else if (share >= hot_share) {
    advice.text = percent_text(share) + " of " + count_text(operations) +
                  " atomic operations go to one address, one after the other";
  } else {
    advice.text = count_text(operations) + " atomic operations pass through the L2";
  }
  advice.repair =
      "Add up within the warp (shuffles, __reduce_add_sync) or in shared memory first, then one "
      "atomic for each warp or block.";
  advice.text += "; adding up within each warp first would leave one in 32";
  advice.saved_seconds = kernel.saved([](const LaunchRecord&, ModelInputs& inputs) {
    GridResult& result = inputs.result;
    const auto fewer = [](std::uint64_t& value) {
      value = static_cast<std::uint64_t>(static_cast<double>(value) / lanes);
    };
    fewer(result.counters.global_atomic_sectors);
    fewer(result.counters.global_atomic_serial);
    fewer(result.hottest_address_operations);
    fewer(result.atomic_operations);
  });
  return {advice};
}

}  // namespace gridstride::sim

// Global atomics: too many of them, or on one address.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/simulator/report/formatting.h"
#include "common/simulator/report/rules.h"

namespace gridstride::sim {
namespace {

/// From here on one address is what they queue for.
constexpr double hot_share = 0.1;

}  // namespace

std::vector<Advice> atomics_rule(const KernelView& kernel) {
  double operations = 0, hottest = 0;
  for (const LaunchRecord* launch : kernel.launches) {
    operations += static_cast<double>(launch->atomic_queues.all);
    hottest += static_cast<double>(launch->atomic_queues.hottest());
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
  // What adding up within a warp spares: lanes that meet at one address.
  const Counters& c = kernel.counters;
  const double meet = c.global_atomic_requests == 0
                          ? 1
                          : static_cast<double>(c.global_atomic_serial) /
                                static_cast<double>(c.global_atomic_requests);
  if (meet >= 2) {
    advice.text += "; adding up within each warp first would leave one in " + number_text(meet);
    advice.repair =
        "Add up within the warp (shuffles, __reduce_add_sync) or in shared memory first, then one "
        "atomic for each warp or block.";
  } else {
    advice.text += "; half as many is what is reckoned with";
    advice.repair =
        "Combine more before it: a table in shared memory for each block, and fewer blocks that "
        "each do more (a grid-stride loop).";
  }
  const double factor = std::max(meet, 2.0);
  advice.saved_seconds = kernel.saved([factor](const LaunchRecord&, ModelInputs& inputs) {
    GridResult& result = inputs.result;
    const auto fewer = [factor](std::uint64_t& value) {
      value = static_cast<std::uint64_t>(static_cast<double>(value) / factor);
    };
    fewer(result.counters.global_atomic_sectors);
    fewer(result.counters.global_atomic_serial);
    fewer(result.atomic_queues.sector);
    fewer(result.atomic_queues.float_sector);
    fewer(result.atomic_queues.piece);
    fewer(result.atomic_queues.all);
  });
  return {advice};
}

}  // namespace gridstride::sim

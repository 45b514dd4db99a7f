// The two curves that scoring.h describes.
#include "grader/judge/verdict/scoring.h"

#include <algorithm>
#include <vector>

#include "common/simulator/device/named_bytes.h"

namespace gridstride {

double speed_share(double speedup, double required) {
  if (required <= 0) return 1;
  const double share = required > 1 ? (speedup - 1) / (required - 1) : speedup / required;
  return std::clamp(share, 0.0, 1.0);
}

namespace {

double share_of_limits(const std::vector<LimitResult>& limits) {
  int met = 0, shares = 0;
  for (const LimitResult& limit : limits) {
    if (limit.counter == sim::device_to_host_bytes.name) {
      if (!limit.met) return 0;
      continue;
    }
    ++shares;
    met += limit.met ? 1 : 0;
  }
  return shares == 0 ? 1 : static_cast<double>(met) / shares;
}

}  // namespace

double score(const StageConfig& config, const StageResult& result) {
  const double passed = result.cases.total == 0 ? 0
                                                : static_cast<double>(result.cases.passed) /
                                                      static_cast<double>(result.cases.total);
  switch (result.verdict) {
    case Verdict::pass:
      return config.correctness_points + config.speed_points;
    case Verdict::slow:
    case Verdict::over_limit: {
      double share = 1;
      if (result.speedup) share = speed_share(result.speedup->value, result.speedup->required);
      share *= share_of_limits(result.limits);
      return config.correctness_points + config.speed_points * share;
    }
    case Verdict::wrong:
    case Verdict::crash:
    case Verdict::unsupported:
    case Verdict::timeout:
    case Verdict::out_of_memory:
      return config.correctness_points * 0.5 * passed;
    case Verdict::inconclusive:
      return passed == 1 ? config.correctness_points : 0;
    case Verdict::unsupported_here:
    case Verdict::todo:
    case Verdict::compile_error:
    case Verdict::suspicious:
    case Verdict::infrastructure:
      break;
  }
  return 0;
}

}  // namespace gridstride

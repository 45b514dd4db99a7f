// Timing as Google Benchmark runs it: one launch a repetition, so that its median is over launches,
// with the baseline's launch in the same repetition.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/judge/timing/timing.h"
#include "grader/report/results.h"

namespace gridstride {

/// One stage's timing. `result` or `failure` is set once it has been measured; neither when the
/// user's --benchmark_filter left it out.
struct TimedStage {
  std::string name;              ///< "reduction/3_sequential"
  std::unique_ptr<Timer> timer;  ///< gone when the stage has been measured
  std::vector<Pair> pairs;
  std::optional<Measurement> result;
  std::optional<StageResult> failure;  ///< verdict and message
};

/// Measures all of them, `at_once` side by side in threads of their own. Google Benchmark's own output
/// appears only when `loud`. `on_start` and `on_end` are called around each stage, one stage after the
/// other. True when only a listing was asked for.
bool run_benchmarks(std::vector<std::unique_ptr<TimedStage>>& stages, int at_once, bool loud,
                    const std::function<void(const TimedStage&)>& on_start,
                    const std::function<void(const TimedStage&)>& on_end);

}  // namespace gridstride

// Benchmarks made at run time, and a reporter that keeps quiet.
//
// With Google Benchmark 1.7 the body runs anew for each repetition, so sessions live in the timer;
// with manual time nothing bounds the wall time, so the counts are fixed.
#include "grader/judge/timing/google_benchmarks.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/device/control.h"
#include "grader/judge/correctness/outcome.h"
#include "grader/judge/runners/runner_client.h"

namespace gridstride {
namespace {

void record_failure(TimedStage& stage, Verdict verdict, const std::string& message) {
  stage.failure.emplace();
  stage.failure->verdict = verdict;
  stage.failure->message = message;
}

/// What goes wrong while timing, as a verdict.
template <class Work>
bool guarded(TimedStage& stage, Work work) {
  try {
    work();
    return true;
  } catch (const TimingFailure& failure) {
    record_failure(stage, failure.verdict(), failure.what());
  } catch (const RunnerError& error) {
    const CaseOutcome outcome = outcome_of(error, "");
    record_failure(stage, outcome.verdict, "timed call: " + outcome.message);
  } catch (const sim::DeviceProcessError& error) {
    const CaseOutcome outcome = outcome_of(error);
    record_failure(stage, outcome.verdict, "timed call: " + outcome.message);
  } catch (const std::exception& error) {
    record_failure(stage, Verdict::infrastructure, error.what());
  }
  return false;
}

void body(benchmark::State& state, TimedStage& stage,
          const std::function<void(const TimedStage&)>& on_start) {
  if (!stage.started) {
    stage.started = true;
    on_start(stage);
    guarded(stage, [&] { stage.timer->start(); });
  }
  Pair pair;
  if (!stage.failure) guarded(stage, [&] { pair = stage.timer->next(); });
  // Also with an error: all repetitions must have equally many iterations, or the statistics abort.
  for (auto _ : state) state.SetIterationTime(pair.student);
  if (stage.failure) {
    state.SkipWithError(stage.failure->message.c_str());
    return;
  }
  state.counters["baseline_us"] = pair.baseline * 1e6;
  state.counters["speedup"] = pair.baseline / pair.student;
}

class Reporter : public benchmark::ConsoleReporter {
 public:
  Reporter(bool loud, std::function<void(const std::string& name)> on_end)
      : benchmark::ConsoleReporter(OO_Tabular), loud_(loud), on_end_(std::move(on_end)) {}

  bool ReportContext(const Context& context) override {
    return loud_ ? ConsoleReporter::ReportContext(context) : true;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    if (loud_) ConsoleReporter::ReportRuns(runs);
    if (!runs.empty()) on_end_(runs.front().run_name.function_name);
  }

 private:
  bool loud_;
  std::function<void(const std::string&)> on_end_;
};

}  // namespace

bool run_benchmarks(std::vector<std::unique_ptr<TimedStage>>& stages, bool loud,
                    const std::function<void(const TimedStage&)>& on_start,
                    const std::function<void(const TimedStage&)>& on_end) {
  if (stages.empty()) return false;
  for (const auto& stage : stages) {
    benchmark::RegisterBenchmark(
        stage->name.c_str(),
        [&stage = *stage, &on_start](benchmark::State& state) { body(state, stage, on_start); })
        ->Iterations(1)
        ->Repetitions(stage->timer->pairs())
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  Reporter reporter(loud, [&](const std::string& name) {
    const auto found =
        std::ranges::find_if(stages, [&](const auto& stage) { return stage->name == name; });
    // Called twice for one benchmark: for its repetitions and for their aggregates.
    if (found == stages.end() || (*found)->timer == nullptr) return;
    TimedStage& stage = **found;
    if (!stage.failure) guarded(stage, [&] { stage.result = stage.timer->finish(); });
    stage.timer.reset();
    on_end(stage);
  });
  const std::size_t ran = benchmark::RunSpecifiedBenchmarks(&reporter);
  const bool listing =
      ran != 0 && std::ranges::none_of(stages, [](const auto& stage) { return stage->started; });
  benchmark::ClearRegisteredBenchmarks();
  return listing;
}

}  // namespace gridstride

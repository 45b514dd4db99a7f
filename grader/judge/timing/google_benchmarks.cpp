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
#include <future>
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
void guarded(TimedStage& stage, Work work) {
  try {
    work();
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
}

/// All of a stage's timing; its processes are gone afterwards.
void measure(TimedStage& stage) {
  guarded(stage, [&] {
    stage.timer->start();
    while (stage.pairs.size() < static_cast<std::size_t>(stage.timer->pairs()))
      stage.pairs.push_back(stage.timer->next());
    stage.result = stage.timer->finish();
  });
  stage.timer.reset();
}

/// Measures stages when they are asked for, or, several at once, somewhat before.
class Measuring {
 public:
  Measuring(std::vector<std::unique_ptr<TimedStage>>& stages, int at_once)
      : stages_(stages), at_once_(static_cast<std::size_t>(at_once)), begun_(stages.size()) {}

  /// Returns when the stage has been measured.
  void finish(std::size_t stage) {
    const auto how = at_once_ > 1 ? std::launch::async : std::launch::deferred;
    for (std::size_t i = stage; i < std::min(stage + at_once_, stages_.size()); ++i) {
      if (!begun_[i].valid()) begun_[i] = std::async(how, measure, std::ref(*stages_[i])).share();
    }
    begun_[stage].get();
  }

 private:
  std::vector<std::unique_ptr<TimedStage>>& stages_;
  std::size_t at_once_;
  std::vector<std::shared_future<void>> begun_;
};

/// What Google Benchmark is told of one of a stage's pairs.
void tell(benchmark::State& state, const TimedStage& stage, std::size_t pair) {
  const bool there = pair < stage.pairs.size();
  // Also with an error: all repetitions must have equally many iterations, or the statistics abort.
  for (auto _ : state) state.SetIterationTime(there ? stage.pairs[pair].student : 0);
  if (!there) {
    state.SkipWithError(stage.failure->message.c_str());
    return;
  }
  const auto& [student, baseline] = stage.pairs[pair];
  state.counters["baseline_us"] = baseline * 1e6;
  state.counters["speedup"] = baseline / student;
}

class Reporter : public benchmark::ConsoleReporter {
 public:
  Reporter(bool loud, std::function<void(const std::string& name)> on_end)
      : benchmark::ConsoleReporter(OO_Tabular), loud_(loud), on_end_(std::move(on_end)) {}

  /// Not ConsoleReporter's: it warns of how the distribution has built the library, which times
  /// nothing here.
  bool ReportContext(const Context& context) override {
    name_field_width_ = context.name_field_width;
    return true;
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

bool run_benchmarks(std::vector<std::unique_ptr<TimedStage>>& stages, int at_once, bool loud,
                    const std::function<void(const TimedStage&)>& on_start,
                    const std::function<void(const TimedStage&)>& on_end) {
  if (stages.empty()) return false;
  // A filter may leave out the next one.
  Measuring measuring(stages, benchmark::GetBenchmarkFilter().empty() ? at_once : 1);
  std::vector<std::size_t> told(stages.size());
  std::vector<bool> ended(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    TimedStage& stage = *stages[i];
    benchmark::RegisterBenchmark(stage.name.c_str(),
                                 [&, i](benchmark::State& state) {
                                   if (told[i] == 0) {
                                     on_start(stage);
                                     measuring.finish(i);
                                   }
                                   tell(state, stage, told[i]++);
                                 })
        ->Iterations(1)
        ->Repetitions(stage.timer->pairs())
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  Reporter reporter(loud, [&](const std::string& name) {
    const auto found =
        std::ranges::find_if(stages, [&](const auto& stage) { return stage->name == name; });
    const auto i = static_cast<std::size_t>(found - stages.begin());
    // Called twice for one benchmark: for its repetitions and for their aggregates.
    if (found == stages.end() || ended[i]) return;
    ended[i] = true;
    on_end(**found);
  });
  const std::size_t ran = benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();
  return ran != 0 && std::ranges::all_of(told, [](std::size_t pairs) { return pairs == 0; });
}

}  // namespace gridstride

// The timed call on the simulated device, where the device process is the clock.
#include "grader/judge/timing/simulated_call.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "common/simulator/check/finding.h"
#include "grader/judge/correctness/case_runner.h"
#include "grader/judge/runners/link_retry.h"
#include "grader/judge/runners/session.h"
#include "grader/judge/timing/timing.h"
#include "grader/judge/timing/work.h"

namespace gridstride {
namespace {

constexpr Session::Seconds call_limit{120};

/// Warp instructions of one launch: the timing size is large, and the baseline slow.
constexpr std::uint64_t timed_instructions = 1'000'000'000;

std::string name_of_call(const Grading& grading, Who who) {
  if (who == Who::baseline) return "the baseline's timed call";
  return grading.gpu ? "timed call on the simulated device" : "timed call";
}

RecordedCall record_once(const Grading& grading, const StageTask& task, Who who,
                         std::optional<std::chrono::duration<double>> soon) {
  const bool baseline = who == Who::baseline;
  // The baseline's inputs are the same for every stage, so that it need be called once only.
  const RandomKey key =
      grading.key(baseline ? "" : task.config->name, baseline ? "" : task.source_text);
  const std::string name = name_of_call(grading, who);
  const SuiteData& suite = task.contract->suite;
  const std::int64_t size = timing_size(grading, false);
  Rng rng(key.with("timing"));
  Timed timed = suite.timing(rng, size);
  name_arguments(timed.call, suite);
  if (baseline) {
    for (const auto& [argument, make] : timed.baseline_checks)
      timed.call.arguments.at(argument).check = make();
  }

  SessionOptions options;
  options.installation = &grading.installation;
  options.library = baseline ? task.baseline : task.library;
  options.function = task.contract->function;
  options.arguments = task.contract->arguments;
  if (!baseline) options.clock = task.clock;
  options.instruction_budget = timed_instructions;
  options.look_after_timeout = soon.has_value();
  Session session(options);
  session.load();
  session.prepare(timed.call);
  const CallResult result = session.run(timed.call, soon.value_or(call_limit) * grading.patience());
  const CaseSpec spec{name, size, nullptr, Repeat::never};
  RecordedCall record;
  record.outcome = judge_call(spec, timed.call, result, suite.guesses);
  // Who brings inputs to the host works there, before it is a mistake about streams.
  const bool unordered =
      result.activity && std::ranges::any_of(result.activity->findings, [](const auto& finding) {
        return finding.kind == sim::FindingKind::stream_race;
      });
  if (record.outcome.verdict == Verdict::pass || unordered) {
    CaseOutcome work = judge_work(timed.call, *result.activity, name);
    if (work.verdict != Verdict::pass || !unordered) record.outcome = std::move(work);
  }
  if (result.activity) record.activity = *result.activity;
  record.is_idle = result.error && result.activity && result.activity->launches.empty();
  return record;
}

}  // namespace

RecordedCall record_call(const Grading& grading, const StageTask& task, Who who,
                         std::optional<std::chrono::duration<double>> soon) {
  return with_link([&] { return record_once(grading, task, who, soon); }, [] {});
}

sim::Activity simulated_call(const Grading& grading, const StageTask& task, Who who) {
  RecordedCall record = record_call(grading, task, who);
  if (record.outcome.verdict != Verdict::pass) {
    throw TimingFailure(record.outcome.verdict, record.outcome.message);
  }
  return std::move(record.activity);
}

}  // namespace gridstride

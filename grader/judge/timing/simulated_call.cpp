// The timed call on the simulated device, where the device process is the clock.
#include "grader/judge/timing/simulated_call.h"

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <utility>

#include "grader/judge/correctness/case_runner.h"
#include "grader/judge/timing/timing.h"

namespace gridstride {
namespace {

constexpr Session::Seconds limit{120};

/// Warp instructions of one launch: the timing size is large, and the baseline slow.
constexpr std::uint64_t instruction_budget = 1'000'000'000;

/// Inputs that travel to the host were computed on there. The model charges for copies, but not for
/// the host. What a stage may copy, lab.toml says (device_to_host_bytes); this is for those that
/// may copy something.
constexpr double most_of_inputs_copied = 0.25;

std::string name_of_call(const Grading& grading, Who who) {
  if (who == Who::baseline) return "the baseline's timed call";
  return grading.gpu ? "timed call on the simulated device" : "timed call";
}

/// Suspicious when the answer cannot have come from the device.
CaseOutcome verify_work(const Call& call, const sim::Activity& activity, const std::string& who) {
  CaseOutcome outcome;
  const auto suspect = [&](const std::string& message) {
    outcome.verdict = Verdict::suspicious;
    outcome.message = message;
    return outcome;
  };
  std::uint64_t input_bytes = 0;
  for (const CallArgument& argument : call.arguments) {
    if (argument.info.kind == ArgumentKind::input) input_bytes += argument.bytes();
  }
  if (activity.launches.empty())
    return suspect(who +
                   ": the answer is right, but no kernel was launched: it did not come "
                   "from the device.");
  if (static_cast<double>(activity.device_to_host_bytes) >
      most_of_inputs_copied * static_cast<double>(input_bytes))
    return suspect(
        fmt::format("{}: {} of {} bytes of input were copied to the host during the call: the work "
                    "was not done "
                    "on the device.",
                    who, activity.device_to_host_bytes, input_bytes));
  return outcome;
}

}  // namespace

RecordedCall record_call(const Grading& grading, const StageTask& task, Who who) {
  const bool baseline = who == Who::baseline;
  // The baseline's inputs are the same for every stage, so that it need be called once only.
  const RandomKey key =
      grading.key(baseline ? "" : task.config->name, baseline ? "" : task.source_text);
  const std::string name = name_of_call(grading, who);
  const SuiteData& suite = task.contract->suite;
  const std::int64_t size = timing_size(grading, false);
  Rng rng(key.with("timing"));
  Timed timed = suite.timing(rng, size);
  name_arguments(timed.call, suite.names);
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
  options.instruction_budget = instruction_budget;
  const auto session = open_session(options);
  session->prepare(timed.call);
  const CallResult result = session->run(timed.call, limit * grading.sharing);
  const CaseSpec spec{name, size, nullptr, Repeat::never};
  RecordedCall record;
  record.outcome = judge_call(spec, timed.call, result, suite.guesses);
  if (record.outcome.verdict == Verdict::pass) {
    record.outcome = verify_work(timed.call, *result.activity, name);
  }
  if (result.activity) record.activity = *result.activity;
  return record;
}

sim::Activity simulated_call(const Grading& grading, const StageTask& task, Who who) {
  RecordedCall record = record_call(grading, task, who);
  if (record.outcome.verdict != Verdict::pass) {
    throw TimingFailure(record.outcome.verdict, record.outcome.message);
  }
  return std::move(record.activity);
}

}  // namespace gridstride

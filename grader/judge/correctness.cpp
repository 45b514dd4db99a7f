// Cases and the runners that they need.
#include "grader/judge/correctness.h"

#include <algorithm>
#include <cstring>

#include "grader/judge/explain.h"

namespace gridstride {
namespace {

/// After so many runners lost, or so many calls that did not end, the rest is not tried.
constexpr int most_losses = 3, most_timeouts = 1;

/// Warp instructions of one launch on the simulated device. Cases are small: what needs more than
/// this does not end.
constexpr std::uint64_t instruction_budget = 100'000'000;

/// Any will do; it is the same in each run, so that results are.
constexpr std::uint64_t other_schedule_seed = 0x5eed;

}  // namespace

CaseOutcome judge_call(const CaseSpec& spec, const Call& call, const CallResult& result,
                       const std::vector<Guess>& guesses) {
  CaseOutcome outcome;
  const auto fail = [&](Verdict verdict, const std::string& message) {
    outcome.verdict = verdict;
    outcome.message = message;
    return outcome;
  };
  if (result.activity) {
    outcome.note = note_of(*result.activity);
    if (auto seen = outcome_of(*result.activity)) {
      seen->untouched = result.untouched;
      seen->note = outcome.note;
      seen->message = spec.name + ": " + seen->message;
      return *seen;
    }
  }
  if (result.error) {
    const std::string note = outcome.note;
    outcome = outcome_of(*result.error, result.said);
    outcome.note = note;
    outcome.message = spec.name + ": " + outcome.message;
    return outcome;
  }
  outcome.untouched = result.untouched;
  if (!result.damage.empty())
    return fail(Verdict::wrong, spec.name + ": " + explain(result.damage.front(), call));
  if (!result.changed_inputs.empty())
    return fail(Verdict::wrong, spec.name + ": " + explain(result.changed_inputs.front(), call));
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (!call.arguments[i].check) continue;
    const Mismatches wrong = call.arguments[i].check->compare(result.outputs[i]);
    if (wrong.count == 0) continue;
    const WrongAnswer answer{spec.name, spec.size, call, i, result.outputs[i], wrong};
    return fail(Verdict::wrong, explain(answer, result.untouched, guesses));
  }
  return outcome;
}

Correctness::Correctness(const Grading& grading, const StageTask& task)
    : grading_(grading),
      task_(task),
      outcomes_(task.contract->suite.cases.size()),
      key_(grading.key(task.config->name, task.source_text)) {}

Session& Correctness::session(bool other_schedule) {
  auto& session = sessions_[other_schedule];
  if (!session) {
    SessionOptions options;
    options.installation = &grading_.installation;
    options.gpu = grading_.gpu;
    options.library = task_.library;
    options.function = task_.contract->function;
    options.arguments = task_.contract->arguments;
    options.schedule_seed = other_schedule ? other_schedule_seed : 0;
    options.instruction_budget = instruction_budget;
    session = std::make_unique<Session>(options);
  }
  return *session;
}

void Correctness::release() {
  for (auto& session : sessions_) session.reset();
}

void Correctness::forget_lost(const CaseOutcome& outcome) {
  if (!outcome.runner_lost) return;
  release();
  ++losses_;
  timeouts_ += outcome.verdict == Verdict::timeout;
}

const CaseOutcome& Correctness::run(std::size_t index) {
  const CaseSpec& spec = task_.contract->suite.cases[index];
  CaseOutcome outcome;
  if (losses_ >= most_losses || timeouts_ >= most_timeouts) {
    outcome.verdict = Verdict::wrong;
    outcome.tried = false;
    outcome.message = spec.name + ": not tried, because earlier cases ended the process.";
  } else {
    outcome = attempt(spec);
    forget_lost(outcome);
  }
  return outcomes_[index].emplace(std::move(outcome));
}

CaseOutcome Correctness::attempt(const CaseSpec& spec) {
  CaseOutcome outcome;
  try {
    Rng rng(key_.with(spec.name));
    Call call = spec.make(rng);
    name_arguments(call, task_.contract->suite.names);
    Session& first_session = session(false);
    first_session.prepare(call);
    const CallResult first = first_session.run(call, Session::Seconds(grading_.call_limit()));
    outcome = judge_call(spec, call, first, task_.contract->suite.guesses);
    if (outcome.verdict != Verdict::pass || spec.repeat == Repeat::never) return outcome;
    return judge_again(spec, call, first).value_or(outcome);
  } catch (const RunnerError& error) {
    outcome = outcome_of(error, "");
  } catch (const std::exception& error) {
    outcome.verdict = Verdict::infrastructure;
    outcome.message = error.what();
    outcome.runner_lost = true;
  }
  outcome.message = spec.name + ": " + outcome.message;
  return outcome;
}

/// On a real device the second call meets whatever the first left behind; on the simulated one it
/// meets another order of blocks and warps.
std::optional<CaseOutcome> Correctness::judge_again(const CaseSpec& spec, const Call& call,
                                                    const CallResult& first) {
  const bool other_schedule = !grading_.gpu;
  Session& again = session(other_schedule);
  if (other_schedule) again.prepare(call);
  const CallResult second = again.run(call, Session::Seconds(grading_.call_limit()));
  CaseOutcome outcome = judge_call(spec, call, second, task_.contract->suite.guesses);
  if (outcome.verdict != Verdict::pass) {
    outcome.untouched = false;
    outcome.message +=
        other_schedule ? "\nOnly when blocks and warps run in another order: a missing barrier, or "
                         "a result that depends on who comes first."
                       : "\nOnly in the second of two equal calls: what the first left behind (a "
                         "counter, a static variable) is still there.";
    return outcome;
  }
  if (spec.repeat != Repeat::same_bits) return std::nullopt;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (first.outputs[i] == second.outputs[i]) continue;
    const Mismatches none;
    outcome.verdict = Verdict::wrong;
    outcome.message = explain_difference({spec.name, spec.size, call, i, second.outputs[i], none},
                                         first.outputs[i], other_schedule);
    return outcome;
  }
  return std::nullopt;
}

Correctness::Summary Correctness::summary() const {
  Summary summary;
  std::vector<SizedCase> sizes;
  const CaseOutcome* worst = nullptr;
  summary.untouched = true;
  summary.cases.total = static_cast<int>(outcomes_.size());
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    if (!outcomes_[i]) {
      ++summary.not_run;
      continue;
    }
    const CaseOutcome& outcome = *outcomes_[i];
    const bool passed = outcome.verdict == Verdict::pass;
    summary.cases.passed += passed;
    summary.untouched &= outcome.untouched || task_.contract->suite.cases[i].size == 0;
    if (summary.note.empty()) summary.note = outcome.note;
    if (outcome.tried) sizes.push_back({task_.contract->suite.cases[i].size, passed});
    if (passed || !outcome.tried) continue;
    // What is the student's to mend comes before what is not, and a wrong result tells more than
    // none.
    const auto rank = [](const CaseOutcome& one) {
      const int verdict =
          one.verdict == Verdict::infrastructure ? 0 : static_cast<int>(one.verdict);
      return 2 * verdict + (one.untouched ? 0 : 1);
    };
    if (worst == nullptr || rank(outcome) > rank(*worst)) worst = &outcome;
  }
  if (worst == nullptr) return summary;
  summary.verdict = worst->verdict;
  summary.message = worst->message;
  if (summary.verdict == Verdict::wrong && !summary.untouched && losses_ == 0) {
    if (const auto words = explain_sizes(sizes)) summary.message += "\n" + *words;
  }
  return summary;
}

}  // namespace gridstride

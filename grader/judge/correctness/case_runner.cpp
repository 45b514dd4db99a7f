// Cases and the runners that they need.
#include "grader/judge/correctness/case_runner.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/device/control.h"
#include "grader/judge/correctness/explain.h"
#include "grader/judge/runners/link_retry.h"

namespace gridstride {
namespace {

/// After so many cases in a row that each took a runner with it, or that each ended by a refused call, or
/// so many calls that did not end, the rest is not tried. Three sizes side by side may ask for an empty
/// grid where all others are right.
constexpr int most_losses_in_a_row = 3, most_refusals_in_a_row = 10, most_timeouts = 1;

/// Warp instructions of one launch on the simulated device. Cases are small: what needs more than
/// this does not end.
constexpr std::uint64_t case_instructions = 100'000'000;

/// Any will do; it is the same in each run, so that results are.
constexpr std::uint64_t other_schedule_seed = 0x5eed;

/// Does `work`; what it throws becomes what came of the case.
template <class Work>
void guarded(const CaseSpec& spec, CaseOutcome& outcome, Work work) {
  try {
    work();
    return;
  } catch (const RunnerError& error) {
    outcome = outcome_of(error, "");
  } catch (const sim::DeviceProcessError& error) {
    outcome = outcome_of(error);
  } catch (const std::exception& error) {
    outcome.verdict = Verdict::infrastructure;
    outcome.message = error.what();
    outcome.runner_lost = true;
  }
  outcome.message = spec.name + ": " + outcome.message;
}

/// But for what kernels printed.
CaseOutcome judge_results(const CaseSpec& spec, const Call& call, const CallResult& result,
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
    outcome = outcome_of(*result.error, result.said,
                         result.activity ? result.activity->refusals : std::vector<std::string>());
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

}  // namespace

CaseOutcome judge_call(const CaseSpec& spec, const Call& call, const CallResult& result,
                       const std::vector<Guess>& guesses) {
  CaseOutcome outcome = judge_results(spec, call, result, guesses);
  if (result.activity) outcome.printed = words_about(result.activity->printed);
  return outcome;
}

CaseRunner::CaseRunner(const Grading& grading, const StageTask& task)
    : grading_(grading), task_(task), key_(grading.key(task.config->name, task.source_text)) {}

Session& CaseRunner::session(bool other_schedule) {
  auto& session = sessions_[other_schedule];
  if (!session || !session->usable()) {
    SessionOptions options;
    options.installation = &grading_.installation;
    options.gpu = grading_.gpu;
    options.library = task_.library;
    options.function = task_.contract->function;
    options.arguments = task_.contract->arguments;
    options.clock = task_.clock;
    options.started = grading_.found_device;
    options.schedule_seed = other_schedule ? other_schedule_seed : 0;
    options.instruction_budget = case_instructions;
    auto loaded = std::make_unique<Session>(options);
    loaded->load();
    session = std::move(loaded);
  }
  return *session;
}

void CaseRunner::release() {
  for (auto& session : sessions_) session.reset();
}

void CaseRunner::settle(const CaseOutcome& outcome) {
  if (!outcome.runner_lost) {
    if (outcome.tried) losses_in_a_row_ = refusals_in_a_row_ = 0;
    return;
  }
  release();
  if (outcome.link_lost) {
    link_lost_ = outcome.message;
    return;
  }
  ++losses_;
  ++(outcome.refused ? refusals_in_a_row_ : losses_in_a_row_);
  timeouts_ += outcome.verdict == Verdict::timeout;
}

std::optional<CaseOutcome> CaseRunner::given_up(const CaseSpec& spec) const {
  if (!link_lost_.empty()) {
    CaseOutcome outcome;
    outcome.verdict = Verdict::infrastructure;
    outcome.tried = false;
    outcome.message = link_lost_;
    return outcome;
  }
  if (losses_in_a_row_ < most_losses_in_a_row && refusals_in_a_row_ < most_refusals_in_a_row &&
      timeouts_ < most_timeouts)
    return std::nullopt;
  CaseOutcome outcome;
  outcome.verdict = Verdict::wrong;
  outcome.tried = false;
  outcome.message = spec.name + ": not tried, because the cases before it ended the process.";
  return outcome;
}

Call CaseRunner::make(const CaseSpec& spec) const {
  Rng rng(key_.with(spec.name));
  Call call = spec.make(rng);
  name_arguments(call, task_.contract->suite);
  return call;
}

FirstCall CaseRunner::first(const CaseSpec& spec, const std::function<Call()>& made) {
  FirstCall first;
  guarded(spec, first.outcome, [&] {
    first.call = made();
    with_link(
        [&] {
          Session& in_order = session(false);
          in_order.prepare(first.call);
          first.result = in_order.run(first.call, Session::Seconds(grading_.call_limit()));
        },
        [this] { sessions_[false].reset(); });
    first.outcome = judge_call(spec, first.call, first.result, task_.contract->suite.guesses);
    first.again = first.outcome.verdict == Verdict::pass && spec.repeat != Repeat::never;
  });
  // Such a case is about launches. A stage that has no room for so many elements on the host, say, is
  // judged by what it does where it can be called.
  const bool found = first.result.activity && outcome_of(*first.result.activity);
  if (spec.too_large && !found && first.outcome.verdict != Verdict::infrastructure) {
    const bool lost = first.outcome.runner_lost, refused = first.outcome.refused;
    first.outcome = {};
    first.outcome.runner_lost = lost;
    first.outcome.refused = refused;
  }
  return first;
}

CaseOutcome CaseRunner::second(const CaseSpec& spec, const FirstCall& first, CallResult* seen) {
  CaseOutcome outcome = first.outcome;
  CallResult result;
  guarded(spec, outcome, [&] { judge_second(spec, first, outcome, result); });
  if (seen != nullptr) *seen = std::move(result);
  return outcome;
}

/// Leaves `outcome`, that of the first call, as it is when all is right.
void CaseRunner::judge_second(const CaseSpec& spec, const FirstCall& first, CaseOutcome& outcome,
                              CallResult& result) {
  const bool other_schedule = !grading_.gpu;
  with_link(
      [&] {
        const bool has_the_call = !other_schedule && sessions_[false] && sessions_[false]->usable();
        Session& again = session(other_schedule);
        if (!has_the_call) again.prepare(first.call);
        result = again.run(first.call, Session::Seconds(grading_.call_limit()));
      },
      [&] { sessions_[other_schedule].reset(); });
  CaseOutcome seen = judge_call(spec, first.call, result, task_.contract->suite.guesses);
  if (seen.verdict != Verdict::pass) {
    outcome = std::move(seen);
    outcome.untouched = false;
    outcome.message +=
        other_schedule ? "\nOnly when blocks and warps run in another order: a missing barrier, or "
                         "a result that depends on who comes first."
                       : "\nOnly in the second of two equal calls: what the first left behind (a "
                         "counter, a static variable) is still there.";
    return;
  }
  if (spec.repeat != Repeat::same_bits) return;
  for (std::size_t i = 0; i < first.call.arguments.size(); ++i) {
    if (first.result.outputs[i] == result.outputs[i]) continue;
    const Mismatches none;
    outcome = std::move(seen);
    outcome.verdict = Verdict::wrong;
    outcome.message =
        explain_difference({spec.name, spec.size, first.call, i, result.outputs[i], none},
                           first.result.outputs[i], other_schedule);
    return;
  }
}

}  // namespace gridstride

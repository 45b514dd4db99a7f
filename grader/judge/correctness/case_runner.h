// Runs the cases of one stage, each against its oracle, on as few runners as will do.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/judge/cases/call.h"
#include "grader/judge/cases/random.h"
#include "grader/judge/cases/suite.h"
#include "grader/judge/correctness/outcome.h"
#include "grader/judge/runners/grading.h"
#include "grader/judge/runners/session.h"

namespace gridstride {

/// A case after its first call.
struct FirstCall {
  Call call;
  CallResult result;
  CaseOutcome outcome;
  bool again = false;  ///< right so far, and there is to be a second call
};

/// A case is first(), then second() where that is wanted, then settle(). On a simulated device
/// first() and second() have runners and devices of their own: the first call of one case and the
/// second of another may be made at the same time, by two threads.
class CaseRunner {
 public:
  CaseRunner(const Grading& grading, const StageTask& task);

  /// So many runners were lost one after the other, or the device for good, that no case is tried any
  /// more: what is said of `spec` then.
  std::optional<CaseOutcome> given_up(const CaseSpec& spec) const;
  /// A case's inputs and right answers, equal each time; throws what making them throws.
  Call make(const CaseSpec& spec) const;
  /// Makes one call with what `made` returns for the case; never throws.
  FirstCall first(const CaseSpec& spec, const std::function<Call()>& made);
  /// On a real device the second call meets whatever the first left behind; on the simulated one it
  /// meets another order of blocks and warps. Never throws.
  /// `seen`, where there is one, becomes what that call did.
  CaseOutcome second(const CaseSpec& spec, const FirstCall& first, CallResult* seen = nullptr);
  /// Takes note of what came of a case: after a lost runner all begin anew.
  void settle(const CaseOutcome& outcome);
  /// Ends the runners; cases may still be run afterwards.
  void release();
  /// Runners lost so far.
  int losses() const { return losses_; }

 private:
  Session& session(bool other_schedule);
  void judge_second(const CaseSpec& spec, const FirstCall& first, CaseOutcome& outcome,
                    CallResult& result);

  const Grading& grading_;
  const StageTask& task_;
  std::unique_ptr<Session> sessions_[2];  ///< in launch order, in random order
  RandomKey key_;
  int losses_ = 0, losses_in_a_row_ = 0, refusals_in_a_row_ = 0, timeouts_ = 0;
  std::string link_lost_;  ///< what is said of the cases after that
};

/// Compares all outputs and looks at what else the call did; the first thing that is wrong.
CaseOutcome judge_call(const CaseSpec& spec, const Call& call, const CallResult& result,
                       const std::vector<Guess>& guesses);

}  // namespace gridstride

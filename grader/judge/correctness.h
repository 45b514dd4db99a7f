// Is a stage right? Runs its cases, each against its oracle, on as few runners as will do.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "grader/judge/grading.h"
#include "grader/judge/outcome.h"
#include "grader/judge/session.h"

namespace gridstride {

class Correctness {
 public:
  Correctness(const Grading& grading, const StageTask& task);

  /// Runs one case of the contract's suite; never throws.
  const CaseOutcome& run(std::size_t index);
  /// Ends the runners; cases may still be run afterwards.
  void release();

  struct Summary {
    CaseCount cases;
    int not_run = 0;  ///< left out by the user's filter
    Verdict verdict = Verdict::pass;
    std::string message;
    std::string note;        ///< of the first case that has one
    bool untouched = false;  ///< no case wrote anything
  };
  Summary summary() const;

 private:
  CaseOutcome attempt(const CaseSpec& spec);
  std::optional<CaseOutcome> judge_again(const CaseSpec& spec, const Call& call,
                                         const CallResult& first);
  Session& session(bool other_schedule);
  void forget_lost(const CaseOutcome& outcome);

  const Grading& grading_;
  const StageTask& task_;
  std::unique_ptr<Session> sessions_[2];  ///< in launch order, in random order
  std::vector<std::optional<CaseOutcome>> outcomes_;
  RandomKey key_;
  int losses_ = 0, timeouts_ = 0;
};

/// Compares all outputs and looks at what else the call did; the first thing that is wrong.
CaseOutcome judge_call(const CaseSpec& spec, const Call& call, const CallResult& result,
                       const std::vector<Guess>& guesses);

}  // namespace gridstride

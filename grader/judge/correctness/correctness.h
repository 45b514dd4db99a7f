// Is a stage right? What came of its cases, and what that says of the stage.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "grader/judge/cases/suite.h"
#include "grader/judge/correctness/calls_ahead.h"
#include "grader/judge/correctness/case_prefetch.h"
#include "grader/judge/correctness/case_runner.h"
#include "grader/judge/correctness/outcome.h"
#include "grader/judge/correctness/priority_semaphore.h"
#include "grader/judge/runners/grading.h"
#include "grader/report/results.h"

namespace gridstride {

class Correctness {
 public:
  Correctness(const Grading& grading, const StageTask& task);

  /// Begins to run the named cases in the background, in that order; run() waits for each. Of the
  /// simulated device only. May be called again, when they are to run once more.
  void run_ahead(const std::vector<std::string>& names, Background& background, int rank);
  /// The named cases will run in that order: while one runs, `ahead` of the next are made. Where
  /// nothing else is run ahead.
  void make_ahead(const std::vector<std::string>& names, std::size_t ahead);
  /// Runs one case of the contract's suite, or says what came of it in the background.
  const CaseOutcome& run(std::size_t index);
  /// Ends what runs in the background, and the runners.
  void release();

  struct Summary {
    CaseCount cases;
    int not_run = 0;  ///< left out by the user's filter
    Verdict verdict = Verdict::pass;
    std::string message;
    std::string failed_case;         ///< that the message tells of
    bool case_too_large = false;     ///< it is one of CaseOptions::too_large() or gpu_only()
    sim::SourcePosition where = {};  ///< of the message, where the simulated device saw a mistake
    std::string note;                ///< of the first case that has one
    bool untouched = false;          ///< no case wrote anything
  };
  Summary summary() const;

 private:
  CaseOutcome run_now(std::size_t index);
  std::vector<std::size_t> indices(const std::vector<std::string>& names) const;

  const std::vector<CaseSpec>& cases_;
  bool sizes_are_lengths_;  ///< and not products of rows and columns, which say nothing of blocks
  std::vector<std::optional<CaseOutcome>> outcomes_;
  CaseRunner runner_;
  std::optional<CallsAhead> calls_;       ///< uses those above
  std::optional<CasePrefetch> prefetch_;  ///< so does this
};

}  // namespace gridstride

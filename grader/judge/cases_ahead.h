// Runs a stage's cases in the background on the simulated device: while the second call of a case
// is made, so is the first of the next one. What comes of each is what would come of it if they
// were run one after another.
#pragma once

#include <atomic>
#include <cstddef>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "grader/judge/case_runner.h"
#include "grader/judge/outcome.h"
#include "grader/judge/suite.h"
#include "grader/judge/turns.h"

namespace gridstride {

class CasesAhead {
 public:
  /// Begins with the cases that `order` names, when it is their turn. All references must outlive
  /// this.
  CasesAhead(CaseRunner& runner, const std::vector<CaseSpec>& cases, std::vector<std::size_t> order,
             Background& background, int rank);
  /// Waits for the calls that are being made; no further one begins.
  ~CasesAhead();
  CasesAhead(const CasesAhead&) = delete;
  CasesAhead& operator=(const CasesAhead&) = delete;

  /// Waits until it is known what came of case `index`; to be asked once of each. Throws what kept
  /// it from being run, Cancelled included.
  CaseOutcome outcome(std::size_t index);

 private:
  /// A case whose second call is being made.
  struct Second {
    std::size_t index;
    FirstCall first;
    std::future<CaseOutcome> outcome;  ///< uses `first`
  };
  void run();
  std::optional<FirstCall> make_first(const CaseSpec& spec);
  std::unique_ptr<Second> begin_second(std::size_t index, FirstCall first);
  bool lost_in(Second& second);
  template <class Work>
  auto in_turn(Work work);

  CaseRunner& runner_;
  const std::vector<CaseSpec>& cases_;
  const std::vector<std::size_t> order_;
  Background& background_;
  const int rank_;
  std::map<std::size_t, std::promise<CaseOutcome>> promises_;
  std::map<std::size_t, std::future<CaseOutcome>> outcomes_;
  std::atomic<bool> unwanted_ = false;
  std::thread thread_;
};

}  // namespace gridstride

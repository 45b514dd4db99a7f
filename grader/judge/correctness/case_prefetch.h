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

#include "grader/judge/cases/suite.h"
#include "grader/judge/correctness/case_runner.h"
#include "grader/judge/correctness/outcome.h"
#include "grader/judge/correctness/priority_semaphore.h"

namespace gridstride {

class CasePrefetch {
 public:
  /// Begins with the cases that `order` names, when the stage has its permit. All references
  /// must outlive this.
  CasePrefetch(CaseRunner& runner, const std::vector<CaseSpec>& cases,
               std::vector<std::size_t> order, Background& background, int rank);
  /// Waits for the calls that are being made; no further one begins.
  ~CasePrefetch();
  CasePrefetch(const CasePrefetch&) = delete;
  CasePrefetch& operator=(const CasePrefetch&) = delete;

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
  auto with_permit(Work work);

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

// The timed calls of one run on the simulated device, each made once: of every stage, and of the
// baseline for every function of the contract.
#pragma once

#include <future>
#include <map>
#include <string>

#include "common/simulator/device/device.h"
#include "grader/judge/correctness/priority_semaphore.h"
#include "grader/judge/runners/grading.h"

namespace gridstride {

class TimedCalls {
 public:
  /// Without `background` every call is made when it is asked for. Both must outlive this.
  TimedCalls(const Grading& grading, Background* background)
      : grading_(grading), background_(background) {}

  /// Begins the calls of a stage and of its baseline in the background; does nothing without one.
  /// `task` must outlive this.
  void begin(const StageTask& task, int rank);
  /// Modelled seconds of the baseline's call. Throws CannotGrade.
  double baseline_seconds(const StageTask& task);
  /// What the stage's call did; to be asked once. Throws as simulated_call() does.
  sim::Activity stage(const StageTask& task);

 private:
  template <class Work>
  auto begin(int rank, Work work);
  void need_baseline(const StageTask& task, int rank);
  void need_stage(const StageTask& task, int rank);

  const Grading& grading_;
  Background* background_;
  std::map<std::string, std::shared_future<double>> baselines_;  ///< by function
  std::map<std::string, std::future<sim::Activity>> stages_;
};

}  // namespace gridstride

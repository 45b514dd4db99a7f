// Calls are futures: deferred ones where nothing runs in the background.
#include "grader/judge/timing/timed_calls.h"

#include <exception>
#include <future>
#include <string>

#include "grader/judge/sources/unbuilt.h"
#include "grader/judge/timing/simulated_call.h"

namespace gridstride {

template <class Work>
auto TimedCalls::begin(int rank, Work work) {
  if (background_ == nullptr) return std::async(std::launch::deferred, std::move(work));
  return std::async(std::launch::async, [&calls = background_->calls, rank,
                                         work = std::move(work)] { return calls.run(rank, work); });
}

void TimedCalls::need_baseline(const StageTask& task, int rank) {
  if (baselines_.count(task.contract->function) != 0) return;
  baselines_[task.contract->function] = begin(rank, [this, &task] {
    need_baseline_library(grading_, task);
    try {
      return simulated_call(grading_, task, Who::baseline).seconds;
    } catch (const std::exception& error) {
      throw CannotGrade(std::string("the baseline cannot be timed: ") + error.what());
    }
  });
}

void TimedCalls::need_stage(const StageTask& task, int rank) {
  if (stages_.count(task.config->name) != 0) return;
  stages_[task.config->name] =
      begin(rank, [this, &task] { return simulated_call(grading_, task, Who::stage); });
}

void TimedCalls::begin(const StageTask& task, int rank) {
  if (background_ == nullptr) return;
  need_baseline(task, rank);
  need_stage(task, rank);
}

double TimedCalls::baseline_seconds(const StageTask& task) {
  need_baseline(task, 0);
  return baselines_.at(task.contract->function).get();
}

sim::Activity TimedCalls::stage(const StageTask& task) {
  need_stage(task, 0);
  return stages_.at(task.config->name).get();
}

}  // namespace gridstride

// Sessions of baselines whose timer has ended, for the next one: to start a process on a GPU takes tenths of a second,
// in which nobody can be timed.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "grader/judge/runners/grading.h"
#include "grader/judge/runners/session.h"

namespace gridstride {

/// A baseline is the course's own code, which leaves nothing behind that its next calls could gain by. What students
/// wrote never gets here. Thread-safe.
class SpareBaselines {
 public:
  /// One that has this task's baseline loaded, to be prepared for its call; null where there is none.
  std::unique_ptr<Session> take(const StageTask& task) {
    const std::scoped_lock lock(mutex_);
    const auto fits = std::ranges::find_if(spare_, [&](const Spare& spare) {
      return spare.contract == task.contract && spare.library == task.baseline;
    });
    if (fits == spare_.end()) return nullptr;
    std::unique_ptr<Session> session = std::move(fits->session);
    spare_.erase(fits);
    return session;
  }
  /// The session of `task`'s baseline, which has had no error.
  void give(const StageTask& task, std::unique_ptr<Session> session) {
    const std::scoped_lock lock(mutex_);
    spare_.push_back({task.contract, task.baseline, std::move(session)});
  }

 private:
  struct Spare {
    const Contract* contract;
    std::filesystem::path library;
    std::unique_ptr<Session> session;
  };
  std::mutex mutex_;
  std::vector<Spare> spare_;
};

}  // namespace gridstride

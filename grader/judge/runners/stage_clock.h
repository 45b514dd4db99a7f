// What all calls of a stage may take together.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "grader/judge/runners/time_taken.h"

namespace gridstride {

/// The time that the judge has waited for a stage's runners, against what lab.toml's stage_seconds
/// allows. Each request has its own limit besides; this one is for a stage that stays just below it
/// every time. Waiting for other stages, and the judge's own work, are not in it. Thread-safe.
class StageClock {
 public:
  using Seconds = std::chrono::duration<double>;

  explicit StageClock(Seconds budget) : budget_(budget) {}

  Seconds budget() const { return budget_; }
  Seconds used() const { return std::chrono::nanoseconds(nanoseconds_.load()); }
  Seconds left() const { return budget_ - used(); }
  void spend(Seconds time) {
    nanoseconds_ += std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  }

 private:
  Seconds budget_;
  std::atomic<std::int64_t> nanoseconds_ = 0;
};

/// Counts the time until its end as the stage's, as TimeTaken does for `device`, a process. A null clock counts nothing.
class OnTheClock {
 public:
  explicit OnTheClock(StageClock* clock, pid_t device) : taken_(device), clock_(clock) {}
  ~OnTheClock() {
    if (clock_ != nullptr) clock_->spend(taken_.so_far());
  }
  OnTheClock(const OnTheClock&) = delete;
  OnTheClock& operator=(const OnTheClock&) = delete;

  TimeTaken::Seconds so_far() const { return taken_.so_far(); }

 private:
  TimeTaken taken_;
  StageClock* clock_;
};

}  // namespace gridstride

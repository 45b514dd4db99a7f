// How fast is a stage, against the baseline? One pair of calls at a time, the baseline's and the
// stage's, each in a runner of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <string>

#include "common/simulator/device/device.h"
#include "grader/judge/runners/grading.h"
#include "grader/judge/timing/gpu_record.h"
#include "grader/judge/timing/spare_baselines.h"
#include "grader/judge/timing/timed_calls.h"
#include "grader/report/results.h"

namespace gridstride {

/// A timed call went wrong in a way that decides the stage's verdict.
class TimingFailure : public std::runtime_error {
 public:
  TimingFailure(Verdict verdict, const std::string& message)
      : std::runtime_error(message), verdict_(verdict) {}
  Verdict verdict() const { return verdict_; }

 private:
  Verdict verdict_;
};

struct Pair {
  double student = 0, baseline = 0;  ///< seconds
};

struct Measurement {
  Speedup speedup;
  Seconds seconds;
  /// The interval still holds the required speedup after the longer look.
  bool undecided = false;
  std::optional<sim::Activity> activity;  ///< of the simulated device
  /// Where the time was measured, the most that left the device in any call.
  std::optional<std::uint64_t> device_to_host_bytes;
  /// The same, where the driver tells: what the GPU was like.
  std::optional<GpuConditions> conditions;
  /// Where it is below the required speedup and the GPU may be to blame: how, in a sentence.
  std::string why_not_slow;
};

/// Times one stage. start(), next() as often as wanted, finish(); each may throw TimingFailure,
/// RunnerError (of the student's runner only) and CannotGrade.
class Timer {
 public:
  virtual ~Timer() = default;
  /// Begins in the background what needs no device, well before start(), which does it otherwise.
  virtual void begin_early() {}
  virtual void start() = 0;
  /// One call of each.
  virtual Pair next() = 0;
  /// Looks longer where that is needed to decide, and adds up.
  virtual Measurement finish() = 0;
  /// Pairs that next() should be asked for.
  virtual int pairs() const = 0;
};

/// What the timers of one run share. On the simulated device `calls` are asked; on a real one only
/// the timer that holds `gpu` makes calls.
struct SharedByTimers {
  /// Without `background` every call is made when it is asked for. Both must outlive this.
  SharedByTimers(const Grading& grading, Background* background)
      : calls(grading, background), watch(watch_for(grading)) {}
  /// Of the GPU that grades, here or on another host; null where nothing tells.
  static std::unique_ptr<GpuWatch> watch_for(const Grading& grading);

  TimedCalls calls;
  std::mutex gpu;
  /// Shared by those that draw inputs or check answers, and held alone, besides `gpu`, for calls that wait
  /// for the GPU: how soon they hear from it is in their time, and depends on what the host is at.
  std::shared_mutex host;
  std::unique_ptr<GpuWatch> watch;  ///< of the real one; null where nothing tells
  SpareBaselines baselines;         ///< on the real one
};

/// `shared` must outlive the timer.
std::unique_ptr<Timer> make_timer(const Grading& grading, const StageTask& task, double required,
                                  SharedByTimers& shared);

/// Inputs, answers and results of timed calls are hundreds of megabytes, made anew and freed again all
/// the time, and to get fresh pages takes longer than to fill them. From here on this process keeps
/// what it frees.
void keep_freed_memory();

/// How many stages are timed side by side: while one has the GPU, others draw inputs and check
/// answers. 1 on the simulated device, whose calls run in the background anyway.
int timed_at_once(const Grading& grading);

/// The size of lab.toml's timing_size for the device; CannotGrade when there is none.
std::int64_t timing_size(const Grading& grading, bool gpu);

}  // namespace gridstride

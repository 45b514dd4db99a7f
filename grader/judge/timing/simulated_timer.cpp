// Timing on the simulated device: one launch of each tells all, because its time is computed.
#include <utility>

#include "grader/judge/timing/timers.h"

namespace gridstride {

SimulatedTimer::SimulatedTimer(const StageTask& task, double required, TimedCalls& calls)
    : task_(task), required_(required), calls_(calls) {}

void SimulatedTimer::start() { pair_.baseline = calls_.baseline_seconds(task_); }

Pair SimulatedTimer::next() {
  activity_ = calls_.stage(task_);
  pair_.student = activity_.seconds;
  if (!(pair_.student > 0))
    throw TimingFailure(Verdict::suspicious, "timed call: no modelled time has passed.");
  return pair_;
}

Measurement SimulatedTimer::finish() {
  Measurement measurement;
  const double value = pair_.baseline / pair_.student;
  measurement.speedup = {value, value, value, required_};
  measurement.seconds.student = pair_.student;
  measurement.seconds.baseline = pair_.baseline;
  measurement.activity = std::move(activity_);
  return measurement;
}

}  // namespace gridstride

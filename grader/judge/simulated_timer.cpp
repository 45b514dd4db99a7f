// Timing on the simulated device: one launch of each tells all, because its time is computed.
#include "grader/judge/simulated_call.h"
#include "grader/judge/timers.h"

namespace gridstride {

SimulatedTimer::SimulatedTimer(const Grading& grading, const StageTask& task, double required,
                               BaselineTimes& baselines)
    : grading_(grading), task_(task), required_(required), baselines_(baselines) {}

void SimulatedTimer::start() {
  const std::string& function = task_.contract->function;
  if (baselines_.count(function) == 0) {
    try {
      baselines_[function] = simulated_call(grading_, task_, Who::baseline).seconds;
    } catch (const std::exception& error) {
      throw CannotGrade(std::string("the baseline cannot be timed: ") + error.what());
    }
  }
  pair_.baseline = baselines_[function];
}

Pair SimulatedTimer::next() {
  activity_ = simulated_call(grading_, task_, Who::stage);
  pair_.student = activity_.seconds;
  if (!(pair_.student > 0))
    throw TimingFailure(Verdict::suspicious, "timed call: no modelled time has passed.");
  return pair_;
}

Measurement SimulatedTimer::finish() {
  Measurement measurement;
  const double value = pair_.baseline / pair_.student;
  measurement.speedup = {value, value, value, required_};
  measurement.seconds = {pair_.student, pair_.baseline};
  measurement.activity = std::move(activity_);
  return measurement;
}

}  // namespace gridstride

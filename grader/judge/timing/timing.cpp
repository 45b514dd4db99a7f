// Chooses the timer.
#include "grader/judge/timing/timing.h"

#include <cstdint>
#include <memory>
#include <string>

#include "grader/judge/timing/timers.h"

namespace gridstride {

std::unique_ptr<Timer> make_timer(const Grading& grading, const StageTask& task, double required,
                                  TimedCalls& calls) {
  if (grading.gpu) return std::make_unique<MeasuringTimer>(grading, task, required);
  return std::make_unique<SimulatedTimer>(task, required, calls);
}

std::int64_t timing_size(const Grading& grading, bool gpu) {
  const std::string kind = gpu ? "gpu" : "sim";
  const auto found = grading.lab.timing_size.find(kind);
  if (found == grading.lab.timing_size.end())
    throw CannotGrade("lab.toml names no timing_size for " + kind);
  return found->second;
}

}  // namespace gridstride

// Chooses the timer.
#include "grader/judge/timing/timing.h"

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include "grader/judge/timing/linked_watch.h"
#include "grader/judge/timing/timers.h"

namespace gridstride {

std::unique_ptr<GpuWatch> SharedByTimers::watch_for(const Grading& grading) {
  const std::string& place = grading.hardware.pci_bus_id;
  if (!grading.gpu) return nullptr;
  if (const auto& host = grading.installation.host) return watch_of_host(*host, place);
  return GpuWatch::open(place);
}

std::unique_ptr<Timer> make_timer(const Grading& grading, const StageTask& task, double required,
                                  SharedByTimers& shared) {
  if (grading.gpu) return std::make_unique<MeasuringTimer>(grading, task, required, shared);
  return std::make_unique<SimulatedTimer>(task, required, shared.calls);
}

void keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

int timed_at_once(const Grading& grading) {
  constexpr int most = 4;
  constexpr unsigned cores_each = 4;
  constexpr std::uint64_t memory_each = std::uint64_t{12} << 30;  // two processes, inputs, results
  if (!grading.gpu) return 1;
  const std::uint64_t by_memory = grading.hardware.global_memory / memory_each;
  const unsigned by_cores = std::thread::hardware_concurrency() / cores_each;
  return static_cast<int>(
      std::clamp<std::uint64_t>(std::min<std::uint64_t>(by_memory, by_cores), 1, most));
}

std::int64_t timing_size(const Grading& grading, bool gpu) {
  const std::string kind = gpu ? "gpu" : "sim";
  const auto found = grading.lab.timing_size.find(kind);
  if (found == grading.lab.timing_size.end())
    throw CannotGrade("lab.toml names no timing_size for " + kind);
  return found->second;
}

}  // namespace gridstride

#include "grader/judge/runners/time_taken.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>

namespace gridstride {
namespace {

constexpr double least_share = 1.0 / 4;

/// Linux, Documentation/scheduler/sched-stats.rst: nanoseconds on a processor, then nanoseconds in which the thread
/// waited on a run queue.
TimeTaken::Seconds waited(pid_t process) {
  std::uint64_t on_processor = 0, ready = 0;
  if (process > 0)
    std::ifstream("/proc/" + std::to_string(process) + "/schedstat") >> on_processor >> ready;
  return std::chrono::nanoseconds(ready);
}

}  // namespace

TimeTaken::TimeTaken(pid_t process) : process_(process), waited_before_(waited(process)) {}

TimeTaken::Seconds TimeTaken::so_far() const {
  const Seconds gone = std::chrono::steady_clock::now() - begin_;
  const Seconds waited_since = std::max(waited(process_) - waited_before_, Seconds(0));
  return std::max(gone - waited_since, gone * least_share);
}

}  // namespace gridstride

// How long a request to a stage has taken, fairly: on a node that others keep busy nobody loses points by it.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace gridstride {

/// Counts from its construction on what goes by, without the time in which a process (its first thread) was ready and
/// no processor was free. A process that sleeps, and one that computes, are charged for all of it.
class TimeTaken {
 public:
  using Seconds = std::chrono::duration<double>;

  /// `process`: the device's, whose first thread runs the simulated kernels; -1: all that goes by counts, as where
  /// this host does not tell (/proc/PID/schedstat), or the process has ended.
  explicit TimeTaken(pid_t process);

  /// Never less than a quarter of what has gone by, so that nobody waits for ever: student code can start so many
  /// threads that the device process waits for most of the time.
  Seconds so_far() const;

 private:
  pid_t process_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Seconds waited_before_;
};

}  // namespace gridstride

// Work on the simulated device that goes on at the same time: so much at once, and no more.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <utility>

namespace gridstride {

/// What was asked for is not wanted any more.
struct Cancelled {};

/// A counting semaphore with `at_once` permits. Of the threads that wait, the lowest rank gets the
/// next one, and of equal ranks who asked first. Thread-safe.
class PrioritySemaphore {
 public:
  explicit PrioritySemaphore(int at_once) : free_(at_once) {}

  /// Waits for a permit, works, and gives it back. Returns what `work` returns and throws what it
  /// throws; Cancelled when it has not begun before cancel().
  template <class Work>
  auto run(int rank, Work work) {
    const Permit permit(*this, rank);
    return work();
  }

  /// No work begins from now on.
  void cancel();

 private:
  struct Permit {
    Permit(PrioritySemaphore& semaphore, int rank) : semaphore_(semaphore) {
      semaphore_.acquire(rank);
    }
    ~Permit() { semaphore_.release(); }
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;
    PrioritySemaphore& semaphore_;
  };
  void acquire(int rank);
  void release();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::pair<int, std::uint64_t>> waiting_;  ///< rank and number
  std::uint64_t asked_ = 0;
  int free_;
  bool cancelled_ = false;
};

/// What a grader does at once. Each call holds a permit, and waits for nothing but the call
/// meanwhile. So does each stage while its cases run: it keeps two runners and devices, and two of
/// its calls may be made at once.
struct Background {
  explicit Background(int jobs) : calls(jobs), stages(jobs / 2 + 1) {}
  void cancel() {
    stages.cancel();
    calls.cancel();
  }
  PrioritySemaphore calls, stages;
};

}  // namespace gridstride

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

/// Lets threads work in turns, at most `at_once` of them at a time: those of the lowest rank first,
/// of equal rank in the order in which they asked. Thread-safe.
class Turns {
 public:
  explicit Turns(int at_once) : free_(at_once) {}

  /// Waits for a turn, works, and gives it back. Returns what `work` returns and throws what it
  /// throws; Cancelled when it has not begun before cancel().
  template <class Work>
  auto take(int rank, Work work) {
    const Turn turn(*this, rank);
    return work();
  }

  /// No work begins from now on.
  void cancel();

 private:
  struct Turn {
    Turn(Turns& turns, int rank) : turns_(turns) { turns_.enter(rank); }
    ~Turn() { turns_.leave(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    Turns& turns_;
  };
  void enter(int rank);
  void leave();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::pair<int, std::uint64_t>> waiting_;  ///< rank and number
  std::uint64_t asked_ = 0;
  int free_;
  bool cancelled_ = false;
};

/// What a grader does at once. Each call takes a turn, in which nothing is waited for but the call.
/// So does each stage while its cases run: it keeps two runners and devices, and two of its calls
/// may be made at once.
struct Background {
  explicit Background(int jobs) : calls(jobs), stages(jobs / 2 + 1) {}
  void cancel() {
    stages.cancel();
    calls.cancel();
  }
  Turns calls, stages;
};

}  // namespace gridstride

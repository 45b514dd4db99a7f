// Asynchronous copies of one block (cp.async): which have begun and not been waited for.
//
// The data moves when a copy begins; what is kept is that nobody may count on it yet. A thread's
// copies arrive in the order in which it began them, so what it knows to have arrived is a number:
// all it has begun before.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simulator/check/by_thread.h"

namespace gridstride::sim {

class HappensBefore;
class SharedRaceChecker;

class AsyncCopies {
 public:
  explicit AsyncCopies(HappensBefore& order) : order_(order) {}

  void start_block();

  /// `thread` begins to copy `bytes` to shared memory at `offset`; they are there at cycle `ready`.
  void begin(std::uint32_t thread, std::uint32_t offset, std::uint32_t bytes, double ready,
             SharedRaceChecker* races);
  /// What the thread has begun since the last time becomes a group.
  void commit(std::uint32_t thread, SharedRaceChecker* races);
  /// The thread waits until at most the `most` latest groups are on their way. Returns the cycle at
  /// which the others are there, or 0.
  double wait_for_groups(std::uint32_t thread, std::uint32_t most, SharedRaceChecker* races);
  double wait_for_all(std::uint32_t thread, SharedRaceChecker* races);

  /// How many copies the thread has begun, and the cycle at which all of them are there.
  std::uint64_t begun(std::uint32_t thread) const;
  double ready(std::uint32_t thread) const;
  /// Who learns that copies are there: the thread that began them, or who sees a phase of an mbarrier
  /// ended.
  enum class Waiter : std::uint8_t { thread, mbarrier };
  /// The first `count` copies of the thread are there.
  double land(std::uint32_t thread, std::uint64_t count, SharedRaceChecker* races,
              Waiter waiter = Waiter::thread);
  /// Whether copies of the thread were there for others, which it has not waited for since. Then it
  /// has now.
  bool waits_for_what_others_saw(std::uint32_t thread);
  /// An mbarrier waits for what the thread has begun: others may see that it is there, besides it.
  void arrive_at_mbarrier(std::uint32_t thread) { threads_[thread].at_mbarrier = true; }

 private:
  struct Copy {
    std::uint32_t offset = 0, bytes = 0;
    std::uint32_t begun = 0;  ///< the block's logical time
    double ready = 0;
  };
  struct Thread {
    std::vector<Copy> pending;          ///< begun and not there, oldest first
    std::vector<std::uint64_t> groups;  ///< of each that is not there: number of the copy behind it
    std::uint64_t landed = 0;           ///< copies that are there
    bool at_mbarrier = false;           ///< others may wait for copies
    bool others_saw = false;            ///< some of them, and the thread has not waited for them
  };

  HappensBefore& order_;
  ByThread<Thread> threads_;
};

}  // namespace gridstride::sim

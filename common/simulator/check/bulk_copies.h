// Bulk copies of one block from shared to global memory (cp.async.bulk) that have not been waited for,
// and the fences that lead from stores of threads to what such copies read.
//
// The data moves when a copy begins; what is kept is that its source may not change yet, and that
// nobody may count on what it writes. A bulk copy reads shared memory by another way than threads store
// there (PTX: the async proxy): fence.proxy.async has to stand between, in the thread that stored or, behind
// a barrier, in one that knows of the store.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simulator/check/by_thread.h"
#include "common/simulator/check/happens_before.h"

namespace gridstride::sim {

class SharedRaceChecker;

class BulkCopies {
 public:
  explicit BulkCopies(HappensBefore& order) : order_(order) {}

  void start_block();

  /// `thread` begins to copy `bytes` at `offset` of shared memory, which are there at cycle `ready`.
  void begin(std::uint32_t thread, std::uint32_t offset, std::uint32_t bytes, double ready,
             SharedRaceChecker* races);
  /// What the thread has begun since the last time becomes a group.
  void commit(std::uint32_t thread);
  /// The thread waits until at most the `most` latest groups are on their way; `sources`: until they have
  /// been read. Returns the cycle at which the others are there, or 0.
  double wait(std::uint32_t thread, std::uint32_t most, bool sources, SharedRaceChecker* races);

  /// Lanes pass fence.proxy.async.
  void fence(const HappensBefore::Lanes& lanes);
  /// Whether a fence stands between a store of this block by `writer` at `timestamp` and what `lane` of
  /// `warp` does now.
  bool is_fenced(std::uint32_t warp, std::uint32_t lane, std::uint32_t writer,
                 std::uint32_t timestamp) const;

 private:
  struct Copy {
    std::uint32_t offset = 0, bytes = 0;
    std::uint32_t begun = 0;  ///< the block's logical time
    std::uint32_t group = 0;
    bool has_read = false;
    double ready = 0;
  };
  struct Thread {
    std::vector<Copy> pending;  ///< oldest first
    std::uint32_t groups = 0;   ///< that have been committed
  };
  /// The last one of a thread.
  struct Fence {
    std::uint32_t at = 0;                    ///< 0: none
    std::uint32_t epoch = 0, own_epoch = 0;  ///< as HappensBefore has them, for its warp
    bool knows_more = false;                 ///< than these say: it is taken to know of all stores
  };
  void land(std::uint32_t thread, Copy& copy, bool sources, SharedRaceChecker* races);

  HappensBefore& order_;
  ByThread<Thread> threads_;
  ByThread<Fence> fences_;
};

}  // namespace gridstride::sim

// Barriers in shared memory (mbarrier, what cuda::barrier is made of): phases, and who waits for
// what.
//
// A phase ends when as many have arrived as were expected and as many bytes have come as were
// announced; the next one begins at once. What those who arrive have done happens before what those
// do who see the phase ended (happens_before.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/simulator/check/clocks.h"

namespace gridstride::sim {

class Mbarriers {
 public:
  static constexpr std::uint32_t most_expected = (1u << 20) - 1;

  /// A thread whose first `count` asynchronous copies belong to a phase.
  struct Copies {
    std::uint32_t thread = 0;
    std::uint64_t count = 0;
  };
  /// A bulk copy to shared memory, whose bytes a phase waits for.
  struct BulkLoad {
    std::uint32_t thread = 0, offset = 0, bytes = 0;
    std::uint32_t begun = 0;  ///< the block's logical time
  };
  struct Mbarrier {
    std::uint32_t expected = 0;  ///< arrivals a phase
    std::uint32_t pending = 0;   ///< … that have not come
    std::int64_t bytes = 0;      ///< that have been announced and not come
    std::uint64_t phase = 0;     ///< how many have ended
    double latest = 0;           ///< scoreboard: cycle of the last arrival in this phase
    double ended = 0;            ///< … at which the phase before ended
    std::vector<Copies> copies;  ///< of this phase
    /// Of phases that have ended, which no thread has seen yet: it is the one who asks to whom copies
    /// are there.
    std::vector<Copies> unseen;
    std::vector<BulkLoad> loads, unseen_loads;  ///< the same of bulk copies
    Knowledge arrived;    ///< what those handed over who have arrived in this phase
    Knowledge handed_on;  ///< what those know who see the last phase ended

    bool complete() const { return pending == 0 && bytes == 0; }
    /// What an arrival returns: the phase, and how many were pending.
    std::uint64_t state() const { return phase << 20 | pending; }
    bool has_ended(std::uint64_t of_state) const { return phase > of_state >> 20; }
    /// `parity` of a phase: that one has ended, or the one after it is on.
    bool has_ended_by_parity(std::uint32_t parity) const { return (phase & 1) != (parity & 1); }
  };

  void start_block() { all_.clear(); }
  void initialise(std::uint32_t offset, std::uint32_t expected);
  /// Null when there is none.
  Mbarrier* find(std::uint32_t offset);
  const std::map<std::uint32_t, Mbarrier>& all() const { return all_; }
  /// False when there was none.
  bool invalidate(std::uint32_t offset) { return all_.erase(offset) != 0; }

  /// "3 of the 64 arrivals that it expects in a phase are missing"; what the phase of one waits for.
  static std::string missing_in(const Mbarrier& mbarrier);
  static std::uint32_t pending_in(std::uint64_t state) { return state & most_expected; }

 private:
  std::map<std::uint32_t, Mbarrier> all_;  ///< by offset in shared memory
};

}  // namespace gridstride::sim

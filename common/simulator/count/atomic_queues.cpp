// See atomic_queues.h.
#include "common/simulator/count/atomic_queues.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridstride::sim {

std::size_t AtomicQueues::insert(std::uint64_t piece) {
  if (2 * (used_ + 1) > entries_.size()) {
    std::vector<Entry> larger(entries_.size() * 2);
    larger.swap(entries_);
    for (const Entry& entry : larger) {
      if (entry.piece != 0) entries_[slot(entry.piece)] = entry;
    }
  }
  ++used_;
  const std::size_t at = slot(piece);
  entries_[at].piece = piece;
  return at;
}

}  // namespace gridstride::sim

// Growth of the table of counts.
#include "common/simulator/count/hot_addresses.h"

#include <algorithm>

namespace gridstride::sim {

void HotAddresses::insert(std::uint64_t address, std::uint64_t operations) {
  constexpr std::size_t most = std::size_t{1} << 22;
  if (used_ >= most) return;
  if (2 * (used_ + 1) > entries_.size()) {
    std::vector<Entry> old(entries_.size() * 4);
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.address != 0) entries_[slot(entry.address)] = entry;
    }
  }
  entries_[slot(address)] = {address, operations};
  ++used_;
  hottest_ = std::max(hottest_, operations);
}

}  // namespace gridstride::sim

// Counts atomic operations by address: those on one address cannot overlap.
#pragma once

#include <cstdint>
#include <vector>

namespace gridstride::sim {

/// A hash table of counts that only grows. Past four million addresses newcomers are not counted:
/// where so many are in use, none of them is the bottleneck.
class HotAddresses {
 public:
  void add(std::uint64_t address, std::uint32_t operations) {
    total_ += operations;
    const std::size_t at = slot(address);
    if (entries_[at].address != address) {
      insert(address, operations);
      return;
    }
    entries_[at].operations += operations;
    if (entries_[at].operations > hottest_) hottest_ = entries_[at].operations;
  }
  std::uint64_t hottest() const { return hottest_; }
  /// Operations on all addresses, those that are not counted singly included.
  std::uint64_t total() const { return total_; }

 private:
  struct Entry {
    std::uint64_t address = 0;  ///< 0: free; no device address is 0
    std::uint64_t operations = 0;
  };
  std::size_t slot(std::uint64_t address) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = (address * 0x9e3779b97f4a7c15ull >> 20) & mask;
    while (entries_[at].address != 0 && entries_[at].address != address) at = (at + 1) & mask;
    return at;
  }
  void insert(std::uint64_t address, std::uint64_t operations);

  std::vector<Entry> entries_ = std::vector<Entry>(64);
  std::size_t used_ = 0;
  std::uint64_t hottest_ = 0, total_ = 0;
};

}  // namespace gridstride::sim

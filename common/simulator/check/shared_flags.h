// What stores to shared memory carry along for those who read them as flags.
//
// Flags are few: they are kept in a map, by word, and only once a thread of the block has passed a
// fence.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "common/simulator/check/happens_before.h"

namespace gridstride::sim {

class SharedFlags {
 public:
  explicit SharedFlags(HappensBefore& order) : order_(order) {}

  void start_block() { carried_.clear(); }
  /// Whether there is a flag, or what is stored now may become one.
  bool may_carry() const { return !carried_.empty() || order_.releases_anything(); }
  /// Volatile and strong accesses of `lanes` at `offsets` (32 entries).
  void store(const HappensBefore::Lanes& lanes, const std::uint32_t* offsets);
  /// `acquires`: what the flags carry is known at once, not behind a fence.
  void load(const HappensBefore::Lanes& lanes, const std::uint32_t* offsets, bool acquires);
  /// `storing`: those of them that store, for a compare-and-swap may not.
  void atomic(const HappensBefore::Lanes& lanes, const std::uint32_t* offsets,
              std::uint32_t storing, bool acquires) {
    if (!may_carry()) return;
    add(lanes.warp, storing, offsets);  // what lanes of one operation hand one another
    load(lanes, offsets, acquires);
  }

 private:
  void add(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets);

  HappensBefore& order_;
  std::unordered_map<std::uint32_t, Knowledge> carried_;
};

}  // namespace gridstride::sim

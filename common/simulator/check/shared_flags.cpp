// See shared_flags.h.
#include "common/simulator/check/shared_flags.h"

#include <cstdint>

#include "common/simulator/base/lane_mask.h"

namespace gridstride::sim {
namespace {

std::uint32_t word_of(std::uint32_t offset) { return offset / 4; }

}  // namespace

void SharedFlags::store(const HappensBefore::Lanes& lanes, const std::uint32_t* offsets) {
  if (!may_carry()) return;
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const Knowledge& released = order_.released_in_block(lanes.warp, lowest_lane(rest));
    const std::uint32_t word = word_of(offsets[lowest_lane(rest)]);
    if (released.empty()) {
      carried_.erase(word);
    } else {
      carried_[word] = released;
    }
  }
}

void SharedFlags::load(const HappensBefore::Lanes& lanes, const std::uint32_t* offsets,
                       bool acquires) {
  if (carried_.empty()) return;
  std::uint32_t word = 0, mask = 0;  // lanes that see the same word
  const auto learn = [&] {
    const auto found = mask != 0 ? carried_.find(word) : carried_.end();
    if (found == carried_.end()) return;
    const HappensBefore::Lanes who{lanes.warp, mask, lanes.live};
    if (acquires)
      order_.acquire(who, found->second);
    else
      order_.see(who, found->second);
  };
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const std::uint32_t own = word_of(offsets[lowest_lane(rest)]);
    if (own != word) {
      learn();
      mask = 0;
    }
    word = own;
    mask |= rest & (0u - rest);
  }
  learn();
}

void SharedFlags::add(std::uint32_t warp, std::uint32_t mask, const std::uint32_t* offsets) {
  if (!order_.releases_anything()) return;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const Knowledge& released = order_.released_in_block(warp, lowest_lane(rest));
    if (!released.empty()) carried_[word_of(offsets[lowest_lane(rest)])].join(released);
  }
}

}  // namespace gridstride::sim

// Accesses to shared memory that the race checker has not left in its cells yet.
//
// Between two barriers of the block many kernels only read shared memory, or only change it by atomic
// operations. None of these accesses races with another one, and behind the next barrier nobody asks who
// made them. So they are written down, and left in the cells only where a store, or whatever else may race
// with them, comes in the same interval. An interval in which that happens writes down nothing more, and
// neither do the next few: kernels do the same again and again.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/check/access_strength.h"

namespace gridstride::sim {

class PostponedAccesses {
 public:
  enum class Form : std::uint8_t {
    read,    ///< by each lane of `mask` at its own offset
    run,     ///< a read: lanes 0 to `mask` - 1 follow one another from `offset`
    place,   ///< a read by lanes of `mask` at `offset`
    atomic,  ///< by each lane of `mask` at its own offset
  };
  /// As SharedRaceChecker is told of it, and when.
  struct Access {
    std::uint16_t warp = 0;
    Form form = Form::read;
    AccessStrength strength = AccessStrength::plain;
    std::uint32_t mask = 0, offset = 0, bytes = 0, instruction = 0;
    std::uint32_t time = 0;       ///< HappensBefore::now()
    std::uint32_t own_epoch = 0;  ///< HappensBefore::own_epoch()
  };
  static constexpr std::size_t most = 4096;
  static constexpr std::size_t most_scattered = 2048;  ///< of them, with offsets of their own

  bool empty() const { return accesses_ == 0; }
  /// When the barrier was behind which all of them lie.
  std::uint32_t interval() const { return interval_; }
  bool is_open() const { return open_; }

  /// The block has passed a barrier at time `interval`: what was written down no longer matters.
  void begin(std::uint32_t interval) {
    forget();
    interval_ = interval;
    open_ = closed_for_ == 0;
    if (!open_) --closed_for_;
  }
  /// No more in this interval.
  void close() {
    closed_for_ = 7;
    open_ = false;
  }
  void forget() { accesses_ = scattered_ = 0; }
  /// Writes `access` down. False when there is no room left.
  bool add(const Access& access) {
    if (accesses_ == room_.size() && !grow(room_, most)) return false;
    room_[accesses_++] = access;
    return true;
  }
  /// With 32 offsets of lanes.
  bool add(const Access& access, const std::uint32_t* offsets) {
    if (scattered_ == offsets_.size() && !grow(offsets_, most_scattered)) return false;
    if (!add(access)) return false;
    std::copy_n(offsets, 32, offsets_[scattered_++].begin());
    return true;
  }
  /// Calls use(access, its offsets, if it has any) for each, in their order.
  template <class Use>
  void for_each(Use use) const {
    std::size_t scattered = 0;
    for (std::size_t i = 0; i < accesses_; ++i) {
      const bool has_offsets = room_[i].form == Form::read || room_[i].form == Form::atomic;
      use(room_[i], has_offsets ? offsets_[scattered++].data() : nullptr);
    }
  }

 private:
  template <class Entry>
  [[gnu::noinline]] static bool grow(std::vector<Entry>& room, std::size_t most_entries) {
    if (room.size() == most_entries) return false;
    room.resize(std::clamp<std::size_t>(room.size() * 4, 64, most_entries));
    return true;
  }

  std::vector<Access> room_;                            ///< the first `accesses_` are in use
  std::vector<std::array<std::uint32_t, 32>> offsets_;  ///< the first `scattered_`
  std::size_t accesses_ = 0, scattered_ = 0;
  std::uint32_t interval_ = 0;
  std::uint32_t closed_for_ = 0;  ///< intervals
  bool open_ = false;
};

}  // namespace gridstride::sim

// Accesses to shared memory that the race checker has not left in its cells yet.
//
// Between two barriers of the block many kernels only read shared memory, or only change it by atomic
// operations. None of these accesses races with another one, and behind the next barrier nobody asks who
// made them. So they are written down, and left in the cells only where a store, or whatever else may race
// with them, comes in the same interval. An interval in which that happens writes down nothing more, and
// neither do the next few: kernels do the same again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/check/access_strength.h"

namespace gridstride::sim {

class PostponedAccesses {
 public:
  enum class Form : std::uint8_t {
    read,        ///< by each lane of `mask` at its own offset
    read_run,    ///< lanes 0 to `mask` - 1 follow one another from `offset`
    read_place,  ///< lanes of `mask` at `offset`
    atomic,      ///< by each lane of `mask` at its own offset
  };
  /// As SharedRaceChecker is told of it, and when.
  struct Access {
    std::uint32_t warp = 0, mask = 0, offset = 0, bytes = 0, instruction = 0;
    std::uint32_t time = 0;       ///< HappensBefore::now()
    std::uint32_t own_epoch = 0;  ///< HappensBefore::own_epoch()
    AccessStrength strength = AccessStrength::plain;
    Form form = Form::read;
  };
  static constexpr std::size_t most = 4096;
  static constexpr std::size_t most_scattered = 2048;  ///< of them, with offsets of their own

  bool empty() const { return accesses_.empty(); }
  /// When the barrier was behind which all of them lie.
  std::uint32_t interval() const { return interval_; }
  bool is_open() const { return open_; }
  bool is_full() const {
    return accesses_.size() >= most || offsets_.size() >= most_scattered * 32;
  }

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
  void forget() {
    accesses_.clear();
    offsets_.clear();
  }
  void add(const Access& access) { accesses_.push_back(access); }
  /// With 32 offsets of lanes.
  void add(const Access& access, const std::uint32_t* offsets) {
    accesses_.push_back(access);
    offsets_.insert(offsets_.end(), offsets, offsets + 32);
  }
  /// Calls use(access, its offsets, if it has any) for each, in their order.
  template <class Use>
  void for_each(Use use) const {
    const std::uint32_t* offsets = offsets_.data();
    for (const Access& access : accesses_) {
      use(access, offsets);
      if (access.form == Form::read || access.form == Form::atomic) offsets += 32;
    }
  }

 private:
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> offsets_;
  std::uint32_t interval_ = 0;
  std::uint32_t closed_for_ = 0;  ///< intervals
  bool open_ = false;
};

}  // namespace gridstride::sim

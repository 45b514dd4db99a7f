// What blocks have asked the DRAM for, and when. Those of the first round ask at the same time for what
// several of them want, and here they run one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "common/simulator/base/pseudorandom.h"

namespace gridstride::sim {

/// Pieces of 64 bytes, which is what the DRAM brings at a time, each in one place only. Grows to what is
/// asked for, up to 8 MB.
class LinesUnderWay {
 public:
  LinesUnderWay() : pieces_(std::size_t{1} << bits_) {}

  /// The earliest cycle at which the piece of the sectors of `mask` in line number `line` that was asked
  /// for last was asked for, now that somebody does at `time`; negative when nobody had.
  double asked(std::uint64_t line, std::uint32_t mask, double time) {
    double latest = -1;
    for_each_piece(line, mask, [&](Piece& piece, std::uint64_t key) {
      if (piece.key != key) return;
      piece.asked = std::min(piece.asked, time);
      latest = std::max(latest, piece.asked);
    });
    return latest;
  }
  /// The DRAM is asked for them at `time`, or was asked for them at another; the earlier one counts.
  void add(std::uint64_t line, std::uint32_t mask, double time) {
    for_each_piece(line, mask, [&](Piece& piece, std::uint64_t key) {
      if (piece.key == key) {
        piece.asked = std::min(piece.asked, time);
        return;
      }
      forgotten_ += piece.key >> key_bits == blocks_;
      piece = {key, time};
    });
    if (is_too_small() && bits_ < most_bits) grow();
  }
  /// Blocks that start later find it there.
  void forget() {
    ++blocks_;
    forgotten_ = 0;
  }
  /// Whether so many were asked for that it has forgotten an eighth as many as it holds.
  bool is_too_small() const { return forgotten_ > pieces_.size() / 8; }

 private:
  static constexpr int most_bits = 17, key_bits = 40;
  struct Piece {
    std::uint64_t key = 0;  ///< address / 64, and above `key_bits` who has asked
    double asked = 0;       ///< cycle
  };
  /// Calls `use` with the place of each piece, and its key.
  template <class Use>
  void for_each_piece(std::uint64_t line, std::uint32_t mask, Use use) {
    for (std::uint32_t half = 0; half < 2; ++half) {
      if ((mask >> 2 * half & 3) == 0) continue;
      const std::uint64_t key = 2 * line + half + (blocks_ << key_bits);
      use(place_of(key), key);
    }
  }
  Piece& place_of(std::uint64_t key) { return pieces_[key * golden_multiplier >> (64 - bits_)]; }
  void grow() {
    const std::vector<Piece> before = std::move(pieces_);
    bits_ += 2;
    pieces_.assign(std::size_t{1} << bits_, {});
    for (const Piece& piece : before) {
      if (piece.key != 0) place_of(piece.key) = piece;
    }
  }

  int bits_ = 11;
  std::vector<Piece> pieces_;
  std::uint64_t blocks_ = 1;  ///< that ask at the same time
  std::uint64_t forgotten_ = 0;
};

/// After how many cycles a warp has asked for so many lines, as the first block did whose time is taken. For
/// the others of its round, which all do the same: where one of them is in its work tells when that is.
class AskingTimes {
 public:
  /// The warp of that block asks for its next line.
  void add(std::uint32_t warp, double time) {
    std::vector<float>& times = times_[warp];
    if (times.size() < most) times.push_back(static_cast<float>(time));
  }
  /// When the warp asks for another line, of another block that has asked for `lines` before. Beyond what is
  /// known each takes as long as those did on average; of a warp that has asked for none nothing is known.
  double at(std::uint32_t warp, std::uint32_t lines) const {
    const std::vector<float>& times = times_[warp];
    if (times.empty()) return std::numeric_limits<double>::infinity();
    if (lines < times.size()) return times[lines];
    return static_cast<double>(times.back()) * lines / static_cast<double>(times.size());
  }

 private:
  static constexpr std::size_t most = 4096;
  std::array<std::vector<float>, 32> times_;  ///< of each warp
};

}  // namespace gridstride::sim

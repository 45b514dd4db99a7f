// What blocks of the first round have asked the DRAM for, and when. They ask at the same time for what
// several of them want, and here they run one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "common/simulator/base/pseudorandom.h"

namespace gridstride::sim {

/// Some thousand pieces of 64 bytes, which is what the DRAM brings at a time, each in one place only.
class LinesUnderWay {
 public:
  /// The earliest cycle at which the piece of the sectors of `mask` in line number `line` that was asked
  /// for last was asked for, now that somebody does at `time`; negative when nobody had.
  double asked(std::uint64_t line, std::uint32_t mask, double time) {
    double latest = -1;
    for (std::uint32_t half = 0; half < 2; ++half) {
      if ((mask >> 2 * half & 3) == 0) continue;
      Piece& piece = at(2 * line + half);
      if (piece.number != 2 * line + half) continue;
      piece.asked = std::min(piece.asked, time);
      latest = std::max(latest, piece.asked);
    }
    return latest;
  }
  /// The DRAM is asked for them at `time`, of what it was not asked for before.
  void add(std::uint64_t line, std::uint32_t mask, double time) {
    for (std::uint32_t half = 0; half < 2; ++half) {
      if ((mask >> 2 * half & 3) == 0) continue;
      Piece& piece = at(2 * line + half);
      if (piece.number == 2 * line + half) continue;
      forgotten_ += piece.number != 0;
      piece = {2 * line + half, time};
    }
  }

  /// The same at a time that is not known, where there is room.
  void add_some_time(std::uint64_t line, std::uint32_t mask) {
    for (std::uint32_t half = 0; half < 2; ++half) {
      if ((mask >> 2 * half & 3) == 0) continue;
      Piece& piece = at(2 * line + half);
      if (piece.number == 0) piece = {2 * line + half, std::numeric_limits<double>::infinity()};
    }
  }
  /// Whether so many were asked for at times that are known that it has forgotten an eighth as many as it holds.
  bool is_too_small() const { return forgotten_ > pieces_.size() / 8; }

 private:
  static constexpr int bits = 13;
  struct Piece {
    std::uint64_t number = 0;  ///< address / 64; no device address is below that
    double asked = 0;          ///< cycle
  };
  Piece& at(std::uint64_t number) { return pieces_[number * golden_multiplier >> (64 - bits)]; }

  std::array<Piece, 1 << bits> pieces_{};
  std::uint64_t forgotten_ = 0;
};

}  // namespace gridstride::sim

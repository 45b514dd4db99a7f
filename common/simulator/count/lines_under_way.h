// What blocks of the first round have asked the DRAM for, and when. They ask at the same time for what
// several of them want, and here they run one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/simulator/base/pseudorandom.h"

namespace gridstride::sim {

/// Some thousand pieces of 64 bytes, which is what the DRAM brings at a time, each in one place only.
class LinesUnderWay {
 public:
  /// The earliest cycle at which the piece of the sectors of `mask` in line number `line` that was asked
  /// for last was asked for, now that somebody does at `time`; negative when nobody had.
  double asked(std::uint64_t line, std::uint32_t mask, double time) {
    double latest = -1;
    for_each_piece(line, mask, [&](Piece& piece, std::uint64_t number) {
      if (piece.number != number) return;
      piece.asked = std::min(piece.asked, time);
      latest = std::max(latest, piece.asked);
    });
    return latest;
  }
  /// The DRAM is asked for them at `time`, of what it was not asked for before.
  void add(std::uint64_t line, std::uint32_t mask, double time) {
    for_each_piece(line, mask, [&](Piece& piece, std::uint64_t number) {
      if (piece.number == number) return;
      forgotten_ += piece.number != 0;
      piece = {number, time};
    });
  }
  /// Whether so many were asked for that it has forgotten an eighth as many as it holds.
  bool is_too_small() const { return forgotten_ > pieces_.size() / 8; }

 private:
  static constexpr int bits = 13;
  struct Piece {
    std::uint64_t number = 0;  ///< address / 64; no device address is below that
    double asked = 0;          ///< cycle
  };
  /// Calls `use` with the place of each piece, and the piece's number.
  template <class Use>
  void for_each_piece(std::uint64_t line, std::uint32_t mask, Use use) {
    for (std::uint32_t half = 0; half < 2; ++half) {
      if ((mask >> 2 * half & 3) == 0) continue;
      const std::uint64_t number = 2 * line + half;
      use(pieces_[number * golden_multiplier >> (64 - bits)], number);
    }
  }

  std::array<Piece, 1 << bits> pieces_{};
  std::uint64_t forgotten_ = 0;
};

}  // namespace gridstride::sim

// Where the texels of a CUDA array lie in device memory.
//
// Arrays are opaque to programs, and hardware stores them so that neighbours in two dimensions are
// neighbours in memory. Here, as in the block-linear layout that NVIDIA documents for its Tegra
// chips: tiles of 64 bytes by 8 rows, 512 bytes each; in a tile, sectors of 16 bytes by 2 rows. A
// warp that reads a square of texels touches few sectors, a row costs twice the sectors of plain
// memory unless the next row is read too. Tiles follow one another along x, then y, then slice by
// slice; the hardware stacks several tiles, which no counter here can tell. One-dimensional arrays
// are plain rows.
#pragma once

#include <cstdint>

#include "common/simulator/texture/description.h"

namespace gridstride::sim {

class ArrayLayout {
 public:
  static constexpr std::uint64_t tile_width = 64;  ///< bytes
  static constexpr std::uint64_t tile_height = 8;  ///< rows
  static constexpr std::uint64_t tile_bytes = tile_width * tile_height;
  static constexpr std::uint64_t run = 16;  ///< bytes of a row that stay together

  ArrayLayout() = default;
  /// `row_bytes`, `rows` and `slices` at least 1; rows are plain when `linear`. The sizes must be
  /// small enough for their product to fit 62 bits.
  ArrayLayout(std::uint64_t row_bytes, std::uint64_t rows, std::uint64_t slices, bool linear);

  /// Rows of the program's own memory, `pitch` bytes apart.
  static ArrayLayout plain(std::uint64_t pitch, std::uint64_t rows);

  std::uint64_t bytes() const { return slice_bytes_ * slices_; }
  /// Of byte `x` of a row; x, y, z lie inside the array.
  std::uint64_t offset(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
    if (linear_) return z * slice_bytes_ + y * pitch_ + x;
    const std::uint64_t tile = y / tile_height * pitch_ * tile_height + x / tile_width * tile_bytes;
    const std::uint64_t in_tile =
        x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16;
    return z * slice_bytes_ + tile + in_tile + x % 16;
  }
  bool linear() const { return linear_; }

  /// A byte's place, `x` in bytes.
  struct Spot {
    std::uint64_t x = 0, y = 0, z = 0;
  };
  /// What offset() says backwards.
  Spot spot_at(std::uint64_t offset) const {
    const std::uint64_t z = offset / slice_bytes_, in_slice = offset % slice_bytes_;
    if (linear_) return {in_slice % pitch_, in_slice / pitch_, z};
    const std::uint64_t row_of_tiles = pitch_ * tile_height;
    const std::uint64_t in_row = in_slice % row_of_tiles, in_tile = in_row % tile_bytes;
    return {in_row / tile_bytes * tile_width + in_tile / 256 * 32 + in_tile % 64 / 32 * run +
                in_tile % run,
            in_slice / row_of_tiles * tile_height + in_tile % 256 / 64 * 2 + in_tile % 32 / run, z};
  }

  /// What makes a layout, for whoever keeps it as data.
  struct Parts {
    std::uint64_t pitch = 0, slice_bytes = 0;
    bool linear = true;
  };
  Parts parts() const { return {pitch_, slice_bytes_, linear_}; }
  static ArrayLayout of(const Parts& parts) {
    ArrayLayout layout;
    layout.pitch_ = parts.pitch;
    layout.slice_bytes_ = parts.slice_bytes;
    layout.slices_ = 1;
    layout.linear_ = parts.linear;
    return layout;
  }

 private:
  std::uint64_t pitch_ = 0, slice_bytes_ = 0, slices_ = 0;
  bool linear_ = true;
};

}  // namespace gridstride::sim

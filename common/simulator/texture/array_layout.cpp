// See array_layout.h.
#include "common/simulator/texture/array_layout.h"

#include <cstdint>

#include "common/simulator/base/round_up.h"

namespace gridstride::sim {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

ArrayLayout::ArrayLayout(std::uint64_t row_bytes, std::uint64_t rows, std::uint64_t slices,
                         bool linear)
    : pitch_(round_up(row_bytes, tile_width)),
      slice_bytes_(pitch_ * (linear ? rows : round_up(rows, tile_height))),
      slices_(slices),
      linear_(linear) {}

ArrayLayout ArrayLayout::plain(std::uint64_t pitch, std::uint64_t rows) {
  ArrayLayout layout;
  layout.pitch_ = pitch;
  layout.slice_bytes_ = pitch * rows;
  layout.slices_ = 1;
  return layout;
}

}  // namespace gridstride::sim

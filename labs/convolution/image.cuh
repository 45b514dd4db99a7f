// Given to all stages: an image on the device, and what stands outside of it.
#pragma once

#include <cstdint>

#include "labs/convolution/convolution.h"

namespace convolution {

/// Passed to kernels by value.
struct Image {
  const float* pixels;  ///< height rows of width floats
  int width, height;
  Border border;

  /// The pixel in column x of row y; any x and y.
  __device__ float at(int x, int y) const {
    if (border == Border::clamp) {
      x = min(max(x, 0), width - 1);
      y = min(max(y, 0), height - 1);
    } else if (x < 0 || x >= width || y < 0 || y >= height) {
      return 0.0f;
    }
    return pixels[std::int64_t{y} * width + x];
  }
};

/// Pieces of `piece` that cover `n`.
constexpr unsigned pieces(int n, int piece) {
  return static_cast<unsigned>((n + piece - 1) / piece);
}

}  // namespace convolution

// What the cases are made from: images and filters.
//
// Most are whole numbers so small that no sum of their products is ever rounded, in whatever order
// it is taken: then a result is held to equality, and one tap that is missing shows.
#pragma once

#include <cmath>
#include <cstdint>

#include "grader/judge/lab.h"
#include "labs/convolution/oracle.hpp"

namespace convolution {

using gridstride::Rng;
using MakeFloats = Floats (*)(Rng&, std::int64_t n);

/// Pixels: 33 * 33 taps of at most 9 times these stay below 2^24.
inline Floats greys(Rng& rng, std::int64_t n) { return gridstride::whole_numbers_to(rng, n, 255); }

/// Taps of a square filter; none is zero, so that each is missed.
inline Floats whole_taps(Rng& rng, std::int64_t n) {
  Floats taps(n);
  for (float& tap : taps)
    tap = static_cast<float>(rng.uniform<int>(1, 9) * (rng.next() % 2 ? 1 : -1));
  return taps;
}

/// Taps of a column or a row: the product of two is at most 9.
inline Floats small_taps(Rng& rng, std::int64_t n) {
  Floats taps(n);
  for (float& tap : taps)
    tap = static_cast<float>(rng.uniform<int>(1, 3) * (rng.next() % 2 ? 1 : -1));
  return taps;
}

/// Magnitudes over the whole range that the contract allows, and zeros.
inline Floats all_magnitudes(Rng& rng, std::int64_t n) {
  Floats values(n);
  for (float& value : values) {
    const double magnitude = std::pow(10.0, rng.uniform<double>(-8.9, 8.9));
    const auto kind = rng.next() % 8;
    value = kind == 0 ? 0.0f : static_cast<float>(kind % 2 ? magnitude : -magnitude);
  }
  return values;
}

/// Large numbers and their opposites side by side, so that sums nearly cancel.
inline Floats edges(Rng& rng, std::int64_t n) {
  Floats values(n);
  for (std::int64_t i = 0; i < n; ++i)
    values[i] = (i % 2 ? -1.0f : 1.0f) * rng.uniform<float>(999.0f, 1001.0f);
  return values;
}

/// One grey everywhere: what lies outside of the image is all that makes a difference.
inline Floats one_grey(Rng& rng, std::int64_t n) {
  return Floats(n, static_cast<float>(rng.uniform<int>(1, 255)));
}

}  // namespace convolution

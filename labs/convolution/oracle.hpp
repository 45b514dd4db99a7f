// What must come out: the sums of the contract, in double precision, and how far rounding may lead.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "grader/judge/cases/sums.h"
#include "labs/convolution/convolution.h"

namespace convolution {

using gridstride::Floats;

/// An image on the host.
struct Picture {
  int width = 0, height = 0;
  std::shared_ptr<Floats> pixels;  ///< height rows of width; shared with the call they are given to

  std::size_t size() const { return static_cast<std::size_t>(width) * height; }
  /// The pixel in column x of row y, which may lie outside.
  float at(int x, int y, Border border) const {
    if (border == Border::clamp) {
      x = std::clamp(x, 0, width - 1);
      y = std::clamp(y, 0, height - 1);
    } else if (x < 0 || x >= width || y < 0 || y >= height) {
      return 0;
    }
    return (*pixels)[static_cast<std::size_t>(y) * width + x];
  }
};

/// columns * rows taps, row by row. Tap (columns / 2, rows / 2) lies on the pixel itself.
struct Filter {
  int columns = 1, rows = 1;
  std::vector<double> taps;  ///< in which the product of two floats is not rounded
};

inline Filter filter_of(int columns, int rows, const Floats& taps) {
  return {columns, rows, {taps.begin(), taps.end()}};
}
inline Filter square(const Floats& taps) {
  const auto size = static_cast<int>(std::lround(std::sqrt(static_cast<double>(taps.size()))));
  return filter_of(size, size, taps);
}

/// The filter whose tap (i, j) is y[j] * x[i].
inline Filter product(const Floats& x, const Floats& y) {
  Filter filter{static_cast<int>(x.size()), static_cast<int>(y.size()), {}};
  for (const float tap_y : y)
    for (const float tap_x : x) filter.taps.push_back(double{tap_y} * tap_x);
  return filter;
}

/// A piece of an image, the ends not included.
struct Area {
  int left = 0, top = 0, right = 0, bottom = 0;
};
inline Area all_of(const Picture& picture) { return {0, 0, picture.width, picture.height}; }

/// The contract's sums for the pixels of `area`, row by row. `Number` is what is computed in: float
/// suffices where nothing is rounded, and is several times as fast.
template <class Number>
std::vector<Number> sums_of(const Picture& in, const Filter& filter, Border border, Area area) {
  const int columns = area.right - area.left, rows = area.bottom - area.top;
  std::vector<Number> sums(static_cast<std::size_t>(columns) * rows), row(columns + filter.columns);
  for (int y = 0; y < rows; ++y) {
    Number* sum = sums.data() + static_cast<std::size_t>(y) * columns;
    for (int j = 0; j < filter.rows; ++j) {
      for (int k = 0; k < columns + filter.columns - 1; ++k)
        row[k] =
            in.at(area.left + k - filter.columns / 2, area.top + y + j - filter.rows / 2, border);
      for (int i = 0; i < filter.columns; ++i) {
        const auto tap = static_cast<Number>(filter.taps[j * filter.columns + i]);
        for (int x = 0; x < columns; ++x) sum[x] += tap * row[x + i];
      }
    }
  }
  return sums;
}

template <class Values>
Values magnitudes_of(Values values) {
  for (auto& value : values) value = std::abs(value);
  return values;
}

}  // namespace convolution

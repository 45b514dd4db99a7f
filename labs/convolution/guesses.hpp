// Guesses at the mistakes that are made in this lab: what the result would be if one thing about
// the filter or the border were different.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "grader/judge/lab.h"
#include "labs/convolution/oracle.hpp"

namespace convolution {

using Got = std::span<const float>;

/// Whether this is the result for another filter or border. Only asked for whole numbers, whose
/// sums are exact.
inline bool is_result(Got got, const Picture& in, const Filter& filter, Border border) {
  const Floats sums = sums_of<float>(in, filter, border, all_of(in));
  return std::equal(got.begin(), got.end(), sums.begin(), sums.end());
}

/// The filter with tap (i, j) from where `from` says; 0 where that is outside.
template <class From>
Filter moved(const Filter& filter, From from) {
  Filter other = filter;
  for (int j = 0; j < filter.rows; ++j) {
    for (int i = 0; i < filter.columns; ++i) {
      const auto [column, row] = from(i, j);
      const bool inside = column >= 0 && column < filter.columns && row >= 0 && row < filter.rows;
      other.taps[j * filter.columns + i] =
          inside ? filter.taps[row * filter.columns + column] : 0.0;
    }
  }
  return other;
}

inline std::optional<std::string> guess_filter(Got got, const Picture& in, const Filter& filter,
                                               Border border) {
  using Place = std::pair<int, int>;
  const int columns = filter.columns, rows = filter.rows;
  const auto is = [&](auto from) { return is_result(got, in, moved(filter, from), border); };
  if (is([&](int i, int j) { return Place{columns - 1 - i, rows - 1 - j}; }))
    return "This is the result for the filter mirrored in both directions. The contract's sum goes "
           "through filter and image in the same direction.";
  if (is([](int i, int j) { return Place{j, i}; }))
    return "This is the result for the filter with rows and columns exchanged.";
  if (is([&](int i, int j) { return i == columns - 1 ? Place{-1, 0} : Place{i, j}; }))
    return "The filter's last column is missing.";
  if (is([&](int i, int j) { return j == rows - 1 ? Place{0, -1} : Place{i, j}; }))
    return "The filter's last row is missing.";
  if (is([&](int i, int j) {
        return i == columns - 1 || j == rows - 1 ? Place{-1, -1} : Place{i, j};
      }))
    return "The filter's last row and column are missing.";
  return std::nullopt;
}

/// Right but near the image's border.
inline std::optional<std::string> guess_border(Got got, const Picture& in, const Filter& filter,
                                               Border border) {
  const Border other = border == Border::zero ? Border::clamp : Border::zero;
  if (is_result(got, in, filter, other))
    return border == Border::zero
               ? "This is the result for Border::clamp, and Border::zero was asked for."
               : "This is the result for Border::zero, and Border::clamp was asked for.";
  const int before_x = filter.columns / 2, before_y = filter.rows / 2;
  const Floats right = sums_of<float>(in, filter, border, all_of(in));
  bool inner = false;
  for (int y = 0; y < in.height; ++y) {
    for (int x = 0; x < in.width; ++x) {
      if (x < before_x || y < before_y || x + filter.columns - before_x > in.width ||
          y + filter.rows - before_y > in.height)
        continue;
      inner = true;
      const std::size_t at = static_cast<std::size_t>(y) * in.width + x;
      if (!(got[at] == right[at])) return std::nullopt;
    }
  }
  if (!inner) return std::nullopt;
  return "All pixels are right for which the filter lies within the image. Those near its border "
         "are "
         "not.";
}

template <class Job>
std::optional<std::string> guess(const gridstride::WrongAnswer& wrong) {
  constexpr std::int64_t most = 20'000;  // pixels: a guess need not be long about it
  if (wrong.size == 0 || wrong.size > most || wrong.case_name.rfind("greys", 0) != 0)
    return std::nullopt;
  const auto pixels = wrong.input<float>(0);
  const Picture in{wrong.input<int>(2).front(), wrong.input<int>(3).front(),
                   std::make_shared<Floats>(pixels.begin(), pixels.end())};
  const Filter filter = Job::given_filter(wrong);
  const auto border = static_cast<Border>(wrong.input<std::int32_t>(Job::border_parameter).front());
  const Got got = wrong.output<float>();
  if (auto words = guess_filter(got, in, filter, border)) return words;
  return guess_border(got, in, filter, border);
}

}  // namespace convolution

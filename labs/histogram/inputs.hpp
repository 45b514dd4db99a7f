// What the cases are made from: three jobs, inputs for them, and what must come out.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <vector>

#include "grader/judge/lab.h"
#include "labs/histogram/histogram.h"
#include "labs/histogram/pgm.h"

namespace histogram {

using Count = std::int64_t;
using Counts = std::vector<std::uint32_t>;

/// What is counted: the type of an element, how many bins, and the bin of an element; -1 for one
/// that is not counted.
struct Letters {
  using Value = std::uint8_t;
  static constexpr int bins = letter_bins;
  static int bin(Value c) { return c >= 'a' && c <= 'z' ? (c - 'a') / 4 : -1; }
};
struct Bytes {
  using Value = std::uint8_t;
  static constexpr int bins = byte_bins;
  static int bin(Value value) { return value; }
};
struct Words {
  using Value = std::uint16_t;
  static constexpr int bins = wide_bins;
  static int bin(Value value) { return value; }
};

/// The counts of values[first] … values[last - 1] by any rule.
template <class Values, class Bin>
Counts counts_by(const Values& values, Count first, Count last, int bins, Bin bin) {
  Counts counts(bins);
  for (Count i = first; i < last; ++i) {
    const int b = bin(values[i]);
    if (b >= 0 && b < bins) ++counts[b];
  }
  return counts;
}

template <class Job, class Values>
Counts counts_of(const Values& values) {
  return counts_by(values, 0, static_cast<Count>(values.size()), Job::bins, Job::bin);
}

/// Room for n values and whole words of random bits in them: eight bytes for each number drawn.
template <class Value>
std::vector<Value> uniform(gridstride::Rng& rng, Count n) {
  constexpr Count in_word = sizeof(std::uint64_t) / sizeof(Value);
  std::vector<Value> values(n);
  for (Count i = 0; i < n; i += in_word) {
    std::uint64_t word = rng.next();
    for (Count k = i; k < std::min(n, i + in_word); ++k) {
      values[k] = static_cast<Value>(word);
      word >>= 8 * sizeof(Value);
    }
  }
  return values;
}

/// Small values often, large ones hardly ever: a value's bit is set in one of eight.
template <class Value>
std::vector<Value> skewed(gridstride::Rng& rng, Count n) {
  std::vector<Value> values = uniform<Value>(rng, n);
  for (int times = 0; times < 2; ++times) {
    const std::vector<Value> others = uniform<Value>(rng, n);
    for (Count i = 0; i < n; ++i) values[i] &= others[i];
  }
  return values;
}

template <class Value>
std::vector<Value> all_equal(gridstride::Rng& rng, Count n) {
  // A lower-case letter in the lower byte, so that there is something to count in a text, too.
  const auto letter = rng.uniform<unsigned>('a', 'z');
  return std::vector<Value>(n, static_cast<Value>(rng.next() << 8 | letter));
}

/// All equal but one, anywhere.
template <class Value>
std::vector<Value> one_of_many(gridstride::Rng& rng, Count n) {
  std::vector<Value> values = all_equal<Value>(rng, n);
  values[rng.uniform<Count>(0, n - 1)] ^= 4;
  return values;
}

/// Two values whose counters share a bank, in turns.
template <class Value>
std::vector<Value> same_bank(gridstride::Rng& rng, Count n) {
  std::vector<Value> values = all_equal<Value>(rng, n);
  for (Count i = 1; i < n; i += 2) values[i] ^= 32;
  return values;
}

/// Each value in turn.
template <class Value>
std::vector<Value> ramp(gridstride::Rng&, Count n) {
  std::vector<Value> values(n);
  for (Count i = 0; i < n; ++i) values[i] = static_cast<Value>(i);
  return values;
}

template <class Value>
std::vector<Value> sorted(gridstride::Rng& rng, Count n) {
  std::vector<Value> values = uniform<Value>(rng, n);
  std::sort(values.begin(), values.end());
  return values;
}

template <class Value>
std::vector<Value> reversed(gridstride::Rng& rng, Count n) {
  std::vector<Value> values = sorted<Value>(rng, n);
  std::reverse(values.begin(), values.end());
  return values;
}

/// Rows of 5 to 12 equal values: pieces of 16 bytes that are all one value, and such that are not.
template <class Value>
std::vector<Value> runs(gridstride::Rng& rng, Count n) {
  std::vector<Value> values;
  while (static_cast<Count>(values.size()) < n)
    values.resize(values.size() + rng.uniform<int>(5, 12), static_cast<Value>(rng.next()));
  values.resize(n);
  return values;
}

/// Letters as often as in English, with spaces and capitals between them.
inline std::vector<std::uint8_t> text(gridstride::Rng& rng, Count n) {
  constexpr std::string_view sample =
      "It was the best of times, it was the worst of times, it was the age of wisdom, it was the "
      "age of foolishness; quite a mix of zeal and joy. 1859, C. D.";
  static_assert(sample.size() < 256);
  std::vector<std::uint8_t> letters = uniform<std::uint8_t>(rng, n);
  for (std::uint8_t& each : letters)
    each = static_cast<std::uint8_t>(sample[each * sample.size() / 256]);
  return letters;
}

/// What stands beside the lower-case letters in the character set, and letters with the top bit.
inline std::vector<std::uint8_t> neighbours_of_letters(gridstride::Rng& rng, Count n) {
  constexpr std::array<std::uint8_t, 16> others = {'`', 'a', 'd', 'e', 'x',  'y',  'z', '{',
                                                   '|', '}', '~', 'A', 0xe1, 0xfa, '@', 'Z'};
  std::vector<std::uint8_t> values(n);
  for (std::uint8_t& value : values) value = others[rng.uniform<std::size_t>(0, 15)];
  return values;
}

/// The first n pixels of the misty ball, after a journey through a PGM file.
inline std::vector<std::uint8_t> pixels(gridstride::Rng&, Count n) {
  constexpr int width = 200;
  std::stringstream file;
  write_pgm(file, misty_ball(width, static_cast<int>(n / width + 1)));
  std::vector<std::uint8_t> values = read_pgm(file).pixels;
  values.resize(n);
  return values;
}

}  // namespace histogram

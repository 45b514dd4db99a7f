// Guesses at the mistakes that are made in this lab, from what stands in wrong counters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>

#include "labs/histogram/inputs.hpp"

namespace histogram {

using Guessed = std::optional<std::string>;
using Got = std::span<const std::uint32_t>;

inline bool equal(Got got, const Counts& counts) {
  return std::equal(got.begin(), got.end(), counts.begin(), counts.end());
}

/// Characters that are no lower-case letters, but were counted as some.
template <class Values>
Guessed guess_characters(const Values& in, Got got) {
  const auto by = [&in](auto bin) {
    return counts_by(in, 0, static_cast<Count>(in.size()), letter_bins, bin);
  };
  if (equal(got, by([](int c) { return c >= 'a' ? (c - 'a') / 4 : -1; })))
    return "Characters behind 'z' were counted with the letters: (c - 'a') / 4 is 6 for '{' and "
           "'|', too.";
  if (equal(got, by([](int c) {
              const int lower = c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
              return lower >= 'a' && lower <= 'z' ? (lower - 'a') / 4 : -1;
            })))
    return "Capitals were counted, too.";
  return std::nullopt;
}

/// A part of the bins is right and all others are empty.
inline Guessed guess_merged(Got got, const Counts& right) {
  for (std::size_t merged = got.size() / 2; merged >= 16; merged /= 2) {
    const bool first_right = std::equal(got.begin(), got.begin() + merged, right.begin());
    const bool others_zero =
        std::all_of(got.begin() + merged, got.end(), [](std::uint32_t c) { return c == 0; });
    if (!first_right || !others_zero) continue;
    if (std::all_of(got.begin(), got.begin() + merged, [](std::uint32_t c) { return c == 0; }))
      continue;
    return "The first " + std::to_string(merged) +
           " bins are right and the others are 0. When there are more bins than threads in a "
           "block, a thread has to clear and to merge several.";
  }
  return std::nullopt;
}

/// The elements at one end are missing.
template <class Job, class Values>
Guessed guess_left_out(const Values& in, Got got, const Counts& right) {
  constexpr Count most = 16;
  const auto n = static_cast<Count>(in.size());
  Counts without_last = right, without_first = right;
  for (Count missing = 1; missing <= std::min(most, n); ++missing) {
    if (const int b = Job::bin(in[n - missing]); b >= 0) --without_last[b];
    if (const int b = Job::bin(in[missing - 1]); b >= 0) --without_first[b];
    const std::string elements =
        missing == 1 ? " element." : " " + std::to_string(missing) + " elements.";
    if (equal(got, without_last)) return "These are the counts without the last" + elements;
    if (equal(got, without_first)) return "These are the counts without the first" + elements;
  }
  return std::nullopt;
}

/// Counters that are too narrow.
inline Guessed guess_wrapped(Got got, const Counts& right) {
  const auto short_by_multiples_of = [&](std::uint32_t size) {
    bool some = false;
    for (std::size_t b = 0; b < right.size(); ++b) {
      if (got[b] > right[b] || (right[b] - got[b]) % size != 0) return false;
      some |= got[b] != right[b];
    }
    return some;
  };
  if (short_by_multiples_of(65536))
    return "What is missing are multiples of 65536: a counter of 16 bits has run over.";
  if (short_by_multiples_of(256))
    return "What is missing are multiples of 256: a counter of 8 bits has run over. It counts to "
           "255.";
  return std::nullopt;
}

/// Two counters in a word, of which the lower ran over into the upper.
inline Guessed guess_carried(Got got, const Counts& right) {
  for (std::size_t b = 0; b + 1 < right.size(); b += 2) {
    const std::uint32_t carried = got[b + 1] - right[b + 1];
    if (carried == 0 || got[b + 1] < right[b + 1]) continue;
    if (got[b] + carried * 65536 == right[b])
      return "Bin " + std::to_string(b) + " is short by " + std::to_string(carried) +
             " times 65536, and bin " + std::to_string(b + 1) + " has " + std::to_string(carried) +
             " too many: a counter of 16 bits has run over into its neighbour.";
  }
  return std::nullopt;
}

/// What the sum of all bins tells.
inline Guessed guess_total(Got got, const Counts& right) {
  const auto sum = [](const auto& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  const std::uint64_t counted = sum(got), expected = sum(right);
  const bool none_above =
      std::equal(got.begin(), got.end(), right.begin(), [](auto g, auto r) { return g <= r; });
  const bool none_below =
      std::equal(got.begin(), got.end(), right.begin(), [](auto g, auto r) { return g >= r; });
  const std::string sums = "The bins add up to " + std::to_string(counted) + ", and there were " +
                           std::to_string(expected) + " elements to count: ";
  if (none_above && counted < expected)
    return sums + std::to_string(expected - counted) +
           " additions were lost. When two threads read a counter, add 1 and write it back, one of "
           "the additions may vanish; or some elements were never looked at.";
  if (none_below && counted > expected)
    return sums + "some were counted twice, or a counter was not 0 at the beginning.";
  return std::nullopt;
}

template <class Job>
Guessed guess_counts(const gridstride::WrongAnswer& wrong) {
  const auto in = wrong.input<typename Job::Value>(0);
  const Got got = wrong.output<std::uint32_t>();
  const Counts right = counts_of<Job>(in);
  if constexpr (Job::bins == letter_bins) {
    if (auto words = guess_characters(in, got)) return words;
  }
  if (auto words = guess_left_out<Job>(in, got, right)) return words;
  if (auto words = guess_merged(got, right)) return words;
  if (auto words = guess_wrapped(got, right)) return words;
  if (auto words = guess_carried(got, right)) return words;
  return guess_total(got, right);
}

}  // namespace histogram

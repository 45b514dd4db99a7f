// What went probably wrong, from the shape of a wrong output.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>

#include "labs/quicksort-cdp/inputs.hpp"

namespace quicksort_cdp {

using gridstride::WrongAnswer;
using Words = std::optional<std::string>;
using KeySpan = std::span<const std::int32_t>;

/// Shorter outputs look like many things.
inline constexpr std::size_t telling_keys = 12;
/// Longer ones would have to be sorted for a guess.
inline constexpr std::size_t most_keys = 1 << 20;

inline Count count_of(KeySpan keys, std::int32_t key) {
  return static_cast<Count>(std::count(keys.begin(), keys.end(), key));
}

/// What came out is not what went in.
inline Words guess_lost(KeySpan in, KeySpan got) {
  Keys before(in.begin(), in.end()), after(got.begin(), got.end()), gone;
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  if (before == after) return std::nullopt;
  for (const std::int32_t padding : {largest_key, smallest_key, std::int32_t{0}}) {
    if (count_of(got, padding) > count_of(in, padding))
      return "The key " + std::to_string(padding) + " occurs " +
             std::to_string(count_of(got, padding)) + " times, in the input " +
             std::to_string(count_of(in, padding)) +
             " times: what stands in for missing keys must not take the place of one.";
  }
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                      std::back_inserter(gone));
  if (2 * gone.size() > before.size())
    return "Most of these keys are not the input's: places were never written, or by the keys of "
           "another call.";
  return std::to_string(gone.size()) + " of the input's keys are lost, the first of them " +
         std::to_string(gone.front()) +
         ", and others stand there in their place: two keys went to one place, or one was copied "
         "before a child had put it there.";
}

/// How far the output is in order, in pieces of `section` keys.
inline Words guess_order(const WrongAnswer& wrong, Count section_keys) {
  const KeySpan in = wrong.input<std::int32_t>(0), got = wrong.output<std::int32_t>();
  if (got.size() < telling_keys || got.size() > most_keys) return std::nullopt;
  const auto n = static_cast<Count>(got.size());
  const auto in_order = [&](auto before) {
    for (Count i = 1; i < n; ++i)
      if (i % section_keys != 0 && before(got[i], got[i - 1])) return false;
    return true;
  };
  if (std::equal(in.begin(), in.end(), got.begin()))
    return "This is a copy of the input: nothing has been sorted.";
  if (auto words = guess_lost(in, got)) return words;
  if (in_order(std::greater<>())) return "They are sorted from the largest to the smallest.";
  if (in_order([](std::int32_t a, std::int32_t b) {
        return static_cast<std::uint32_t>(a) < static_cast<std::uint32_t>(b);
      }))
    return "They are in the order of unsigned numbers: negative keys come last.";
  Count unsorted = 0;
  for (Count i = 1; i < n; ++i) unsorted += i % section_keys != 0 && got[i] < got[i - 1];
  return "No key is lost, but " + std::to_string(unsorted) +
         " keys are less than the one before: some ranges were never sorted. A launch that fails "
         "says so in cudaGetLastError() and nowhere else; and a parent cannot see what its "
         "children do.";
}

}  // namespace quicksort_cdp

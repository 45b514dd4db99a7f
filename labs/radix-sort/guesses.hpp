// What went probably wrong, from the shape of a wrong output.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "labs/radix-sort/inputs.hpp"

namespace radix_sort {

using gridstride::WrongAnswer;
using Words = std::optional<std::string>;
using KeySpan = std::span<const std::uint32_t>;

/// Shorter outputs look like many things.
inline constexpr std::size_t telling_keys = 12;

/// Whether all pieces of `section` keys are in the order of rank(key).
template <class Rank>
bool in_order(KeySpan keys, Count section, Rank rank) {
  const auto n = static_cast<Count>(keys.size());
  for (Count i = 1; i < n; ++i) {
    if (i % section != 0 && rank(keys[i - 1]) > rank(keys[i])) return false;
  }
  return true;
}

inline Count count_of(KeySpan keys, std::uint32_t key) {
  return static_cast<Count>(std::count(keys.begin(), keys.end(), key));
}

/// What came out is not what went in.
inline Words guess_lost(KeySpan in, KeySpan got) {
  Keys before(in.begin(), in.end()), after(got.begin(), got.end());
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  if (before == after) return std::nullopt;
  for (const std::uint32_t padding : {largest_key, std::uint32_t{0}}) {
    if (count_of(got, padding) > count_of(in, padding))
      return "The key " + std::to_string(padding) + " occurs " +
             std::to_string(count_of(got, padding)) + " times, in the input " +
             std::to_string(count_of(in, padding)) +
             " times: what stands in for missing keys must not take the place of one.";
  }
  Keys gone;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                      std::back_inserter(gone));
  if (2 * gone.size() > before.size())
    return "Most of these keys are not the input's: they were made up, computed on, or are another "
           "call's.";
  const auto [was, is] = std::mismatch(before.begin(), before.end(), after.begin());
  const std::uint32_t key = std::min(*was, *is);
  return "The key " + std::to_string(key) + " occurs " + std::to_string(count_of(got, key)) +
         " times, in the input " + std::to_string(count_of(in, key)) +
         " times. A sort moves keys; when one is lost, two have gone to the same place.";
}

/// The keys are there, in another order than that of their type.
inline Words guess_type(KeySpan got, KeyType type) {
  const auto number = [](std::uint32_t key) { return key; };
  const auto upside_down = [](std::uint32_t key) { return key ^ sign_bit; };
  const auto n = static_cast<Count>(got.size());
  if (type == KeyType::unsigned_integer) return std::nullopt;
  if (in_order(got, n, number))
    return "They are in the order of their bits as unsigned numbers: the sign bit of negative keys "
           "makes those the largest.";
  if (type == KeyType::floating_point && in_order(got, n, upside_down))
    return "Negative floats come first, but in reverse: their magnitude counts the wrong way "
           "round, so all of their bits must be flipped, not the sign alone.";
  return std::nullopt;
}

inline Words guess_order(KeySpan in, KeySpan got, KeyType type, Count section) {
  if (auto words = guess_lost(in, got)) return words;
  if (got.size() < telling_keys) return std::nullopt;
  const auto rank = [type](std::uint32_t key) { return rank_of(key, type); };
  if (in_order(got, section, [rank](std::uint32_t key) { return ~rank(key); }))
    return "They are sorted from the largest to the smallest.";
  if (auto words = guess_type(got, type)) return words;
  for (int bits = 31; bits >= 4; --bits) {
    if (in_order(got, section, [=](std::uint32_t key) { return rank(key) & ((1u << bits) - 1); }))
      return "They are in the order of their lowest " + std::to_string(bits) +
             " bits: the passes for the bits above are missing.";
    if (in_order(got, section, [=](std::uint32_t key) { return rank(key) >> (32 - bits); }))
      return "They are in the order of their highest " + std::to_string(bits) +
             " bits only: either the lower ones are not sorted at all, or the passes for the "
             "higher ones do not keep the order in which they find equal digits.";
  }
  for (Count piece = section / 2; piece >= 32; piece /= 2) {
    if (section % piece == 0 && in_order(got, piece, rank))
      return "Each piece of " + std::to_string(piece) + " keys is sorted for itself.";
  }
  return "No key is lost, but they are not sorted. A pass from the lowest digit must keep the "
         "order "
         "of keys with equal digits, or it spoils what the passes before it have done.";
}

/// For sort_pairs(): an output of values, when the keys were right.
inline Words guess_values(const WrongAnswer& wrong) {
  const auto keys = wrong.input<std::uint32_t>(0), values = wrong.input<std::uint32_t>(1);
  const auto got = wrong.output<std::uint32_t>();
  const KeyType type = wrong.input<KeyType>(5)[0];
  if (got.size() < telling_keys || got.size() > 1u << 20) return std::nullopt;
  if (std::equal(got.begin(), got.end(), values.begin()))
    return "They are a copy of the input's values: a value must go where its key goes.";
  const Keys from(keys.begin(), keys.end());
  const std::vector<Count> order = stable_order(from, type);
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && from[order[end]] == from[order[first]]) ++end;
    Keys right, here(got.begin() + first, got.begin() + end);
    for (std::size_t i = first; i < end; ++i) right.push_back(values[order[i]]);
    std::sort(right.begin(), right.end());
    std::sort(here.begin(), here.end());
    if (right != here) return "Keys are right, but values stand at other keys than their own.";
    first = end;
  }
  return "Keys are right, and each value stands at a key that it may stand at, but values of equal "
         "keys are not in the order of the input: the sort is not stable.";
}

}  // namespace radix_sort

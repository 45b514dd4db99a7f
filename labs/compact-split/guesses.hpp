// Guesses at the mistakes that are made in this lab, from what stands in a wrong output.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "labs/compact-split/outputs.hpp"

namespace compact_split {

using gridstride::WrongAnswer;
using Words = std::optional<std::string>;

inline Floats input_of(const WrongAnswer& wrong) {
  const auto in = wrong.input<float>(0);
  return {in.begin(), in.end()};
}

inline bool starts_with(std::span<const float> got, const Floats& elements) {
  return got.size() >= elements.size() &&
         std::equal(elements.begin(), elements.end(), got.begin(), same_bits);
}

inline bool starts_with_reversed(std::span<const float> got, const Floats& elements) {
  return got.size() >= elements.size() &&
         std::equal(elements.rbegin(), elements.rend(), got.begin(), same_bits);
}

/// Of elements that must stand in the order `right`.
inline Words guess_order(std::span<const float> got, const Floats& right) {
  if (right.size() < 2) return std::nullopt;
  if (starts_with_reversed(got, right))
    return "These are the right elements in reverse order: places were given from the end.";
  if (fingerprint(got.first(right.size())) == fingerprint(right))
    return "These are the right elements, but not in their order: a place that is drawn from a "
           "counter goes to whoever comes first, a place that is a rank does not.";
  std::size_t shifted = 0;
  while (shifted + 1 < right.size() && same_bits(got[shifted + 1], right[shifted])) ++shifted;
  if (shifted + 1 == right.size())
    return "Each element stands one place too far: off by one (a rank that counts the element "
           "itself is inclusive; an address is the exclusive one).";
  if (starts_with(got, Floats(right.begin() + 1, right.end())))
    return "The first of them is missing and all others stand one place too early: off by one.";
  return std::nullopt;
}

/// Of an output of kept elements.
inline Words guess_kept(const WrongAnswer& wrong, std::size_t parameter) {
  if (wrong.argument != parameter) return std::nullopt;
  const Floats in = input_of(wrong);
  const auto got = wrong.output<float>();
  constexpr std::size_t telling = 4;  // fewer elements could be there by chance
  const auto holds = [&](auto keep) {
    const Floats others = chosen(in, keep);
    return others.size() >= telling && starts_with(got, others);
  };
  if (starts_with(got, in)) return "This is a copy of the input: nothing was packed.";
  if (holds([](float value) { return value >= 0.0f; }))
    return "These are the elements that are not below zero. Kept are those greater than zero: not "
           "0, and not -0.";
  if (holds([](float value) { return !(value <= 0.0f); }))
    return "NaN has been kept. Every comparison with NaN is false: value > 0 and !(value <= 0) "
           "differ.";
  if (holds([](float value) { return !is_kept(value); }))
    return "These are the elements that should have been rejected: the predicate is the wrong way "
           "round.";
  if (auto words = guess_order(got, kept_of(in))) return words;
  constexpr Count most_blocks = 64;
  for (Count block = 1024; block >= 32; block /= 2) {
    const Count end = std::min(size_of(in), most_blocks * block);
    for (Count first = block; first + block <= end; first += block) {
      const Floats of_block = kept_of({in.begin() + first, in.begin() + first + block});
      if (of_block.size() >= telling && starts_with(got, of_block))
        return "It begins with what is kept of in[" + std::to_string(first) + "] to in[" +
               std::to_string(first + block - 1) +
               "]: each block packs to the beginning. What is kept before its elements must be "
               "added to the address.";
    }
  }
  return std::nullopt;
}

inline Words guess_rejected(const WrongAnswer& wrong, std::size_t parameter) {
  if (wrong.argument != parameter) return std::nullopt;
  return guess_order(wrong.output<float>(), rejected_of(input_of(wrong)));
}

inline Words guess_count(const WrongAnswer& wrong, std::size_t parameter) {
  if (wrong.argument != parameter) return std::nullopt;
  const Floats in = input_of(wrong);
  const Count got = wrong.output<Count>()[0], n = size_of(in), right = size_of(kept_of(in));
  if (got == right - 1 && is_kept(in.back()))
    return "It is the number of elements kept before the last one: an exclusive scan does not "
           "count "
           "the last element itself.";
  if (got == n - right && got != right) return "It is the number of elements that are rejected.";
  for (Count tile = 32; tile < n; tile *= 2) {
    const auto kept = [&](Count from, Count to) {
      return std::count_if(in.begin() + from, in.begin() + to, is_kept);
    };
    if (got == kept(0, tile))
      return "It is the number kept among the first " + std::to_string(tile) +
             " elements: the others were never counted.";
    const Count last = (n - 1) / tile * tile;
    if (tile > 32 && got == kept(last, n))
      return "It is the number kept among the last " + std::to_string(n - last) +
             " elements: that of the last " + std::to_string(tile) + " alone.";
  }
  return std::nullopt;
}

inline Words guess_split_back(const WrongAnswer& wrong) {
  const Floats in = input_of(wrong);
  const auto packed = wrong.input<float>(1);
  const auto got = wrong.output<float>();
  bool kept_right = true, unranked = true;
  std::size_t next = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!is_kept(in[i])) continue;
    kept_right &= same_bits(got[i], packed[next++]);
    unranked &= i < packed.size() && same_bits(got[i], packed[i]);
  }
  if (kept_right)
    return "All kept elements are back in their places. The others must be 0: somebody has to "
           "write "
           "that, too.";
  if (unranked && next > 0)
    return "out[i] is packed[i]. Packed elements stand closer together: in[i]'s place is its rank.";
  return std::nullopt;
}

}  // namespace compact_split

// What the cases are made from: keys in every order that has made a quicksort slow or wrong.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "grader/judge/lab.h"
#include "labs/quicksort-cdp/quicksort-cdp.h"

namespace quicksort_cdp {

using gridstride::Rng;
using Keys = std::vector<std::int32_t>;
using Count = std::int64_t;

inline constexpr std::int32_t smallest_key = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int32_t largest_key = std::numeric_limits<std::int32_t>::max();

inline Keys random_keys(Rng& rng, Count n) {
  return rng.uniform<std::int32_t>(n, smallest_key, largest_key);
}
/// Seven values, so that most keys have many equals; the smallest and the largest key, which tempt
/// as padding, are among them.
inline Keys few_values(Rng& rng, Count n) {
  Keys values = random_keys(rng, 7);
  values[0] = smallest_key;
  values[1] = largest_key;
  Keys keys(n);
  for (auto& key : keys) key = values[rng.uniform<std::size_t>(0, values.size() - 1)];
  return keys;
}
inline Keys all_equal(Rng& rng, Count n) {
  return Keys(n, rng.uniform<std::int32_t>(smallest_key, largest_key));
}
inline Keys all_largest(Rng&, Count n) { return Keys(n, largest_key); }
inline Keys all_smallest(Rng&, Count n) { return Keys(n, smallest_key); }
/// All equal but one, which stands anywhere.
inline Keys one_stranger(Rng& rng, Count n) {
  Keys keys(n, 5);
  if (n > 0) keys[rng.uniform<std::size_t>(0, keys.size() - 1)] = rng.uniform<int>(0, 1) * 10;
  return keys;
}
inline Keys sorted(Rng& rng, Count n) {
  Keys keys = random_keys(rng, n);
  std::sort(keys.begin(), keys.end());
  return keys;
}
inline Keys reversed(Rng& rng, Count n) {
  Keys keys = sorted(rng, n);
  std::reverse(keys.begin(), keys.end());
  return keys;
}
/// Rises to the middle and falls again: a pivot from the middle is the largest key.
inline Keys organ_pipe(Rng& rng, Count n) {
  Keys keys = sorted(rng, n), pipe(n);
  for (Count i = 0; i < n; ++i) pipe[i % 2 == 0 ? i / 2 : n - 1 - i / 2] = keys[i];
  return pipe;
}
/// Falls to the middle and rises again.
inline Keys valley(Rng& rng, Count n) {
  Keys keys = organ_pipe(rng, n);
  std::rotate(keys.begin(), keys.begin() + n / 2, keys.end());
  return keys;
}
/// Made against the median of first, middle and last key, which is next to the smallest time and
/// again (Musser, Introspective Sorting and Selection Algorithms, 1997).
inline Keys against_median_of_three(Rng& rng, Count n) {
  const auto half = static_cast<std::int32_t>(n / 2), base = rng.uniform<std::int32_t>(-9, 9);
  Keys keys(n);
  for (std::int32_t i = 0; i < half; ++i) {
    keys[i] = base + (i % 2 == 0 ? i + 1 : half + i - half % 2);
    keys[half + i] = base + 2 * (i + 1);
  }
  if (n % 2 == 1) keys[n - 1] = base + 2 * half + 1;
  return keys;
}
/// 32 keys, evenly spread, are far below all others: a pivot from such places parts next to
/// nothing.
inline Keys misleading_samples(Rng& rng, Count n) {
  Keys keys = rng.uniform<std::int32_t>(n, 0, largest_key);
  for (Count k = 0; n >= 64 && k < 32; ++k) {
    keys[n * (2 * k + 1) / 64] = rng.uniform<std::int32_t>(smallest_key, -1);
  }
  return keys;
}
/// Each key is half of what is left of the range: of any few keys most are close to 0.
inline Keys exponential(Rng& rng, Count n) {
  Keys keys = random_keys(rng, n);
  for (auto& key : keys) key >>= rng.uniform<int>(0, 31);
  return keys;
}
/// Next to the ends of the range and around 0.
inline Keys extremes(Rng& rng, Count n) {
  Keys keys(n);
  for (auto& key : keys) {
    const std::int32_t corners[] = {smallest_key, largest_key - 2, -1};
    key = corners[rng.uniform<int>(0, 2)] + rng.uniform<int>(0, 2);
  }
  return keys;
}

/// Each section sorted for itself.
inline Keys sorted_sections(Keys keys, Count section_keys) {
  const auto n = static_cast<Count>(keys.size());
  for (Count first = 0; first < n; first += section_keys)
    std::sort(keys.begin() + first, keys.begin() + std::min(first + section_keys, n));
  return keys;
}

}  // namespace quicksort_cdp

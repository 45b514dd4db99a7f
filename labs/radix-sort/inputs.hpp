// What the cases are made from: keys, and the order that they must come out in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "grader/judge/lab.h"
#include "labs/radix-sort/radix-sort.h"

namespace radix_sort {

using Keys = std::vector<std::uint32_t>;
using Count = std::int64_t;

inline constexpr std::uint32_t largest_key = 0xffffffff;
inline constexpr std::uint32_t sign_bit = 0x80000000;

inline Count size_of(const Keys& keys) { return static_cast<Count>(keys.size()); }

/// An unsigned number of the same order as the key.
inline std::uint32_t rank_of(std::uint32_t key, KeyType type) {
  switch (type) {
    case KeyType::unsigned_integer:
      return key;
    case KeyType::signed_integer:
      return key ^ sign_bit;
    case KeyType::floating_point:
      return (key & sign_bit) != 0 ? ~key : key | sign_bit;
  }
  return key;
}

inline Keys random_keys(gridstride::Rng& rng, Count n) {
  return rng.uniform<std::uint32_t>(n, 0, largest_key);
}
/// Seven values, so that most keys have many equals; 0 and the largest key, which tempts as
/// padding, are among them.
inline Keys few_values(gridstride::Rng& rng, Count n) {
  Keys values = rng.uniform<std::uint32_t>(7, 0, largest_key);
  values[0] = 0;
  values[1] = largest_key;
  Keys keys(n);
  for (auto& key : keys) key = values[rng.uniform<std::size_t>(0, values.size() - 1)];
  return keys;
}
inline Keys all_equal(gridstride::Rng& rng, Count n) {
  return Keys(n, rng.uniform<std::uint32_t>(0, largest_key));
}
inline Keys all_largest(gridstride::Rng&, Count n) { return Keys(n, largest_key); }
inline Keys sorted(gridstride::Rng& rng, Count n) {
  Keys keys = random_keys(rng, n);
  std::sort(keys.begin(), keys.end());
  return keys;
}
inline Keys reversed(gridstride::Rng& rng, Count n) {
  Keys keys = sorted(rng, n);
  std::reverse(keys.begin(), keys.end());
  return keys;
}
/// Consecutive numbers: every digit value in turn.
inline Keys ramp(gridstride::Rng& rng, Count n) {
  Keys keys(n);
  std::iota(keys.begin(), keys.end(), rng.uniform<std::uint32_t>(0, largest_key));
  return keys;
}
/// Differ in one byte alone; which one, chance decides.
inline Keys one_byte(gridstride::Rng& rng, Count n) {
  const std::uint32_t same = rng.uniform<std::uint32_t>(0, largest_key);
  const int shift = 8 * rng.uniform<int>(0, 3);
  Keys keys(n);
  for (auto& key : keys) key = same ^ rng.uniform<std::uint32_t>(0, 255) << shift;
  return keys;
}
/// Near the ends of every type's range, both zeros, infinities, NaNs of both signs, denormals.
inline Keys extremes(gridstride::Rng& rng, Count n) {
  const Keys corners = {0,          1,          2,          0x007fffff, 0x00800000, 0x3f800000,
                        0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7ffffffe, 0x7fffffff};
  Keys keys(n);
  for (auto& key : keys)
    key = corners[rng.uniform<std::size_t>(0, corners.size() - 1)] |
          (rng.uniform<int>(0, 1) == 0 ? sign_bit : 0);
  return keys;
}

/// Each section sorted for itself.
inline Keys sorted_sections(Keys keys, Count section) {
  for (Count first = 0; first < size_of(keys); first += section)
    std::sort(keys.begin() + first, keys.begin() + std::min(first + section, size_of(keys)));
  return keys;
}

/// The indices of the keys in the order that their elements must have.
inline std::vector<Count> stable_order(const Keys& keys, KeyType type) {
  std::vector<Count> order(keys.size());
  std::iota(order.begin(), order.end(), Count{0});
  std::stable_sort(order.begin(), order.end(), [&](Count a, Count b) {
    return rank_of(keys[a], type) < rank_of(keys[b], type);
  });
  return order;
}

inline Keys picked(const Keys& from, const std::vector<Count>& order) {
  Keys result;
  result.reserve(order.size());
  for (const Count index : order) result.push_back(from[index]);
  return result;
}

}  // namespace radix_sort

// What the cases of all three functions are made from: inputs, and what must come of them.
//
// Magnitudes are drawn from millions of values, so that an element in another's place shows; which
// elements are kept is what the inputs differ in.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "grader/judge/lab.h"

namespace compact_split {

using Floats = std::vector<float>;
using Count = std::int64_t;

inline bool is_kept(float value) { return value > 0.0f; }

inline float magnitude(gridstride::Rng& rng) { return rng.uniform<float>(0.01f, 1.0f); }

/// n elements; `keep(i)` says which are greater than zero.
template <class Keep>
Floats elements(gridstride::Rng& rng, Count n, Keep keep) {
  Floats values(n);
  for (Count i = 0; i < n; ++i) values[i] = keep(i) ? magnitude(rng) : -magnitude(rng);
  return values;
}

inline Floats mixed(gridstride::Rng& rng, Count n) {
  return elements(rng, n, [&rng](Count) { return rng.uniform<int>(0, 1) == 0; });
}
inline Floats few_kept(gridstride::Rng& rng, Count n) {
  return elements(rng, n, [&rng](Count) { return rng.uniform<int>(0, 99) == 0; });
}
inline Floats nothing_kept(gridstride::Rng& rng, Count n) {
  return elements(rng, n, [](Count) { return false; });
}
inline Floats all_kept(gridstride::Rng& rng, Count n) {
  return elements(rng, n, [](Count) { return true; });
}
inline Floats first_kept(gridstride::Rng& rng, Count n) {
  return elements(rng, n, [](Count i) { return i == 0; });
}
inline Floats last_kept(gridstride::Rng& rng, Count n) {
  return elements(rng, n, [n](Count i) { return i == n - 1; });
}
inline Floats alternating(gridstride::Rng& rng, Count n) {
  return elements(rng, n, [](Count i) { return i % 2 == 1; });
}
inline Floats sorted(gridstride::Rng& rng, Count n) {
  Floats values = mixed(rng, n);
  std::sort(values.begin(), values.end());
  return values;
}
inline Floats reversed(gridstride::Rng& rng, Count n) {
  Floats values = sorted(rng, n);
  std::reverse(values.begin(), values.end());
  return values;
}
/// Runs of kept and of rejected elements, of up to 300 each.
inline Floats runs(gridstride::Rng& rng, Count n) {
  Count left = 0;
  bool keep = false;
  return elements(rng, n, [&](Count) {
    if (left-- == 0) {
      left = rng.uniform<Count>(0, 299);
      keep = !keep;
    }
    return keep;
  });
}

/// What is not greater than zero although it looks so, or is although it hardly is: NaNs (each of
/// its own bits), both zeros, infinities, the smallest numbers of both signs.
inline Floats special_values(gridstride::Rng& rng, Count n) {
  constexpr float tiny = std::numeric_limits<float>::denorm_min();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Floats values(n);
  for (float& value : values) {
    constexpr std::uint32_t quiet_nan = 0x7fc00000, sign = 0x80000000;
    switch (rng.uniform<int>(0, 8)) {
      case 0:
        value = std::bit_cast<float>(quiet_nan | rng.uniform<std::uint32_t>(0, 0x3fffff));
        break;
      case 1:
        value = std::bit_cast<float>(quiet_nan | sign | rng.uniform<std::uint32_t>(0, 0x3fffff));
        break;
      case 2:
        value = 0.0f;
        break;
      case 3:
        value = -0.0f;
        break;
      case 4:
        value = rng.uniform<int>(0, 1) == 0 ? infinity : -infinity;
        break;
      case 5:
        value = tiny * rng.uniform<float>(1, 1000);
        break;
      case 6:
        value = -tiny * rng.uniform<float>(1, 1000);
        break;
      default:
        value = rng.uniform<float>(-1, 1);
    }
  }
  return values;
}

/// The elements for which `keep` holds, in their order. Written without a branch, which half of the
/// time would be predicted wrongly: timed calls have millions of elements.
template <class Keep>
Floats chosen(const Floats& in, Keep keep) {
  Floats result(in.size() + 1);
  std::size_t next = 0;
  for (const float value : in) {
    result[next] = value;
    next += keep(value) ? 1 : 0;
  }
  result.resize(next);
  return result;
}

inline Floats kept_of(const Floats& in) { return chosen(in, is_kept); }
inline Floats rejected_of(const Floats& in) {
  return chosen(in, [](float value) { return !is_kept(value); });
}

/// What split_back() makes of it.
inline Floats split_back_of(const Floats& in, const Floats& packed) {
  Floats result(in.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < in.size(); ++i) result[i] = is_kept(in[i]) ? packed[next++] : 0.0f;
  return result;
}

inline Count size_of(const Floats& values) { return static_cast<Count>(values.size()); }

}  // namespace compact_split

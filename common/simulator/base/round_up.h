// Sizes are multiples of a unit nearly everywhere on a GPU.
#pragma once

#include <concepts>
#include <type_traits>

namespace gridstride::sim {

/// The smallest multiple of `unit`, which is not 0, that is not below `value`. The caller makes sure
/// that there is one in T.
template <std::unsigned_integral T>
constexpr T round_up(T value, std::type_identity_t<T> unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace gridstride::sim

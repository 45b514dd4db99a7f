// What integer instructions and atomics do to one lane; those who include it pick types and
// handlers.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/simulator/base/wide_integer.h"

namespace gridstride::sim::integer {

/// Arithmetic wraps: it is done on unsigned types of at least 32 bits.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
/// A type that holds any product of two T.
template <class T>
using Double = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, Int128, UInt128>,
    std::conditional_t<sizeof(T) == 4,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>>;

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};
struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
};
inline std::int32_t saturated(std::int64_t value) {
  constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t high = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(value < low ? low : value > high ? high : value);
}
struct AddSaturating {
  static std::int32_t apply(std::int32_t a, std::int32_t b) {
    return saturated(std::int64_t{a} + b);
  }
};
struct SubSaturating {
  static std::int32_t apply(std::int32_t a, std::int32_t b) {
    return saturated(std::int64_t{a} - b);
  }
};
struct MulLow {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
};
struct MulHigh {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((static_cast<Double<T>>(a) * static_cast<Double<T>>(b)) >>
                          (8 * sizeof(T)));
  }
};
struct MulWide {
  template <class T>
  static Double<T> apply(T a, T b) {
    return static_cast<Double<T>>(a) * static_cast<Double<T>>(b);
  }
};
struct MadLow {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(MulLow::apply(a, b), c);
  }
};
struct MadHigh {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(MulHigh::apply(a, b), c);
  }
};
struct MadHighSaturating {
  static std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
    return saturated(std::int64_t{MulHigh::apply(a, b)} + c);
  }
};
struct MadWide {
  template <class T>
  static Double<T> apply(T a, T b, Double<T> c) {
    return Add::apply(MulWide::apply(a, b), c);
  }
};
/// The low 24 bits of a value, sign-extended for signed types.
template <class T>
std::int64_t low_24(T value) {
  const auto bits = static_cast<std::uint32_t>(value) << 8;
  return std::is_signed_v<T> ? std::int64_t{static_cast<std::int32_t>(bits) >> 8}
                             : std::int64_t{bits >> 8};
}
struct Mul24Low {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(low_24(a) * low_24(b));
  }
};
struct Mul24High {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((low_24(a) * low_24(b)) >> 16);
  }
};
template <class Product>
struct Mad24 {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(Product::apply(a, b), c);
  }
};
/// Division by zero has no defined result; the hardware gives all ones. The most negative number
/// divided by -1 wraps to itself.
struct Div {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Sub::apply(T{0}, a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct And {
  template <class T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
template <class Order>
struct Relu {
  template <class T>
  static T apply(T a, T b) {
    return Max::apply(Order::apply(a, b), T{0});
  }
};
struct Neg {
  template <class T>
  static T apply(T a) {
    return Sub::apply(T{0}, a);
  }
};
struct Abs {
  template <class T>
  static T apply(T a) {
    return a < 0 ? Sub::apply(T{0}, a) : a;
  }
};
struct Sad {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(c, a < b ? Sub::apply(b, a) : Sub::apply(a, b));
  }
};
/// The same operation on both halves of a 32-bit word.
template <class F, class T>
struct Packed {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    const auto half = [](std::uint32_t word, int at) { return static_cast<T>(word >> at); };
    const auto low = static_cast<std::uint16_t>(F::apply(half(a, 0), half(b, 0)));
    const auto high = static_cast<std::uint16_t>(F::apply(half(a, 16), half(b, 16)));
    return low | std::uint32_t{high} << 16;
  }
};
/// Dot product of `n` bytes of b with n parts of a, each 32/n bits wide (n = 4), or with the two
/// 16-bit halves of a (n = 2, on the low or high half of b).
template <class A, class B>
struct Dp4a {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (int byte = 0; byte < 32; byte += 8)
      c += static_cast<std::uint32_t>(std::int32_t{static_cast<A>(a >> byte)} *
                                      std::int32_t{static_cast<B>(b >> byte)});
    return c;
  }
};
template <class A, class B, int first_byte>
struct Dp2a {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (int part = 0; part < 2; ++part)
      c += static_cast<std::uint32_t>(std::int32_t{static_cast<A>(a >> (16 * part))} *
                                      std::int32_t{static_cast<B>(b >> (8 * (part + first_byte)))});
    return c;
  }
};

}  // namespace gridstride::sim::integer

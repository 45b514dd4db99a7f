// The orders of setp and set, by the names of their modifiers.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "common/simulator/base/half.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/isa/arithmetic/float_lanes.h"

namespace gridstride::sim::orders {

// Orders of integers, and of floats where an unordered pair (with a NaN) gives false; the names are
// those of the modifiers.
struct Eq {
  template <class T>
  static bool apply(T a, T b) {
    return a == b;
  }
};
struct Lt {
  template <class T>
  static bool apply(T a, T b) {
    return a < b;
  }
};
struct Le {
  template <class T>
  static bool apply(T a, T b) {
    return a <= b;
  }
};
struct Gt {
  template <class T>
  static bool apply(T a, T b) {
    return a > b;
  }
};
struct Ge {
  template <class T>
  static bool apply(T a, T b) {
    return a >= b;
  }
};
struct Ne {
  template <class T>
  static bool apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return (a < b) | (a > b);
    return a != b;
  }
};
/// The same, true for an unordered pair: the opposite order, denied.
template <class Opposite>
struct Unordered {
  template <class T>
  static bool apply(T a, T b) {
    return !Opposite::apply(a, b);
  }
};
struct Num {
  template <class T>
  static bool apply(T a, T b) {
    return (a == a) & (b == b);
  }
};

template <class F>
struct Flushing {
  static bool apply(float a, float b) { return F::apply(lanes::flushed(a), lanes::flushed(b)); }
};
/// Comparison of 16-bit floats: one half of a word, the lower or the upper one.
template <class F, class T, int shift>
struct OfHalf {
  static bool apply(std::uint32_t a, std::uint32_t b) {
    return F::apply(lanes::to_float(T{static_cast<std::uint16_t>(a >> shift)}),
                    lanes::to_float(T{static_cast<std::uint16_t>(b >> shift)}));
  }
};

template <class Use>
bool with_integer_order(std::string_view name, bool is_unsigned, Use&& use) {
  if (name == "eq") return use(Tag<Eq>());
  if (name == "ne") return use(Tag<Ne>());
  if (name == "lt" || (is_unsigned && name == "lo")) return use(Tag<Lt>());
  if (name == "le" || (is_unsigned && name == "ls")) return use(Tag<Le>());
  if (name == "gt" || (is_unsigned && name == "hi")) return use(Tag<Gt>());
  if (name == "ge" || (is_unsigned && name == "hs")) return use(Tag<Ge>());
  return false;
}
template <class Use>
bool with_float_order(std::string_view name, Use&& use) {
  if (name == "equ") return use(Tag<Unordered<Ne>>());
  if (name == "neu") return use(Tag<Unordered<Eq>>());
  if (name == "ltu") return use(Tag<Unordered<Ge>>());
  if (name == "leu") return use(Tag<Unordered<Gt>>());
  if (name == "gtu") return use(Tag<Unordered<Le>>());
  if (name == "geu") return use(Tag<Unordered<Lt>>());
  if (name == "num") return use(Tag<Num>());
  if (name == "nan") return use(Tag<Unordered<Num>>());
  return with_integer_order(name, false, use);
}

}  // namespace gridstride::sim::orders

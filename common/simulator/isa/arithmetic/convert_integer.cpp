// cvt whose source or destination is an integer.
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/simulator/base/half.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/isa/arithmetic/convert.h"
#include "common/simulator/isa/arithmetic/float_lanes.h"
#include "common/simulator/isa/arithmetic/lanes.h"

namespace gridstride::sim {

namespace {

using lanes::Bfloat;
using lanes::Half;
using ptx::Type;

/// A destination register may be wider than an 8- or 16-bit type; the value is then extended by its
/// sign, so that is how narrow results stand in their 32-bit lanes.
template <class T>
using Extended =
    std::conditional_t<(sizeof(T) >= 4), T,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>;

template <class Use>
bool with_any_integer(Type type, Use&& use) {
  if (type == Type::u8) return use(Tag<std::uint8_t>());
  if (type == Type::s8) return use(Tag<std::int8_t>());
  return with_integer(type, use);
}

template <class D>
struct Truncate {
  template <class S>
  static Extended<D> apply(S a) {
    return static_cast<D>(a);
  }
};
template <class D>
struct Clamp {
  template <class S>
  static Extended<D> apply(S a) {
    using Limits = std::numeric_limits<D>;
    if (std::cmp_less(a, Limits::min())) return Limits::min();
    if (std::cmp_greater(a, Limits::max())) return Limits::max();
    return static_cast<D>(a);
  }
};

template <Conversion::Integral mode, class S>
S integral(S a) {
  switch (mode) {
    case Conversion::Integral::zero:
      return std::trunc(a);
    case Conversion::Integral::down:
      return std::floor(a);
    case Conversion::Integral::up:
      return std::ceil(a);
    default:
      return std::nearbyint(a);  // to even: the host's mode is to nearest
  }
}

inline float as_float(float a) { return a; }
inline double as_float(double a) { return a; }
inline float as_float(Half a) { return lanes::to_float(a); }
inline float as_float(Bfloat a) { return lanes::to_float(a); }

/// Float to integer: rounded, then clamped to the range of D. NaN gives 0, but the lowest signed
/// number (as bits) when the source is f64 or the destination has 64 bits.
template <class D, Conversion::Integral mode, bool ftz>
struct ToInteger {
  template <class S>
  static Extended<D> apply(S source) {
    auto a = as_float(source);
    using F = decltype(a);
    if constexpr (ftz) a = lanes::flushed(a);
    const F whole = integral<mode>(a);
    using Limits = std::numeric_limits<D>;
    constexpr bool wide = sizeof(F) == 8 || sizeof(D) == 8;
    constexpr D for_nan = wide ? static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1)) : D{0};
    // One past the largest value is a power of two, which every float type holds.
    constexpr F end = static_cast<F>(Limits::max() / 2 + 1) * 2;
    const D inside =
        whole >= static_cast<F>(Limits::min()) && whole < end ? static_cast<D>(whole) : D{0};
    return whole >= end                            ? Limits::max()
           : whole < static_cast<F>(Limits::min()) ? Limits::min()
           : whole == whole                        ? inside
                                                   : for_nan;
  }
};

/// In the host's rounding mode. Clang takes unsigned numbers of 64 bits apart in a way that makes
/// -0 of 0 when it rounds down, so they go through signed ones: of large ones the half, with its
/// lowest bit set when a bit is lost.
template <class D, class S>
D in_hosts_mode(S a) {
  if constexpr (std::is_same_v<S, std::uint64_t>) {
    const std::uint64_t half = a >> 1 | (a & 1);
    return a >> 63 == 0 ? static_cast<D>(static_cast<std::int64_t>(a))
                        : static_cast<D>(static_cast<std::int64_t>(half)) * 2;
  } else {
    return static_cast<D>(a);
  }
}

template <class D, bool sat>
struct ToFloat {
  template <class S>
  static D apply(S a) {
    const D result = in_hosts_mode<D>(a);
    return sat ? lanes::saturated_unit(result) : result;
  }
};
/// An integer as a double; one of more than 53 bits with its lowest bit set when bits are lost, so
/// that it can be rounded once more.
template <class S>
double odd_double(S a) {
  if constexpr (sizeof(S) == 8) {
    const S beyond = a >> 53;  // bits that a double has no room for, or copies of the sign
    if (beyond != 0 && (std::is_unsigned_v<S> || beyond != static_cast<S>(-1)))
      return static_cast<double>((a >> 11) | ((a & 0x7ff) != 0 ? 1 : 0)) * 2048.0;
  }
  return static_cast<double>(a);
}
template <class D, lanes::Rounding mode>
struct ToHalf {
  template <class S>
  static D apply(S a) {
    return lanes::from_number<D>(odd_double(a), mode);
  }
};

template <class D, class S>
bool set_to_half(const Conversion& what, Inst& out) {
  using enum lanes::Rounding;
  if (what.sat) return false;
  switch (what.rounding) {
    case Conversion::Rounding::nearest:
      return lanes::set_each<ToHalf<D, nearest>, D, S>(out);
    case Conversion::Rounding::zero:
      return lanes::set_each<ToHalf<D, zero>, D, S>(out);
    case Conversion::Rounding::down:
      return lanes::set_each<ToHalf<D, down>, D, S>(out);
    case Conversion::Rounding::up:
      return lanes::set_each<ToHalf<D, up>, D, S>(out);
    default:
      return false;
  }
}

template <Conversion::Integral mode>
bool set_to_integer(const Conversion& what, Inst& out) {
  return with_any_integer(what.to, [&](auto tag) {
    using D = typename decltype(tag)::type;
    using Plain = ToInteger<D, mode, false>;
    switch (what.from) {
      case Type::f32:
        return what.ftz ? lanes::set_simple<ToInteger<D, mode, true>, Extended<D>, float>(out)
                        : lanes::set_simple<Plain, Extended<D>, float>(out);
      case Type::f64:
        return !what.ftz && lanes::set_each<Plain, Extended<D>, double>(out);
      case Type::f16:
        return !what.ftz && lanes::set_each<Plain, Extended<D>, Half>(out);
      case Type::bf16:
        return !what.ftz && lanes::set_each<Plain, Extended<D>, Bfloat>(out);
      default:
        return false;
    }
  });
}

}  // namespace

bool convert_integers(const Conversion& what, const ptx::Instruction& instruction,
                      DecodeContext& context, Inst& out) {
  if (what.integral != Conversion::Integral::none || what.rounding != Conversion::Rounding::none ||
      what.ftz || what.relu || !bind(instruction, context, out, what.to, {what.from}, Width::wider))
    return false;
  return with_any_integer(what.to, [&](auto to) {
    using D = typename decltype(to)::type;
    return with_any_integer(what.from, [&](auto from) {
      using S = typename decltype(from)::type;
      return what.sat ? lanes::set_each<Clamp<D>, Extended<D>, S>(out)
                      : lanes::set_simple<Truncate<D>, Extended<D>, S>(out);
    });
  });
}

bool convert_to_float(const Conversion& what, const ptx::Instruction& instruction,
                      DecodeContext& context, Inst& out) {
  if (what.integral != Conversion::Integral::none || what.ftz || what.relu ||
      what.rounding == Conversion::Rounding::nearest_away ||
      !bind(instruction, context, out, what.to, {what.from}, Width::wider))
    return false;
  const int mode = host_mode(what.rounding);
  return with_any_integer(what.from, [&](auto from) {
    using S = typename decltype(from)::type;
    switch (what.to) {
      case Type::f32:
        return what.sat ? lanes::set_rounded<ToFloat<float, true>, float, S>(out, mode)
                        : lanes::set_rounded<ToFloat<float, false>, float, S>(out, mode);
      case Type::f64:
        return !what.sat && lanes::set_rounded<ToFloat<double, false>, double, S>(out, mode);
      case Type::f16:
        return set_to_half<Half, S>(what, out);
      case Type::bf16:
        return set_to_half<Bfloat, S>(what, out);
      default:
        return false;
    }
  });
}

bool convert_to_integer(const Conversion& what, const ptx::Instruction& instruction,
                        DecodeContext& context, Inst& out) {
  // .sat changes nothing: these conversions clamp anyway.
  if (what.rounding != Conversion::Rounding::none || what.relu ||
      !bind(instruction, context, out, what.to, {what.from}, Width::wider))
    return false;
  switch (what.integral) {
    case Conversion::Integral::nearest:
      return set_to_integer<Conversion::Integral::nearest>(what, out);
    case Conversion::Integral::zero:
      return set_to_integer<Conversion::Integral::zero>(what, out);
    case Conversion::Integral::down:
      return set_to_integer<Conversion::Integral::down>(what, out);
    case Conversion::Integral::up:
      return set_to_integer<Conversion::Integral::up>(what, out);
    case Conversion::Integral::none:
      return false;
  }
  return false;
}

}  // namespace gridstride::sim

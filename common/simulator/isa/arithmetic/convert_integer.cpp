// cvt whose source or destination is an integer.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/simulator/base/half.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/warp.h"
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

template <class S>
S integral(Conversion::Integral mode, S a) {
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
template <class D, class F>
D clamped(F whole) {
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

/// Of floats to words of 32 bits, which kernels have most.
template <class D, Conversion::Integral mode, bool ftz>
struct ToWord {
  static D apply(float a) { return clamped<D>(integral(mode, ftz ? lanes::flushed(a) : a)); }
};

/// Inst::flags of all others: a Conversion::Integral, and this.
constexpr std::uint8_t flushes = 0x80;

template <class D, class S>
void to_integer(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto mode = static_cast<Conversion::Integral>(inst.flags & ~flushes);
  auto* const d = vector_register<lanes::Stored<Extended<D>>>(warp.registers, inst.dst);
  const auto* const s = vector_register<const lanes::Stored<S>>(warp.registers, inst.a);
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    auto a = as_float(lanes::Lane<S>::load(s[lane]));
    if constexpr (std::is_same_v<S, float>)
      if ((inst.flags & flushes) != 0) a = lanes::flushed(a);
    const Extended<D> value = clamped<D>(integral(mode, a));
    d[lane] = lanes::Lane<Extended<D>>::store(value);
  }
}

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

template <class D, bool ftz>
bool set_to_word(Conversion::Integral mode, Inst& out) {
  using enum Conversion::Integral;
  switch (mode) {
    case nearest:
      return lanes::set_simple<ToWord<D, nearest, ftz>, D, float>(out);
    case zero:
      return lanes::set_simple<ToWord<D, zero, ftz>, D, float>(out);
    case down:
      return lanes::set_simple<ToWord<D, down, ftz>, D, float>(out);
    case up:
      return lanes::set_simple<ToWord<D, up, ftz>, D, float>(out);
    case none:
      return false;
  }
  return false;
}

bool set_to_integer(const Conversion& what, Inst& out) {
  if (what.from == Type::f32 && what.to == Type::s32)
    return what.ftz ? set_to_word<std::int32_t, true>(what.integral, out)
                    : set_to_word<std::int32_t, false>(what.integral, out);
  if (what.from == Type::f32 && what.to == Type::u32)
    return what.ftz ? set_to_word<std::uint32_t, true>(what.integral, out)
                    : set_to_word<std::uint32_t, false>(what.integral, out);
  if (what.ftz && what.from != Type::f32) return false;
  out.flags =
      static_cast<std::uint8_t>(static_cast<unsigned>(what.integral) | (what.ftz ? flushes : 0));
  return with_any_integer(what.to, [&](auto tag) {
    using D = typename decltype(tag)::type;
    switch (what.from) {
      case Type::f32:
        return lanes::set_any(out, to_integer<D, float>);
      case Type::f64:
        return lanes::set_any(out, to_integer<D, double>);
      case Type::f16:
        return lanes::set_any(out, to_integer<D, Half>);
      case Type::bf16:
        return lanes::set_any(out, to_integer<D, Bfloat>);
      default:
        return false;
    }
  });
}

/// Whether D holds every S, so that clamping changes nothing.
template <class D, class S>
constexpr bool holds = std::cmp_less_equal(std::numeric_limits<D>::min(),
                                           std::numeric_limits<S>::min()) &&
                       std::cmp_greater_equal(std::numeric_limits<D>::max(),
                                              std::numeric_limits<S>::max());

bool clamp_integers(Type to, Type from, Inst& out) {
  return with_any_integer(to, [&](auto to_tag) {
    using D = typename decltype(to_tag)::type;
    return with_any_integer(from, [&](auto from_tag) {
      using S = typename decltype(from_tag)::type;
      if constexpr (holds<D, S>)
        return false;
      else
        return lanes::set_each<Clamp<D>, Extended<D>, S>(out);
    });
  });
}

/// Of conversions that leave the same bits, one stands for all: bits that fill a register have no
/// sign, and a source that is not widened is read as what fills its register.
bool cut_or_widen_integers(Type to, Type from, Inst& out) {
  const bool widens = ptx::size_of(to) > ptx::size_of(from);
  if (ptx::size_of(to) >= 4) to = ptx::size_of(to) == 8 ? Type::u64 : Type::u32;
  if (!widens) from = ptx::size_of(from) == 8 ? Type::u64 : Type::u32;
  return with_any_integer(to, [&](auto to_tag) {
    using D = typename decltype(to_tag)::type;
    return with_any_integer(from, [&](auto from_tag) {
      using S = typename decltype(from_tag)::type;
      constexpr bool is_wider = sizeof(D) > sizeof(S);
      constexpr bool stands_for_all = (sizeof(D) < 4 || std::is_unsigned_v<D>)&&(
          is_wider || (sizeof(S) >= 4 && std::is_unsigned_v<S>));
      if constexpr (stands_for_all)
        return lanes::set_simple<Truncate<D>, Extended<D>, S>(out);
      else
        return false;
    });
  });
}

}  // namespace

bool convert_integers(const Conversion& what, const ptx::Instruction& instruction,
                      DecodeContext& context, Inst& out) {
  if (what.integral != Conversion::Integral::none || what.rounding != Conversion::Rounding::none ||
      what.ftz || what.relu || !bind(instruction, context, out, what.to, {what.from}, Width::wider))
    return false;
  return (what.sat && clamp_integers(what.to, what.from, out)) ||
         cut_or_widen_integers(what.to, what.from, out);
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
  return what.integral != Conversion::Integral::none && set_to_integer(what, out);
}

}  // namespace gridstride::sim

// Rules of the PTX ISA for results in single and double precision.
#pragma once

#include <bit>
#include <cfenv>
#include <cstdint>

#include "common/simulator/isa/arithmetic/lanes.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace gridstride::sim::lanes {

/// .ftz: a subnormal number becomes a zero of the same sign.
inline float flushed(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & 0x7f800000u) == 0 ? std::bit_cast<float>(bits & 0x80000000u) : value;
}
/// Every single-precision NaN that arithmetic makes is this one.
inline float canonical(float value) {
  return value != value ? std::bit_cast<float>(0x7fffffffu) : value;
}
/// .sat: clamped to [0, 1]; NaN becomes 0.
template <class T>
T saturated_unit(T value) {
  return value > 0 ? (value < 1 ? value : T{1}) : T{0};
}

/// A single-precision operation with its modifiers around it.
template <class F, bool ftz, bool sat>
struct Single {
  template <class... Sources>
  static float apply(Sources... sources) {
    float result;
    if constexpr (ftz)
      result = canonical(flushed(F::apply(flushed(sources)...)));
    else
      result = canonical(F::apply(sources...));
    return sat ? saturated_unit(result) : result;
  }
};

/// Sets the host's rounding mode for vector arithmetic, FE_TONEAREST …. The library's own function
/// sets that of the x87 unit too, which takes longer than the arithmetic.
inline void set_rounding(int mode) {
#if defined(__SSE__)
  constexpr unsigned rounding_bits = 0x6000,
                     x87_to_mxcsr = 8;  // FE_ constants are those of the x87
  _mm_setcsr((_mm_getcsr() & ~rounding_bits) | static_cast<unsigned>(mode) * x87_to_mxcsr);
#else
  std::fesetround(mode);
#endif
}

/// Runs `handler` under another rounding mode of the host.
template <Handler handler, int mode>
void with_rounding(Warp& warp, const Inst& inst, LaneMask mask) {
  set_rounding(mode);
  asm volatile("" ::
                   : "memory");  // the registers are read and written between the two, nowhere else
  handler(warp, inst, mask);
  asm volatile("" ::: "memory");
  set_rounding(FE_TONEAREST);
}

/// Handlers of F on D from S… under `mode` (FE_TONEAREST …).
template <class F, class D, class... S>
bool set_rounded(Inst& out, int mode) {
  switch (mode) {
    case FE_TONEAREST:
      return set_simple<F, D, S...>(out);
    case FE_TOWARDZERO:
      out.handler = with_rounding<masked<F, D, S...>, FE_TOWARDZERO>;
      break;
    case FE_DOWNWARD:
      out.handler = with_rounding<masked<F, D, S...>, FE_DOWNWARD>;
      break;
    case FE_UPWARD:
      out.handler = with_rounding<masked<F, D, S...>, FE_UPWARD>;
      break;
    default:
      return false;
  }
  out.full_handler = out.handler;
  return true;
}

/// Takes .rn, .rz, .rm or .rp; FE_TONEAREST when there is none.
template <class Modifiers>
int take_rounding(Modifiers& modifiers) {
  if (modifiers.take("rz")) return FE_TOWARDZERO;
  if (modifiers.take("rm")) return FE_DOWNWARD;
  if (modifiers.take("rp")) return FE_UPWARD;
  modifiers.take("rn");
  return FE_TONEAREST;
}

}  // namespace gridstride::sim::lanes

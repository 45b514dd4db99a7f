// The kinds of cvt, by what is converted to what.
#pragma once

#include <cfenv>
#include <cstdint>

#include "common/simulator/decode/decode.h"

namespace gridstride::sim {

/// A cvt taken apart.
struct Conversion {
  enum class Integral : std::uint8_t { none, nearest, zero, down, up };  ///< .rni .rzi .rmi .rpi
  enum class Rounding : std::uint8_t { none, nearest, zero, down, up, nearest_away };
  ptx::Type to = ptx::Type::none, from = ptx::Type::none;
  Integral integral = Integral::none;
  Rounding rounding = Rounding::none;
  bool ftz = false, sat = false, satfinite = false, relu = false;
};

/// The host's name of a rounding mode (FE_TONEAREST …).
inline int host_mode(Conversion::Rounding rounding) {
  switch (rounding) {
    case Conversion::Rounding::zero:
      return FE_TOWARDZERO;
    case Conversion::Rounding::down:
      return FE_DOWNWARD;
    case Conversion::Rounding::up:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

/// Each binds the operands and sets the handlers; false for forms that are not known.
bool convert_integers(const Conversion& what, const ptx::Instruction& instruction,
                      DecodeContext& context, Inst& out);
bool convert_to_float(const Conversion& what, const ptx::Instruction& instruction,
                      DecodeContext& context, Inst& out);
bool convert_to_integer(const Conversion& what, const ptx::Instruction& instruction,
                        DecodeContext& context, Inst& out);
bool convert_floats(const Conversion& what, const ptx::Instruction& instruction,
                    DecodeContext& context, Inst& out);
/// From or to pairs of 8-bit floats.
bool convert_quarters(const Conversion& what, const ptx::Instruction& instruction,
                      DecodeContext& context, Inst& out);

}  // namespace gridstride::sim

// cvt between numbers, and the table of the conversion family. Moves are in ops_move.cpp.

#include "common/simulator/exec/ops_convert.h"

#include <array>

#include "common/simulator/exec/decode.h"
#include "common/simulator/exec/modifiers.h"
#include "common/simulator/exec/ops_move.h"

namespace gridstride::sim {

namespace {

using ptx::Type;

bool is_integer(Type type) { return type >= Type::u8 && type <= Type::s64; }

bool cvt(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  Conversion what;
  constexpr std::array<const char*, 5> to_integer{"", "rni", "rzi", "rmi", "rpi"};
  constexpr std::array<const char*, 6> to_float{"", "rn", "rz", "rm", "rp", "rna"};
  for (std::size_t i = 1; i < to_integer.size(); ++i)
    if (modifiers.take(to_integer[i])) what.integral = static_cast<Conversion::Integral>(i);
  for (std::size_t i = 1; i < to_float.size(); ++i)
    if (modifiers.take(to_float[i])) what.rounding = static_cast<Conversion::Rounding>(i);
  what.ftz = modifiers.take("ftz");
  what.sat = modifiers.take("sat");
  what.relu = modifiers.take("relu");
  what.to = modifiers.take_type();
  what.from = modifiers.take_type();
  if (!modifiers.done() || what.from == Type::none) return false;
  if (is_integer(what.from))
    return is_integer(what.to) ? convert_integers(what, instruction, context, out)
                               : convert_to_float(what, instruction, context, out);
  return is_integer(what.to) ? convert_to_integer(what, instruction, context, out)
                             : convert_floats(what, instruction, context, out);
}

constexpr OpcodeEntry opcodes[] = {
    {"cvt", cvt}, {"mov", decode_mov}, {"cvta", decode_cvta}, {"isspacep", decode_isspacep}};

}  // namespace

std::span<const OpcodeEntry> convert_opcodes() { return opcodes; }

}  // namespace gridstride::sim

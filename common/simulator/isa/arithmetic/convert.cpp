// cvt between numbers. Moves are in move.cpp.

#include "common/simulator/isa/arithmetic/convert.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "common/simulator/decode/decode.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {

namespace {

using ptx::Type;

bool is_integer(Type type) { return type >= Type::u8 && type <= Type::s64; }
bool is_quarter(Type type) { return type == Type::e4m3x2 || type == Type::e5m2x2; }

/// A conversion between registers of which one is wider than its type, which cvt alone allows: done
/// in a register of its own, with what is in front and behind.
struct Resized {
  Inst inner;  ///< reads and writes `scratch` where the register is too wide
  VectorRegister scratch = no_register;
  bool narrow_source = false, widen_destination = false, is_signed = false;
};

void run_resized(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto& resized = *static_cast<const Resized*>(inst.extra);
  auto* const scratch = vector_register<std::uint32_t>(warp.registers, resized.scratch);
  if (resized.narrow_source) {
    const auto* const a = vector_register<const std::uint64_t>(warp.registers, inst.a);
    for (unsigned lane = 0; lane < warp_size; ++lane)
      scratch[lane] = static_cast<std::uint32_t>(a[lane]);
  }
  resized.inner.handler(warp, resized.inner, mask);
  if (!resized.widen_destination) return;
  auto* const d = vector_register<std::uint64_t>(warp.registers, inst.dst);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const auto extended = static_cast<std::uint64_t>(
        resized.is_signed ? std::int64_t{static_cast<std::int32_t>(scratch[lane])}
                          : std::int64_t{scratch[lane]});
    d[lane] = ((mask >> lane) & 1u) != 0 ? extended : d[lane];
  }
}

/// Puts run_resized around `out` when a register is wider than its type.
void resize(const Conversion& what, const ptx::Instruction& instruction, DecodeContext& context,
            Inst& out) {
  const auto too_wide = [&](std::size_t operand, Type type) {
    return ptx::size_of(type) < 8 &&
           context.lane_bytes_of(instruction.operands[operand], type) == 8;
  };
  const bool narrow = too_wide(1, what.from), widen = too_wide(0, what.to);
  if (!narrow && !widen) return;
  auto* const resized = ::new (context.allocate(sizeof(Resized))) Resized();
  resized->scratch = context.destination(ptx::Operand(), Type::b32);
  resized->narrow_source = narrow;
  resized->widen_destination = widen;
  resized->is_signed = what.to == Type::s8 || what.to == Type::s16 || what.to == Type::s32;
  resized->inner = out;
  if (narrow) resized->inner.a = resized->scratch;
  if (widen) resized->inner.dst = resized->scratch;
  out.extra = resized;
  out.handler = out.full_handler = run_resized;
}

}  // namespace

bool decode_cvt(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
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
  what.satfinite = modifiers.take("satfinite");
  what.relu = modifiers.take("relu");
  what.to = modifiers.take_type();
  what.from = modifiers.take_type();
  if (!modifiers.done() || what.from == Type::none) return false;
  if (is_quarter(what.to) || is_quarter(what.from))
    return convert_quarters(what, instruction, context, out);
  if (what.satfinite) return false;
  bool known = false;
  if (is_integer(what.from))
    known = is_integer(what.to) ? convert_integers(what, instruction, context, out)
                                : convert_to_float(what, instruction, context, out);
  else
    known = is_integer(what.to) ? convert_to_integer(what, instruction, context, out)
                                : convert_floats(what, instruction, context, out);
  if (known) resize(what, instruction, context, out);
  return known;
}

}  // namespace gridstride::sim

// Moves: registers, special registers, addresses, and packing of several registers into one. A mov
// that takes a register apart has its destinations in dst, dst2, c and d; one that puts a register
// together has its sources in a, b, c and d.
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "common/simulator/base/address_spaces.h"
#include "common/simulator/decode/decode.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/arithmetic/lanes.h"

namespace gridstride::sim {

namespace {

using ptx::Operand;
using ptx::Type;

struct Copy {
  template <class T>
  static T apply(T a) {
    return a;
  }
};

/// Bit 0 of Inst::flags: the source is negated.
void copy_predicate(Warp& warp, const Inst& inst, LaneMask mask) {
  const LaneMask a = *vector_register<LaneMask>(warp.registers, inst.a);
  lanes::store_predicate(warp.registers, inst.dst, inst.flags != 0 ? ~a : a, mask);
}

/// Whole W from `parts` values of an equal share of its bits, the first in the lowest bits.
template <class W, unsigned parts>
void put_together(Warp& warp, const Inst& inst, LaneMask mask) {
  using Part = std::conditional_t<
      8 * sizeof(W) / parts == 32, std::uint32_t,
      std::conditional_t<8 * sizeof(W) / parts == 16, std::uint16_t, std::uint8_t>>;
  W* const d = vector_register<W>(warp.registers, inst.dst);
  const std::array<VectorRegister, 4> parts_at = lanes::sources_of(inst);
  alignas(64) W result[warp_size] = {};
  for (unsigned part = 0; part < parts; ++part) {
    const auto* const source = vector_register<const std::uint32_t>(warp.registers, parts_at[part]);
    for (unsigned lane = 0; lane < warp_size; ++lane)
      result[lane] |= W{static_cast<Part>(source[lane])} << (part * 8 * sizeof(Part));
  }
  for (unsigned lane = 0; lane < warp_size; ++lane)
    d[lane] = ((mask >> lane) & 1u) != 0 ? result[lane] : d[lane];
}

template <class W, unsigned parts>
void take_apart(Warp& warp, const Inst& inst, LaneMask mask) {
  constexpr unsigned bits = 8 * sizeof(W) / parts;
  constexpr std::uint64_t ones = (std::uint64_t{1} << bits) - 1;
  const VectorRegister parts_at[4] = {inst.dst, inst.dst2, inst.c, inst.d};
  // A destination may be a part of the register that is taken apart by another name: copied first.
  alignas(64) W whole[warp_size];
  const W* const a = vector_register<const W>(warp.registers, inst.a);
  for (unsigned lane = 0; lane < warp_size; ++lane) whole[lane] = a[lane];
  for (unsigned part = 0; part < parts; ++part) {
    auto* const d = vector_register<std::uint32_t>(warp.registers, parts_at[part]);
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const auto value = static_cast<std::uint32_t>((whole[lane] >> (part * bits)) & ones);
      d[lane] = ((mask >> lane) & 1u) != 0 ? value : d[lane];
    }
  }
}

Type part_type(std::size_t bytes) {
  return bytes == 4 ? Type::b32 : bytes == 2 ? Type::b16 : bytes == 1 ? Type::b8 : Type::none;
}

/// mov.b64 %rd, {%r1, %r2} and the like.
bool pack(const ptx::Instruction& instruction, Type type, DecodeContext& context, Inst& out) {
  const std::vector<Operand>& parts = instruction.operands[1].elements;
  const std::size_t bytes = ptx::size_of(type);
  if ((parts.size() != 2 && parts.size() != 4) || bytes % parts.size() != 0) return false;
  const Type part = part_type(bytes / parts.size());
  if (part == Type::none) return false;
  if (!bind_destination(instruction.operands[0], type, context, out.dst)) return false;
  VectorRegister* const parts_at[] = {&out.a, &out.b, &out.c, &out.d};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].negate || !bind_source(parts[i], part, context, *parts_at[i])) return false;
  }
  const bool two = parts.size() == 2;
  if (bytes == 8)
    return lanes::set_any(out,
                          two ? put_together<std::uint64_t, 2> : put_together<std::uint64_t, 4>);
  if (bytes == 4)
    return lanes::set_any(out,
                          two ? put_together<std::uint32_t, 2> : put_together<std::uint32_t, 4>);
  return false;
}

/// mov.b64 {%r1, %r2}, %rd and the like.
bool unpack(const ptx::Instruction& instruction, Type type, DecodeContext& context, Inst& out) {
  const std::vector<Operand>& parts = instruction.operands[0].elements;
  const std::size_t bytes = ptx::size_of(type);
  if ((parts.size() != 2 && parts.size() != 4) || bytes % parts.size() != 0) return false;
  const Type part = part_type(bytes / parts.size());
  if (part == Type::none || instruction.operands[1].negate) return false;
  if (!bind_source(instruction.operands[1], type, context, out.a)) return false;
  VectorRegister* const parts_at[] = {&out.dst, &out.dst2, &out.c, &out.d};
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!bind_destination(parts[i], part, context, *parts_at[i])) return false;
  const bool two = parts.size() == 2;
  if (bytes == 8)
    return lanes::set_any(out, two ? take_apart<std::uint64_t, 2> : take_apart<std::uint64_t, 4>);
  if (bytes == 4)
    return lanes::set_any(out, two ? take_apart<std::uint32_t, 2> : take_apart<std::uint32_t, 4>);
  return false;
}

/// Adds Inst::imm: between an address in a window and a generic address.
void shift_window(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto by = static_cast<std::uint64_t>(inst.imm);
  auto* const d = vector_register<std::uint64_t>(warp.registers, inst.dst);
  const auto* const a = vector_register<const std::uint64_t>(warp.registers, inst.a);
  GRIDSTRIDE_LANES_ARE_APART
  for (unsigned lane = 0; lane < warp_size; ++lane)
    d[lane] = ((mask >> lane) & 1u) != 0 ? a[lane] + by : d[lane];
}

enum class Place : std::uint8_t { none, global, constant, shared, local, param };

Place take_place(Modifiers& modifiers) {
  if (modifiers.take("global")) return Place::global;
  if (modifiers.take("const")) return Place::constant;
  if (modifiers.take("shared") || modifiers.take("shared::cta")) return Place::shared;
  if (modifiers.take("local")) return Place::local;
  if (modifiers.take("param") || modifiers.take("param::entry")) return Place::param;
  return Place::none;
}

/// Where a space's window starts; 0 for global and constant memory, whose addresses are generic.
std::uint64_t window_of(Place place) {
  switch (place) {
    case Place::shared:
      return shared_window;
    case Place::local:
      return local_window;
    case Place::param:
      return param_window;
    default:
      return 0;
  }
}

}  // namespace

bool decode_mov(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type type = modifiers.take_type();
  const auto& operands = instruction.operands;
  if (!modifiers.done() || operands.size() != 2) return false;
  if (operands[0].second_index >= 0 || operands[1].second_index >= 0) return false;
  if (operands[0].kind == Operand::Kind::vector) return unpack(instruction, type, context, out);
  if (operands[1].kind == Operand::Kind::vector) return pack(instruction, type, context, out);
  if (type == Type::pred) {
    if (!bind_destination(operands[0], type, context, out.dst)) return false;
    if (operands[1].kind == Operand::Kind::immediate)
      out.a = context.constant(operands[1].bits != 0 ? 1 : 0, type);
    else if (!bind_source(operands[1], type, context, out.a))
      return false;
    out.flags = operands[1].negate ? 1 : 0;
    return lanes::set_any(out, copy_predicate);
  }
  if (!bind(instruction, context, out, type, {type})) return false;
  return with_bits(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes::set_simple<Copy, T, T>(out);
  });
}

/// cvta and cvta.to: between a space's own addresses and generic ones (address_spaces.h).
bool decode_cvta(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool to = modifiers.take("to");
  const Place place = take_place(modifiers);
  if (place == Place::none || !modifiers.take("u64") || !modifiers.done()) return false;
  if (!bind(instruction, context, out, Type::u64, {Type::u64})) return false;
  const std::uint64_t window = window_of(place);
  if (window == 0) return lanes::set_simple<Copy, std::uint64_t, std::uint64_t>(out);
  out.imm = static_cast<std::int64_t>(to ? 0 - window : window);
  return lanes::set_any(out, shift_window);
}

}  // namespace gridstride::sim

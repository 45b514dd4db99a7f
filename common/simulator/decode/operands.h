// What the decoders of the arithmetic families share: binding registers, and types from values to
// C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "common/simulator/decode/decode.h"
#include "common/simulator/program/instruction.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// True when the vector register of `operand` has the width of `type`. Text that no assembler has
/// seen may say otherwise, and a handler would then read or write beyond it.
inline bool fits(const ptx::Operand& operand, ptx::Type type, const DecodeContext& context) {
  if (operand.kind != ptx::Operand::Kind::reg) return type != ptx::Type::none;
  const std::uint32_t bytes = type == ptx::Type::pred ? 0 : ptx::size_of(type) == 8 ? 8 : 4;
  return context.lane_bytes_of(operand, type) == bytes;
}

/// The vector register of a destination or a source, set only when it fits.
inline bool bind_destination(const ptx::Operand& operand, ptx::Type type, DecodeContext& context,
                             VectorRegister& out) {
  if (!fits(operand, type, context)) return false;
  out = context.destination(operand, type);
  return true;
}
inline bool bind_source(const ptx::Operand& operand, ptx::Type type, DecodeContext& context,
                        VectorRegister& out) {
  if (!fits(operand, type, context)) return false;
  out = context.source(operand, type);
  return true;
}

/// Whether a register may be wider than its type; a narrower one never is allowed.
enum class Width { exact, wider };

/// Sets dst to operand 0 and a, b, c, d to the operands behind it, read as `sources`. False unless
/// there are exactly as many, all of their type's width, and none is negated or a pair.
inline bool bind(const ptx::Instruction& instruction, DecodeContext& context, Inst& out,
                 ptx::Type destination, std::initializer_list<ptx::Type> sources,
                 Width width = Width::exact) {
  const auto& operands = instruction.operands;
  if (operands.size() != sources.size() + 1) return false;
  for (const ptx::Operand& operand : operands)
    if (operand.negate || operand.second_index >= 0) return false;
  const auto good = [&](const ptx::Operand& operand, ptx::Type type) {
    return fits(operand, type, context) || (width == Width::wider && ptx::size_of(type) != 0 &&
                                            context.lane_bytes_of(operand, type) == 8);
  };
  if (!good(operands[0], destination)) return false;
  out.dst = context.destination(operands[0], destination);
  VectorRegister* const places[] = {&out.a, &out.b, &out.c, &out.d};
  std::size_t next = 0;
  for (const ptx::Type type : sources) {
    if (!good(operands[next + 1], type)) return false;
    *places[next] = context.source(operands[next + 1], type);
    ++next;
  }
  return true;
}

template <class T>
struct Tag {
  using type = T;
};

/// Calls `use(Tag<T>())` with the integer type that `type` names; false when it is none of 16 to 64
/// bits.
template <class Use>
bool with_integer(ptx::Type type, Use&& use) {
  switch (type) {
    case ptx::Type::u16:
      return use(Tag<std::uint16_t>());
    case ptx::Type::s16:
      return use(Tag<std::int16_t>());
    case ptx::Type::u32:
      return use(Tag<std::uint32_t>());
    case ptx::Type::s32:
      return use(Tag<std::int32_t>());
    case ptx::Type::u64:
      return use(Tag<std::uint64_t>());
    case ptx::Type::s64:
      return use(Tag<std::int64_t>());
    default:
      return false;
  }
}

/// The same for 32 and 64 bits only.
template <class Use>
bool with_wide_integer(ptx::Type type, Use&& use) {
  switch (type) {
    case ptx::Type::u32:
      return use(Tag<std::uint32_t>());
    case ptx::Type::s32:
      return use(Tag<std::int32_t>());
    case ptx::Type::u64:
      return use(Tag<std::uint64_t>());
    case ptx::Type::s64:
      return use(Tag<std::int64_t>());
    default:
      return false;
  }
}

/// The unsigned type of as many bits, for untyped (.b16 …) and any other operands of 16 to 64 bits.
template <class Use>
bool with_bits(ptx::Type type, Use&& use) {
  switch (ptx::size_of(type)) {
    case 2:
      return use(Tag<std::uint16_t>());
    case 4:
      return use(Tag<std::uint32_t>());
    case 8:
      return use(Tag<std::uint64_t>());
    default:
      return false;
  }
}

constexpr bool is_float(ptx::Type type) { return type >= ptx::Type::f16; }
constexpr bool is_untyped(ptx::Type type) {
  return type >= ptx::Type::b8 && type <= ptx::Type::b128;
}

}  // namespace gridstride::sim

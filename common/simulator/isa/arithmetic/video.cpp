// Video instructions on two or four numbers in a word: what __vabsdiffu4 and its like become.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "common/simulator/decode/decode.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {
namespace {

using ptx::Type;

// Bits of Inst::flags.
constexpr std::uint8_t signed_a = 1, signed_b = 2, signed_d = 4, saturates = 8, adds_up = 16;

int difference(int a, int b) { return std::abs(a - b); }
int sum(int a, int b) { return a + b; }
int less(int a, int b) { return a - b; }
int smaller(int a, int b) { return std::min(a, b); }
int larger(int a, int b) { return std::max(a, b); }
/// Half of the sum, rounded up from 0 on and down below (PTX ISA, vavrg).
int average(int a, int b) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; }

int part(std::uint32_t word, int bits, int index, bool is_signed) {
  const std::uint32_t shifted = word << (32 - bits * (index + 1));
  return is_signed ? static_cast<std::int32_t>(shifted) >> (32 - bits)
                   : static_cast<int>(shifted >> (32 - bits));
}

template <int (*operation)(int, int), int bits>
std::uint32_t on_parts(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint8_t flags) {
  constexpr std::uint32_t mask = (1u << bits) - 1;
  const bool is_signed = (flags & signed_d) != 0;
  const int low = is_signed ? -(1 << (bits - 1)) : 0;
  const int high = is_signed ? (1 << (bits - 1)) - 1 : static_cast<int>(mask);
  std::uint32_t word = 0, total = c;
  for (int i = 0; i < 32 / bits; ++i) {
    int value = operation(part(a, bits, i, (flags & signed_a) != 0),
                          part(b, bits, i, (flags & signed_b) != 0));
    if ((flags & saturates) != 0) value = std::clamp(value, low, high);
    word |= (static_cast<std::uint32_t>(value) & mask) << (bits * i);
    total += static_cast<std::uint32_t>(value);
  }
  return (flags & adds_up) != 0 ? total : word;
}

template <int (*operation)(int, int), int bits>
void run(Warp& warp, const Inst& inst, LaneMask mask) {
  auto* const d = vector_register<std::uint32_t>(warp.registers, inst.dst);
  const auto* const a = vector_register<const std::uint32_t>(warp.registers, inst.a);
  const auto* const b = vector_register<const std::uint32_t>(warp.registers, inst.b);
  const auto* const c = vector_register<const std::uint32_t>(warp.registers, inst.c);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t value = on_parts<operation, bits>(a[lane], b[lane], c[lane], inst.flags);
    d[lane] = ((mask >> lane) & 1u) != 0 ? value : d[lane];
  }
}

template <int bits>
Handler handler_of(std::string_view operation) {
  if (operation == "vadd") return run<sum, bits>;
  if (operation == "vsub") return run<less, bits>;
  if (operation == "vavrg") return run<average, bits>;
  if (operation == "vabsdiff") return run<difference, bits>;
  if (operation == "vmin") return run<smaller, bits>;
  return operation == "vmax" ? run<larger, bits> : nullptr;
}

}  // namespace

/// vadd, vsub, vavrg, vabsdiff, vmin, vmax with 2 or 4 behind the name. Byte selectors and masks
/// are not known to the parser: compilers do not write them.
bool decode_video(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const Type d = modifiers.take_type(), a = modifiers.take_type(), b = modifiers.take_type();
  const auto known = [](Type type) { return type == Type::u32 || type == Type::s32; };
  const bool saturated = modifiers.take("sat"), added = modifiers.take("add");
  if (!known(d) || !known(a) || !known(b) || !modifiers.done() || (saturated && added))
    return false;
  out.flags = static_cast<std::uint8_t>(
      (a == Type::s32 ? signed_a : 0) | (b == Type::s32 ? signed_b : 0) |
      (d == Type::s32 ? signed_d : 0) | (saturated ? saturates : 0) | (added ? adds_up : 0));
  const std::string_view name = instruction.opcode;
  const std::string_view operation = name.substr(0, name.size() - 1);
  out.handler = out.full_handler =
      name.back() == '2' ? handler_of<16>(operation) : handler_of<8>(operation);
  return bind(instruction, context, out, d, {a, b, Type::b32});
}

}  // namespace gridstride::sim

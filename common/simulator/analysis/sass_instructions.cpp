// See sass_instructions.h; the figures of each opcode stand in opcodes.def.
#include "common/simulator/analysis/sass_instructions.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "common/simulator/analysis/opcodes.h"

namespace gridstride::sim {
namespace {

using ptx::Type;

bool vanishes(const ptx::Instruction& instruction, Vanishes which) {
  switch (which) {
    case Vanishes::never:
      return false;
    case Vanishes::always:
      return true;
    case Vanishes::copies:
      return instruction.operands.size() == 2 &&
             instruction.operands[1].kind == ptx::Operand::Kind::reg;
    case Vanishes::parameters:
      return instruction.has("param");
  }
  return false;
}

/// For a product of matrices, see matrix_multiplications().
std::uint32_t multiplications_of(const ptx::Instruction& instruction, OpcodeKind kind) {
  const bool multiplies =
      kind == OpcodeKind::product || (kind == OpcodeKind::fragment && instruction.has("mma"));
  if (!multiplies) return 0;
  for (const std::string& modifier : instruction.modifiers) {
    unsigned m = 0, n = 0, k = 0;
    if (std::sscanf(modifier.c_str(), "m%2un%2uk%2u", &m, &n, &k) != 3) continue;
    const bool four = m == 8 && n == 8 && k == 4 && instruction.has("f16");
    return m * n * k * (four ? 4 : 1);
  }
  return 0;
}

}  // namespace

std::uint32_t matrix_multiplications(const ptx::Instruction& instruction) {
  const Opcode* opcode = find_opcode(instruction.opcode);
  return opcode ? multiplications_of(instruction, opcode->kind) : 0;
}

std::uint8_t sass_instructions(const ptx::Instruction& instruction) {
  const Opcode* opcode = find_opcode(instruction.opcode);
  if (!opcode) return 1;
  const SassCounts& sass = opcode->sass;
  if (vanishes(instruction, sass.vanishes)) return 0;
  if (const std::uint32_t multiplications = multiplications_of(instruction, opcode->kind)) {
    const bool bytes = instruction.has("s8") || instruction.has("u8");
    const std::uint32_t at_once = instruction.has("f64")    ? 16
                                  : instruction.has("tf32") ? 128
                                  : bytes                   ? 512
                                                            : 256;
    return static_cast<std::uint8_t>(std::clamp<std::uint32_t>(multiplications / at_once, 1, 255));
  }
  // Of the fragments that wmma moves, two registers mostly go in one access.
  if (opcode->kind == OpcodeKind::fragment) return 4;
  if (instruction.has("wide")) return 1;  // 32 bits by 32 bits
  Type type = Type::none;
  for (const std::string& modifier : instruction.modifiers) {
    if (const Type named = ptx::type_named(modifier); named != Type::none) type = named;
  }
  const bool approximate = instruction.has("approx") || instruction.has("full");
  switch (type) {
    case Type::b64:
    case Type::u64:
    case Type::s64:
      // Four products of 32 bits, and carries.
      if (instruction.opcode == "mul" && instruction.has("hi")) return 8;
      return sass.wide;
    case Type::f64:
      return sass.f64;
    case Type::f32:
      // Without ftz, small operands are scaled before the special function unit and after it.
      if (approximate && instruction.has("ftz")) return 1;
      return approximate ? sass.f32_approximate : sass.f32;
    case Type::u8:
    case Type::s8:
    case Type::b8:
    case Type::u16:
    case Type::s16:
    case Type::b16:
    case Type::u32:
    case Type::s32:
    case Type::b32:
      return sass.narrow;
    default:
      return 1;
  }
}

}  // namespace gridstride::sim

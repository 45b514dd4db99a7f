// The table behind machine_instructions().
#include "common/simulator/analysis/sass_instructions.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_map>

namespace gridstride::sim {
namespace {

using ptx::Type;

/// One opcode by the type it works on; 64-bit integers and bits as `wide`.
struct Expansion {
  std::uint8_t narrow = 1, wide = 1, f32 = 1, f32_approximate = 1, f64 = 1;
};

const std::unordered_map<std::string_view, Expansion>& expansions() {
  static const std::unordered_map<std::string_view, Expansion> table{
      {"div", {.narrow = 20, .wide = 70, .f32 = 10, .f32_approximate = 6, .f64 = 20}},
      {"rem", {.narrow = 18, .wide = 70}},
      {"rcp", {.f32 = 8, .f32_approximate = 7, .f64 = 15}},
      {"sqrt", {.f32 = 9, .f32_approximate = 4, .f64 = 20}},
      {"rsqrt", {.f32 = 4, .f32_approximate = 4, .f64 = 20}},
      {"ex2", {.f32 = 4, .f32_approximate = 4}},
      {"lg2", {.f32 = 4, .f32_approximate = 4}},
      {"sin", {.f32 = 2, .f32_approximate = 2}},
      {"cos", {.f32 = 2, .f32_approximate = 2}},
      // 64-bit additions are two, but those of addresses join the multiplication before them.
      {"mul", {.wide = 4}},
      {"mad", {.wide = 4}},
      {"min", {.wide = 4, .f64 = 8}},
      {"max", {.wide = 4, .f64 = 8}},
      {"abs", {.wide = 5}},
      {"neg", {.wide = 2}},
      {"and", {.wide = 2}},
      {"or", {.wide = 2}},
      {"xor", {.wide = 2}},
      {"not", {.wide = 2}},
      {"shl", {.wide = 2}},
      {"shr", {.wide = 2}},
      {"setp", {.wide = 2}},
      {"selp", {.wide = 2, .f64 = 2}},
      {"clz", {.narrow = 2, .wide = 4}},
      {"popc", {.wide = 3}},
      {"bfe", {.narrow = 2, .wide = 6}},
      {"bfi", {.narrow = 2, .wide = 6}},
      {"redux", {.narrow = 2}},
  };
  return table;
}

/// Copies between registers vanish; constants and special registers have to be fetched.
bool vanishes(const ptx::Instruction& instruction) {
  if (instruction.opcode == "cvta") return true;
  if (instruction.opcode == "ld" || instruction.opcode == "st") return instruction.has("param");
  return instruction.opcode == "mov" && instruction.operands.size() == 2 &&
         instruction.operands[1].kind == ptx::Operand::Kind::reg;
}

}  // namespace

std::uint32_t matrix_multiplications(const ptx::Instruction& instruction) {
  if (instruction.opcode != "mma" && !(instruction.opcode == "wmma" && instruction.has("mma"))) {
    return 0;
  }
  for (const std::string& modifier : instruction.modifiers) {
    unsigned m = 0, n = 0, k = 0;
    if (std::sscanf(modifier.c_str(), "m%2un%2uk%2u", &m, &n, &k) != 3) continue;
    const bool four = m == 8 && n == 8 && k == 4 && instruction.has("f16");
    return m * n * k * (four ? 4 : 1);
  }
  return 0;
}

std::uint8_t machine_instructions(const ptx::Instruction& instruction) {
  if (vanishes(instruction)) return 0;
  if (const std::uint32_t multiplications = matrix_multiplications(instruction)) {
    const bool bytes = instruction.has("s8") || instruction.has("u8");
    const std::uint32_t at_once = instruction.has("f64")    ? 16
                                  : instruction.has("tf32") ? 128
                                  : bytes                   ? 512
                                                            : 256;
    return static_cast<std::uint8_t>(std::clamp<std::uint32_t>(multiplications / at_once, 1, 255));
  }
  // Of the fragments that wmma moves, two registers mostly go in one access.
  if (instruction.opcode == "wmma") return 4;
  const auto found = expansions().find(instruction.opcode);
  if (found == expansions().end()) return 1;
  const Expansion& expansion = found->second;
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
      return expansion.wide;
    case Type::f64:
      return expansion.f64;
    case Type::f32:
      // Without ftz, small operands are scaled before the special function unit and after it.
      if (approximate && instruction.has("ftz")) return 1;
      return approximate ? expansion.f32_approximate : expansion.f32;
    case Type::u8:
    case Type::s8:
    case Type::b8:
    case Type::u16:
    case Type::s16:
    case Type::b16:
    case Type::u32:
    case Type::s32:
    case Type::b32:
      return expansion.narrow;
    default:
      return 1;
  }
}

}  // namespace gridstride::sim

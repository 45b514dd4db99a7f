// Follows the bits of values backwards through conversions, masks and copies, without regard to the
// order of instructions: a register needs what any instruction that reads it makes use of.
#include "common/simulator/analysis/needed_bytes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/analysis/register_uses.h"

namespace gridstride::sim {
namespace {

using Kind = ptx::Operand::Kind;
using Bits = std::vector<std::uint64_t>;  ///< of each register

constexpr std::uint64_t all_bits = ~std::uint64_t{0};

std::uint64_t low_bits(std::size_t bytes) {
  return bytes >= 8 ? all_bits : (std::uint64_t{1} << 8 * bytes) - 1;
}

/// Bytes of an integer type, or of one that may be anything; 0 for others.
std::size_t integer_bytes(const std::string& modifier) {
  const bool is_integer =
      modifier.starts_with('u') || modifier.starts_with('s') || modifier.starts_with('b');
  return is_integer ? ptx::size_of(ptx::type_named(modifier)) : 0;
}

/// What a conversion that neither rounds nor saturates needs, when `of_result` is needed of what it
/// makes.
std::uint64_t converted(const std::vector<std::string>& modifiers, std::uint64_t of_result) {
  const std::size_t to = integer_bytes(modifiers[0]), from = integer_bytes(modifiers[1]);
  if (to == 0 || from == 0) return all_bits;
  const std::uint64_t bits = of_result & low_bits(std::min(to, from));
  const bool copies_sign =
      to > from && modifiers[1].starts_with('s') && (of_result & ~low_bits(from)) != 0;
  return copies_sign ? bits | std::uint64_t{1} << (8 * from - 1) : bits;
}

/// The bits of register `index` that `instruction`, which reads it, makes use of.
std::uint64_t bits_used_by(const ptx::Instruction& instruction, std::int32_t index,
                           const Bits& needed) {
  const auto& operands = instruction.operands;
  const auto& modifiers = instruction.modifiers;
  const auto is_it = [&](std::size_t i) {
    return i < operands.size() && operands[i].kind == Kind::reg && operands[i].index == index;
  };
  if (modifiers.empty() || instruction.guard == index || operands.empty()) return all_bits;
  if (instruction.opcode == "st" && is_it(1) && operands[0].index != index) {
    return low_bits(ptx::size_of(ptx::type_named(modifiers.back())));
  }
  if (operands[0].kind != Kind::reg) return all_bits;
  const std::uint64_t of_result = needed[static_cast<std::size_t>(operands[0].index)];
  const auto count = operands.size();
  if (instruction.opcode == "mov" && is_it(1)) return of_result;
  if (instruction.opcode == "selp" && count == 4 && !is_it(3)) return of_result;
  if (instruction.opcode == "and" && count == 3 && operands[2].kind == Kind::immediate) {
    return operands[2].bits & of_result;
  }
  if (instruction.opcode == "cvt" && modifiers.size() == 2) return converted(modifiers, of_result);
  return all_bits;
}

Bits needed_bits(const ptx::Function& function) {
  Bits needed(function.registers.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = function.body.rbegin(); it != function.body.rend(); ++it) {
      each_source(*it, [&](std::int32_t index) {
        std::uint64_t& bits = needed[static_cast<std::size_t>(index)];
        const std::uint64_t more = bits | bits_used_by(*it, index, needed);
        changed |= more != bits;
        bits = more;
      });
    }
  }
  return needed;
}

}  // namespace

std::uint32_t needed_bytes(const ptx::Function& function, std::size_t at) {
  constexpr std::uint32_t all_bytes = ~std::uint32_t{0};
  const ptx::Instruction& load = function.body.at(at);
  if (load.opcode != "ld" || load.operands.empty() || load.modifiers.empty()) return all_bytes;
  const std::size_t size = ptx::size_of(ptx::type_named(load.modifiers.back()));
  if (size == 0 || size > 8) return all_bytes;
  const Bits needed = needed_bits(function);
  const ptx::Operand& to = load.operands.front();
  std::uint32_t result = 0;
  std::size_t first = 0;
  const auto add = [&](const ptx::Operand& element) {
    for (std::size_t byte = 0; byte < size && element.kind == Kind::reg; ++byte) {
      const std::uint64_t bits = needed[static_cast<std::size_t>(element.index)];
      if (bits >> 8 * byte & 0xff) result |= 1u << (first + byte);
    }
    first += size;
  };
  if (to.elements.empty()) add(to);
  for (const ptx::Operand& element : to.elements) add(element);
  return result;
}

}  // namespace gridstride::sim

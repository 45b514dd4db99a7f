// Follows the bits of values backwards through conversions, masks and copies, without regard to the
// order of instructions: a register needs what any instruction that reads it makes use of.
#include "common/simulator/analysis/needed_bytes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/analysis/register_uses.h"
#include "common/simulator/analysis/stored_bytes.h"

namespace gridstride::sim {
namespace {

using Kind = ptx::Operand::Kind;

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

/// What a shift by a constant needs, when `of_result` is needed of what it makes.
std::uint64_t shifted(const ptx::Instruction& shift, std::uint64_t of_result) {
  const std::string& type = shift.modifiers.back();
  const std::size_t bytes = ptx::size_of(ptx::type_named(type));
  const std::uint64_t by = shift.operands[2].bits;
  if (bytes == 0 || bytes > 8 || by >= 8 * bytes) return all_bits;
  const std::uint64_t own = low_bits(bytes), bits = of_result & own;
  if (shift.opcode == "shl") return bits >> by;
  const bool copies_sign = type.starts_with('s') && (bits & ~(own >> by)) != 0;
  return (bits << by & own) | (copies_sign ? std::uint64_t{1} << (8 * bytes - 1) : 0);
}

/// What only moves bytes about, so that it uses none when its result is only copied.
bool moves_bytes(const ptx::Instruction& instruction) {
  return instruction.opcode == "prmt" || instruction.opcode == "shl" ||
         instruction.opcode == "shr" || instruction.opcode == "bfi";
}

/// Whether `store` writes to an argument or a result that is a structure, or an array: PTX has both as
/// arrays of bytes.
bool hands_over_a_structure(const ptx::Function& function, const ptx::Instruction& store) {
  if (!store.has("param")) return false;
  const auto is_it = [&](const ptx::Variable& variable) {
    return variable.name == store.operands[0].name && variable.size > ptx::size_of(variable.type);
  };
  return std::ranges::any_of(function.variables, is_it) ||
         std::ranges::any_of(function.results, is_it);
}

/// Which bits of each register are made use of.
class Uses {
 public:
  /// With `copies`, those that are only copied as well.
  Uses(const ptx::Function& function, StoredBytes& stored, bool copies)
      : function_(function), stored_(stored), copies_(copies), needed_(function.registers.size()) {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto it = function.body.rbegin(); it != function.body.rend(); ++it) {
        each_source(*it, [&](std::int32_t index) {
          std::uint64_t& bits = needed_[static_cast<std::size_t>(index)];
          if (bits == all_bits) return;
          const std::uint64_t more = bits | used_by(*it, index);
          changed |= more != bits;
          bits = more;
        });
      }
    }
  }
  std::uint64_t of(std::int32_t index) const { return needed_[static_cast<std::size_t>(index)]; }

 private:
  static bool is(const ptx::Operand& operand, std::int32_t index) {
    return operand.kind == Kind::reg && operand.index == index;
  }

  /// The bits of register `index` that `instruction`, which reads it, makes use of.
  std::uint64_t used_by(const ptx::Instruction& instruction, std::int32_t index) {
    const auto& operands = instruction.operands;
    if (instruction.modifiers.empty() || instruction.guard == index || operands.empty()) {
      return all_bits;
    }
    if (instruction.opcode == "st") return used_by_store(instruction, index);
    const std::uint64_t of_result = result_bits(instruction);
    return of_result == 0 && moves_bytes(instruction) ? 0 : used_for(instruction, index, of_result);
  }

  std::uint64_t used_by_store(const ptx::Instruction& store, std::int32_t index) {
    const auto& operands = store.operands;
    if (operands.size() < 2 || operands[0].index == index) return all_bits;
    const std::size_t size = ptx::size_of(ptx::type_named(store.modifiers.back()));
    const bool copies = !store.has("param") || hands_over_a_structure(function_, store);
    const StoredBytes::Bytes sources = stored_.of_register(index);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(size, sources.size()); ++i) {
      const bool copied = copies && sources[i].from == ByteSource::From::load;
      if (copies_ || !copied) bits |= std::uint64_t{0xff} << 8 * i;
    }
    return bits;
  }

  /// What is needed of what `instruction` makes.
  std::uint64_t result_bits(const ptx::Instruction& instruction) const {
    const ptx::Operand& to = instruction.operands[0];
    if (to.kind == Kind::reg) {
      return to.second_index >= 0 && of(to.second_index) != 0 ? all_bits : of(to.index);
    }
    if (to.kind != Kind::vector || instruction.opcode != "mov") return all_bits;
    std::uint64_t bits = 0;
    const std::size_t each = part_bytes(instruction, to);
    for (std::size_t i = 0; i < to.elements.size() && each * i < 8; ++i) {
      if (to.elements[i].kind == Kind::reg)
        bits |= (of(to.elements[i].index) & low_bits(each)) << 8 * each * i;
    }
    return bits;
  }

  static std::size_t part_bytes(const ptx::Instruction& mov, const ptx::Operand& vector) {
    return ptx::size_of(ptx::type_named(mov.modifiers.back())) /
           std::max<std::size_t>(vector.elements.size(), 1);
  }

  static std::uint64_t used_for(const ptx::Instruction& instruction, std::int32_t index,
                                std::uint64_t of_result) {
    const auto& operands = instruction.operands;
    const auto is_it = [&](std::size_t i) { return i < operands.size() && is(operands[i], index); };
    const auto is_known = [&](std::size_t i) {
      return i < operands.size() && operands[i].kind == Kind::immediate;
    };
    const std::string& opcode = instruction.opcode;
    if (operands[0].kind != Kind::reg && opcode != "mov") return all_bits;
    const auto count = operands.size();
    if (opcode == "mov" && is_it(1)) return of_result;
    if (opcode == "mov" && operands[1].kind == Kind::vector) {
      std::uint64_t bits = 0;
      const std::size_t each = part_bytes(instruction, operands[1]);
      for (std::size_t i = 0; i < operands[1].elements.size() && each * i < 8; ++i)
        if (is(operands[1].elements[i], index)) bits |= of_result >> 8 * each * i & low_bits(each);
      return bits;
    }
    if (opcode == "selp" && count == 4 && !is_it(3)) return of_result;
    if (opcode == "and" && count == 3 && is_known(2)) return operands[2].bits & of_result;
    if (opcode == "or" && count == 3) return of_result;
    if (opcode == "bfi" && count == 5 && is_known(3) && is_known(4) && !is_it(1)) {
      const std::uint64_t at = operands[3].bits & 0xff, length = operands[4].bits & 0xff;
      const std::uint64_t field = length >= 64 ? all_bits : (std::uint64_t{1} << length) - 1;
      return at >= 64 ? of_result : of_result & ~(field << at);
    }
    if ((opcode == "shl" || opcode == "shr") && count == 3 && is_it(1) && is_known(2)) {
      return shifted(instruction, of_result);
    }
    if (opcode == "cvt" && instruction.modifiers.size() == 2) {
      return converted(instruction.modifiers, of_result);
    }
    return all_bits;
  }

  const ptx::Function& function_;
  StoredBytes& stored_;
  bool copies_;
  std::vector<std::uint64_t> needed_;  ///< by register
};

}  // namespace

NeededBytes needed_bytes(const ptx::Function& function, std::size_t at) {
  const ptx::Instruction& load = function.body.at(at);
  if (load.opcode != "ld" || load.operands.empty() || load.modifiers.empty()) return {};
  const std::size_t size = ptx::size_of(ptx::type_named(load.modifiers.back()));
  if (size == 0 || size > 8) return {};
  StoredBytes stored(function);
  const Uses uses(function, stored, /*copies=*/false), with_copies(function, stored, true);
  const ptx::Operand& to = load.operands.front();
  NeededBytes result{0, 0};
  std::size_t first = 0;
  const auto add = [&](const ptx::Operand& element) {
    for (std::size_t byte = 0; byte < size && element.kind == Kind::reg; ++byte) {
      const std::uint32_t bit = 1u << (first + byte);
      if (uses.of(element.index) >> 8 * byte & 0xff)
        result.used |= bit;
      else if (with_copies.of(element.index) >> 8 * byte & 0xff)
        result.copied |= bit;
    }
    first += size;
  };
  if (to.elements.empty()) add(to);
  for (const ptx::Operand& element : to.elements) add(element);
  return result;
}

}  // namespace gridstride::sim

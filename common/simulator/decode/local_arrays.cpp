// See local_arrays.h.
#include "common/simulator/decode/local_arrays.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/simulator/analysis/register_uses.h"

namespace gridstride::sim {
namespace {

using Kind = ptx::Operand::Kind;

/// The function's arrays by the place at which they begin. Where two begin at one place the larger counts.
class Arrays {
 public:
  Arrays(const ptx::Function& function,
         const std::unordered_map<std::string, std::uint32_t>& offsets) {
    if (!function.source_types) return;
    for (const DebugVariable& variable : function.source_variables) {
      const auto& types = *function.source_types;
      if (variable.type < 0 || static_cast<std::size_t>(variable.type) >= types.size()) continue;
      const SourceType& type = types[static_cast<std::size_t>(variable.type)];
      if (type.kind != SourceType::Kind::array || type.bytes == 0 || type.count < 2 ||
          type.bytes > most_bytes || variable.locations.size() != 1) {
        continue;
      }
      const DebugLocation& at = variable.locations.front();
      const auto base = offsets.find(at.name);
      if (at.is_register || base == offsets.end() || at.offset > most_bytes) continue;
      const auto low = base->second + static_cast<std::uint32_t>(at.offset);
      const auto bytes = static_cast<std::uint32_t>(type.bytes);
      LocalArray& array = by_begin_[low];
      if (array.high >= low + bytes) continue;
      array = {variable.name, low, low + bytes,
               static_cast<std::uint32_t>(type.bytes / type.count)};
    }
  }

  bool empty() const { return by_begin_.empty(); }
  const LocalArray* beginning_at(std::uint64_t offset) const {
    const auto found = by_begin_.find(offset);
    return found == by_begin_.end() ? nullptr : &found->second;
  }

 private:
  static constexpr std::uint64_t most_bytes = 1 << 20;
  std::unordered_map<std::uint64_t, LocalArray> by_begin_;
};

/// What a register holds.
struct Value {
  enum class Kind : std::uint8_t {
    other,
    place,  ///< an offset in the function's local memory
    array,  ///< an element of an array, or what would be one
  };
  Kind kind = Kind::other;
  std::uint64_t offset = 0;  ///< of a place
  std::int32_t array = 0;    ///< index plus one
};

}  // namespace

std::vector<std::int32_t> local_arrays_of(
    const ptx::Function& function, const std::unordered_map<std::string, std::uint32_t>& offsets,
    std::vector<LocalArray>& arrays) {
  const Arrays known(function, offsets);
  if (known.empty()) return {};
  std::vector<std::uint32_t> definitions(function.registers.size(), 0);
  for (const ptx::Instruction& instruction : function.body) {
    each_destination(instruction,
                     [&](std::int32_t index) { ++definitions[static_cast<std::size_t>(index)]; });
  }
  std::vector<Value> values(function.registers.size());
  std::unordered_map<std::uint64_t, std::int32_t> numbers;
  const auto number_of = [&](std::uint64_t offset) {
    const LocalArray* const array = known.beginning_at(offset);
    if (!array) return 0;
    const auto [entry, is_new] = numbers.try_emplace(offset, 0);
    if (is_new) {
      arrays.push_back(*array);
      entry->second = static_cast<std::int32_t>(arrays.size());
    }
    return entry->second;
  };
  const auto value_of = [&](const ptx::Operand& operand) -> Value {
    if (operand.kind == Kind::symbol) {
      const auto found = offsets.find(operand.name);
      if (found == offsets.end()) return {};
      return {Value::Kind::place, found->second + static_cast<std::uint64_t>(operand.offset), 0};
    }
    if (operand.kind != Kind::reg || operand.index < 0 || operand.negate) return {};
    return values[static_cast<std::size_t>(operand.index)];
  };
  // In the order of the text: the compiler writes an address before it is used.
  for (const ptx::Instruction& instruction : function.body) {
    const auto& operands = instruction.operands;
    if (operands.size() < 2 || operands[0].kind != Kind::reg || operands[0].index < 0 ||
        instruction.guard >= 0 || definitions[static_cast<std::size_t>(operands[0].index)] != 1) {
      continue;
    }
    Value& result = values[static_cast<std::size_t>(operands[0].index)];
    const Value first = value_of(operands[1]);
    // The block as a whole. A register moved to another one may be a pointer of the source, behind whose
    // target it may stand.
    const bool names_block = instruction.opcode == "cvta" ||
                             (instruction.opcode == "mov" && operands[1].kind == Kind::symbol);
    if (names_block && operands.size() == 2) {
      if (first.kind == Value::Kind::place) result = first;
    } else if (instruction.opcode == "add" && operands.size() == 3) {
      const Value second = value_of(operands[2]);
      const bool by_constant = operands[2].kind == Kind::immediate;
      if (first.kind == Value::Kind::place && by_constant) {
        result = {Value::Kind::place, first.offset + operands[2].bits, 0};
      } else if (first.kind == Value::Kind::array && second.kind == Value::Kind::other) {
        result = first;
      } else if (first.kind == Value::Kind::place && second.kind == Value::Kind::other) {
        result = {Value::Kind::array, 0, number_of(first.offset)};
        if (result.array == 0) result = {};
      }
    }
  }
  std::vector<std::int32_t> found(values.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].kind == Value::Kind::array) found[i] = values[i].array;
  }
  return found;
}

}  // namespace gridstride::sim

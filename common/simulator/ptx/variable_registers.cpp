// See variable_registers.h.
#include "common/simulator/ptx/variable_registers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gridstride::sim::ptx {
namespace {

constexpr std::size_t most_elements = 16;  // of one variable

/// A load or store of one element of a variable: `ld.param.u32 %r1, [p+8]`, or `st.u32 [%SP+8], %r1` where
/// the register holds the variable's address.
struct Access {
  const Operand* address = nullptr;
  const Operand* value = nullptr;  ///< a register or an immediate
  bool is_load = false;
  Type type = Type::none;
};

/// `instruction` as an access; without an address when it is none.
Access access_of(const Instruction& instruction) {
  Access access;
  access.is_load = instruction.opcode == "ld";
  if (!access.is_load && instruction.opcode != "st") return {};
  const std::vector<std::string>& modifiers = instruction.modifiers;
  const bool in_space =
      modifiers.size() == 2 &&
      (modifiers[0] == "param" || modifiers[0] == "param::func" || modifiers[0] == "local");
  if (!in_space && modifiers.size() != 1) return {};
  if (instruction.operands.size() != 2 || instruction.guard >= 0) return {};
  access.type = type_named(modifiers.back());
  access.address = &instruction.operands[access.is_load ? 1 : 0];
  access.value = &instruction.operands[access.is_load ? 0 : 1];
  const bool plain = access.value->kind == Operand::Kind::reg ||
                     (!access.is_load && access.value->kind == Operand::Kind::immediate);
  const bool is_address = access.address->kind == Operand::Kind::address;
  return is_address && plain && size_of(access.type) != 0 ? access : Access{};
}

/// The elements of a variable: where each begins, and its bytes. What is stored as a word may be loaded as
/// its lower half.
class Elements {
 public:
  void use(std::int64_t offset, std::int64_t bytes, bool is_load) {
    Element& element = elements_[offset];
    const bool stored_otherwise = !is_load && element.stored != 0 && element.stored != bytes;
    consistent_ &= bytes <= 8 && !stored_otherwise && elements_.size() <= most_elements;
    std::int64_t& most = is_load ? element.loaded : element.stored;
    most = std::max(most, bytes);
  }
  void refuse() { consistent_ = false; }
  /// Once all uses are known.
  void finish() {
    std::int64_t end = 0;
    for (const auto& [offset, element] : elements_) {
      consistent_ &= offset >= end && (element.stored == 0 || element.stored >= element.loaded);
      end = offset + std::max(element.stored, element.loaded);
    }
  }
  bool consistent() const { return consistent_; }

  /// The register of the element at `offset`; a new one at the first time.
  std::int32_t register_at(std::int64_t offset, Function& function) {
    Element& element = elements_.at(offset);
    if (element.index < 0) {
      element.index = static_cast<std::int32_t>(function.registers.size());
      const std::int64_t bytes = std::max(element.stored, element.loaded);
      const Type type = bytes == 8 ? Type::b64 : bytes == 4 ? Type::b32 : Type::b16;
      function.registers.push_back({"%element#" + std::to_string(element.index), type});
    }
    return element.index;
  }

 private:
  struct Element {
    std::int64_t stored = 0, loaded = 0;  ///< bytes at a time
    std::int32_t index = -1;
  };
  std::map<std::int64_t, Element> elements_;  ///< by offset
  bool consistent_ = true;
};

/// The variables that may become registers, and which registers hold their addresses.
class Variables {
 public:
  explicit Variables(const Function& function) : addresses_(function.registers.size(), nullptr) {
    for (const Variable& variable : function.variables) {
      const bool expanded = variable.name.find('#') != std::string::npos;
      if (variable.space == Space::param || (variable.space == Space::local && expanded))
        by_name_.try_emplace(variable.name);
    }
    if (by_name_.empty()) return;
    find_addresses(function);
    for (const Instruction& instruction : function.body) look_at(instruction);
    for (auto& [name, elements] : by_name_) elements.finish();
  }

  bool empty() const { return by_name_.empty(); }

  /// What becomes registers of the variable that is accessed; null when nothing does.
  Elements* accessed(const Access& access) {
    Elements* const elements = access.address ? named(*access.address) : nullptr;
    return elements && elements->consistent() ? elements : nullptr;
  }
  bool becomes_registers(const Variable& variable) const {
    const auto found = by_name_.find(variable.name);
    return found != by_name_.end() && found->second.consistent();
  }
  /// Whether the instruction makes the address of a variable that becomes registers.
  bool makes_address(const Instruction& instruction) const {
    if (!copies_address(instruction)) return false;
    const Operand& to = instruction.operands[0];
    const Elements* const elements = addresses_[static_cast<std::size_t>(to.index)];
    return elements && elements->consistent();
  }

 private:
  static bool copies_address(const Instruction& instruction) {
    const bool copies =
        instruction.opcode == "mov" || (instruction.opcode == "cvta" && instruction.has("local"));
    return copies && instruction.guard < 0 && instruction.operands.size() == 2 &&
           instruction.operands[0].kind == Operand::Kind::reg;
  }

  /// The variable that an operand names, or whose address its register holds.
  Elements* named(const Operand& operand) {
    const bool is_register =
        operand.kind == Operand::Kind::reg || operand.kind == Operand::Kind::address;
    if (is_register && operand.index >= 0)
      return addresses_[static_cast<std::size_t>(operand.index)];
    const auto found = by_name_.find(operand.name);
    return found == by_name_.end() ? nullptr : &found->second;
  }

  void find_addresses(const Function& function) {
    std::vector<std::uint32_t> written(function.registers.size(), 0);
    for (const Instruction& instruction : function.body) {
      if (!copies_address(instruction)) continue;
      const auto to = static_cast<std::size_t>(instruction.operands[0].index);
      const Operand& from = instruction.operands[1];
      if (from.offset == 0) addresses_[to] = named(from);
    }
    for (const Instruction& instruction : function.body) {
      if (instruction.operands.empty()) continue;
      const Operand& first = instruction.operands[0];
      const bool is_register = first.kind == Operand::Kind::reg && first.index >= 0;
      if (!is_register || ++written[static_cast<std::size_t>(first.index)] == 1) continue;
      if (Elements* const elements = addresses_[static_cast<std::size_t>(first.index)])
        elements->refuse();
    }
  }

  void look_at(const Instruction& instruction) {
    if (copies_address(instruction) &&
        addresses_[static_cast<std::size_t>(instruction.operands[0].index)])
      return;
    const Access access = access_of(instruction);
    Elements* const accessed = access.address ? named(*access.address) : nullptr;
    for (const Operand& operand : instruction.operands)
      if (!accessed || &operand != access.address) refuse(operand);
    if (accessed)
      accessed->use(access.address->offset, static_cast<std::int64_t>(size_of(access.type)),
                    access.is_load);
  }

  void refuse(const Operand& operand) {
    if (Elements* const elements = named(operand)) elements->refuse();
    for (const Operand& element : operand.elements) refuse(element);
  }

  std::unordered_map<std::string, Elements> by_name_;
  std::vector<Elements*> addresses_;  ///< by register
};

std::size_t bytes_of(const Function& function, const Operand& operand, std::size_t otherwise) {
  if (operand.kind != Operand::Kind::reg) return otherwise;
  return size_of(function.registers[static_cast<std::size_t>(operand.index)].type);
}

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

std::string integer_name(bool of_signed, std::size_t bytes) {
  return (of_signed ? 's' : 'u') + std::to_string(8 * bytes);
}

/// `instruction`, an access, becomes a copy from or to the register `index` of its element.
void make_copy(const Function& function, const Access& access, std::int32_t index,
               Instruction& instruction) {
  Operand element, value = *access.value;
  element.kind = Operand::Kind::reg;
  element.index = index;
  const std::size_t bytes = size_of(access.type);
  const std::size_t own = bytes_of(function, element, bytes);
  const std::size_t others = bytes_of(function, value, own);
  const bool is_load = access.is_load;
  const std::size_t to = is_load ? others : own, from = is_load ? own : others;
  if (bytes == own && to == from) {
    const bool numeric = bytes >= 4 && access.type != Type::f16x2 && access.type != Type::bf16x2;
    instruction.opcode = "mov";
    instruction.modifiers = {numeric ? std::string(name_of(access.type))
                                     : 'b' + std::to_string(8 * bytes)};
  } else {
    // A load extends what it loads, a store cuts off what it does not store.
    const bool extends = is_load && is_signed(access.type);
    instruction.opcode = "cvt";
    instruction.modifiers = {integer_name(extends, to), integer_name(extends, bytes)};
  }
  instruction.operands = is_load ? std::vector<Operand>{std::move(value), std::move(element)}
                                 : std::vector<Operand>{std::move(element), std::move(value)};
}

}  // namespace

void variables_to_registers(Function& function) {
  Variables variables(function);
  if (variables.empty()) return;
  for (Instruction& instruction : function.body) {
    const Access access = access_of(instruction);
    if (Elements* const elements = variables.accessed(access)) {
      make_copy(function, access, elements->register_at(access.address->offset, function),
                instruction);
    } else if (variables.makes_address(instruction)) {
      // Nobody reads it any more.
      Operand nothing;
      nothing.kind = Operand::Kind::immediate;
      instruction.opcode = "mov";
      instruction.modifiers = {"b64"};
      instruction.operands[1] = nothing;
    }
  }
  std::erase_if(function.variables,
                [&](const Variable& variable) { return variables.becomes_registers(variable); });
}

}  // namespace gridstride::sim::ptx

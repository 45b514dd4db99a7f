// A fixpoint over the definitions of each register.
#include "common/simulator/analysis/register_origins.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/simulator/analysis/opcodes.h"
#include "common/simulator/analysis/register_uses.h"

namespace gridstride::sim {
namespace {

using Kind = ptx::Operand::Kind;

/// What a register is computed from, as far as is known. Only ever moves down the list.
struct State {
  bool uniform = true;
  enum class Base : std::uint8_t { unknown, none, one, several } base = Base::unknown;
  std::string_view variable;  ///< as the function's operands have it
};

bool varies(std::string_view special) {
  for (const std::string_view prefix : {"%tid", "%laneid", "%lanemask", "%clock", "%globaltimer"}) {
    if (special.starts_with(prefix)) return true;
  }
  return false;
}

/// The value that an instruction writes.
State value_of(const ptx::Instruction& instruction, const std::vector<State>& states) {
  State result;
  const bool address = has_trait(instruction, trait::keeps_address);
  bool wait = false;    // for a source that has not been looked at yet
  bool others = false;  // one of the first two is computed from no variable
  const auto take = [&](const State& source) {
    result.uniform = result.uniform && source.uniform;
    if (!address || source.base == State::Base::none) return;
    if (source.base == State::Base::unknown) {
      wait = true;
      return;
    }
    if (result.base == State::Base::unknown) {
      result.base = source.base;
      result.variable = source.variable;
    } else if (source.base == State::Base::several || result.variable != source.variable) {
      result.base = State::Base::several;
    }
  };
  for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
    const ptx::Operand& operand = instruction.operands[i];
    if ((operand.kind == Kind::reg || operand.kind == Kind::address) && operand.index >= 0) {
      const State& source = states[static_cast<std::size_t>(operand.index)];
      others = others || (i < 3 && source.base == State::Base::none);
      take(source);
    } else if (operand.kind == Kind::symbol) {
      take({true, State::Base::one, operand.name});
    } else if (operand.kind == Kind::special && varies(operand.name)) {
      result.uniform = false;
    }
  }
  const bool loads = instruction.opcode == "ld" || instruction.opcode == "ldu";
  const bool parameter = instruction.has("param") || instruction.has("const");
  if ((loads && !parameter) || has_trait(instruction, trait::by_lane) || instruction.guard >= 0) {
    result.uniform = false;
  }
  // Chosen from two addresses, one of which may lead anywhere.
  if (instruction.opcode == "selp" && others && result.base == State::Base::one)
    result.base = State::Base::several;
  if (result.base == State::Base::unknown && !wait) result.base = State::Base::none;
  return result;
}

/// Joins a definition into what is known. True when that changed something.
bool join(State& state, const State& value) {
  bool changed = false;
  if (state.uniform && !value.uniform) {
    state.uniform = false;
    changed = true;
  }
  if (value.base == State::Base::unknown) return changed;
  if (state.base == State::Base::unknown) {
    state.base = value.base;
    state.variable = value.variable;
    changed = true;
  } else if (state.base != State::Base::several &&
             (state.base != value.base || state.variable != value.variable)) {
    state.base = State::Base::several;
    state.variable = {};
    changed = true;
  }
  return changed;
}

constexpr std::uint32_t most_alignment = 4;  ///< as a power of two

/// The power of two that divides an operand. Variables are placed by ptxas, on 16 bytes when it
/// gains from that.
std::uint32_t alignment_of(const ptx::Operand& operand, const std::vector<std::uint32_t>& known) {
  switch (operand.kind) {
    case Kind::immediate:
      return operand.bits == 0
                 ? most_alignment
                 : std::min<std::uint32_t>(std::countr_zero(operand.bits), most_alignment);
    case Kind::reg:
      return operand.index >= 0 ? known[static_cast<std::size_t>(operand.index)] : 0;
    case Kind::symbol:
      return operand.offset == 0 ? most_alignment
                                 : std::min<std::uint32_t>(
                                       std::countr_zero(static_cast<std::uint64_t>(operand.offset)),
                                       most_alignment);
    default:
      return 0;
  }
}

std::uint32_t alignment_of(const ptx::Instruction& instruction,
                           const std::vector<std::uint32_t>& known) {
  const std::string& opcode = instruction.opcode;
  const auto of = [&](std::size_t i) {
    return i < instruction.operands.size() ? alignment_of(instruction.operands[i], known) : 0;
  };
  std::uint32_t result = 0;
  if (opcode == "mov" || opcode == "cvt" || opcode == "cvta") {
    result = of(1);
  } else if (opcode == "add" || opcode == "sub" || opcode == "or" || opcode == "selp") {
    result = std::min(of(1), of(2));
  } else if (opcode == "and") {
    result = std::max(of(1), of(2));
  } else if (opcode == "mul") {
    result = of(1) + of(2);
  } else if (opcode == "mad") {
    result = std::min(of(1) + of(2), of(3));
  } else if (opcode == "shl" && instruction.operands.size() == 3 &&
             instruction.operands[2].kind == Kind::immediate) {
    result = of(1) + static_cast<std::uint32_t>(
                         std::min<std::uint64_t>(instruction.operands[2].bits, most_alignment));
  }
  return std::min(result, most_alignment);
}

/// Of each register, as a power of two: the least over its definitions.
std::vector<std::uint32_t> alignments(const ptx::Function& function) {
  std::vector<std::uint32_t> known(function.registers.size(), most_alignment);
  for (bool changed = true; changed;) {
    changed = false;
    for (const ptx::Instruction& instruction : function.body) {
      const std::uint32_t value = alignment_of(instruction, known);
      each_destination(instruction, [&](std::int32_t index) {
        std::uint32_t& at = known[static_cast<std::size_t>(index)];
        changed |= value < at;
        at = std::min(at, value);
      });
    }
  }
  return known;
}

}  // namespace

std::vector<RegisterOrigin> register_origins(const ptx::Function& function) {
  std::vector<State> states(function.registers.size());
  // A register set on two paths of a divergent branch can differ between lanes although both values
  // are uniform: only registers with one definition stay uniform.
  std::vector<std::uint32_t> definitions(states.size(), 0);
  for (const ptx::Instruction& instruction : function.body) {
    each_destination(instruction, [&](std::int32_t index) {
      if (++definitions[static_cast<std::size_t>(index)] > 1) {
        states[static_cast<std::size_t>(index)].uniform = false;
      }
    });
  }
  std::vector<const ptx::Instruction*> writing;
  for (const ptx::Instruction& instruction : function.body) {
    if (has_destination(instruction)) writing.push_back(&instruction);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const ptx::Instruction* instruction : writing) {
      const State value = value_of(*instruction, states);
      each_destination(*instruction, [&](std::int32_t index) {
        changed |= join(states[static_cast<std::size_t>(index)], value);
      });
    }
  }
  const std::vector<std::uint32_t> aligned = alignments(function);
  std::vector<RegisterOrigin> origins(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    origins[i].uniform = states[i].uniform && definitions[i] > 0 && function.is_kernel;
    origins[i].alignment = 1u << aligned[i];
    if (states[i].base == State::Base::one) origins[i].variable = states[i].variable;
  }
  return origins;
}

}  // namespace gridstride::sim

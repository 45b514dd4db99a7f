// See joined_instructions.h.
#include "common/simulator/analysis/joined_instructions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simulator/analysis/register_uses.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;

constexpr std::size_t nowhere = ~std::size_t{0};
constexpr std::uint64_t lower_half = 0xffffffff;

bool is_one_of(const Instruction& instruction, std::initializer_list<std::string_view> opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), instruction.opcode) != opcodes.end();
}

bool is_register(const Instruction& instruction, std::size_t operand) {
  return instruction.operands.size() > operand &&
         instruction.operands[operand].kind == Operand::Kind::reg;
}

bool is_number(const Instruction& instruction, std::size_t operand, std::uint64_t value) {
  return instruction.operands.size() > operand &&
         instruction.operands[operand].kind == Operand::Kind::immediate &&
         instruction.operands[operand].bits == value;
}

bool is_of_32_bits(const Instruction& instruction) {
  return instruction.has("s32") || instruction.has("u32") || instruction.has("b32");
}

bool is_sum(const Instruction& instruction) {
  return is_one_of(instruction, {"add", "sub"}) && is_of_32_bits(instruction) &&
         !instruction.has("cc") && !instruction.has("sat");
}

bool is_logic(const Instruction& instruction) {
  return is_one_of(instruction, {"and", "or", "xor", "not"}) && is_of_32_bits(instruction);
}

bool is_wide_logic(const Instruction& instruction) {
  return is_one_of(instruction, {"and", "or", "xor"}) && instruction.has("b64");
}

bool is_wide_product(const Instruction& instruction) {
  return instruction.opcode == "mul" && instruction.has("lo") &&
         (instruction.has("s64") || instruction.has("u64"));
}

bool combines_predicates(const Instruction& instruction) {
  return is_one_of(instruction, {"and", "or", "not"}) && instruction.has("pred");
}

bool is_float_arithmetic(const Instruction& instruction) {
  return is_one_of(instruction, {"add", "sub", "mul", "fma", "min", "max", "setp"}) &&
         (instruction.has("f32") || instruction.has("f64"));
}

bool changes_sign(const Instruction& instruction) {
  return is_one_of(instruction, {"abs", "neg"}) &&
         (instruction.has("f32") || instruction.has("f64"));
}

bool is_shift_by_half(const Instruction& instruction) {
  const bool left = instruction.opcode == "shl" && instruction.has("b64");
  const bool right = instruction.opcode == "shr" && instruction.has("u64");
  return (left || right) && is_number(instruction, 2, 32);
}

bool renames_halves(const Instruction& instruction) {
  if (instruction.opcode == "cvt" && instruction.modifiers.size() == 2) {
    return instruction.has("u64") && instruction.has("u32");
  }
  const bool packs = instruction.opcode == "mov" && instruction.operands.size() == 2 &&
                     instruction.operands[1].kind == Operand::Kind::vector;
  return packs || is_shift_by_half(instruction);
}

class Joins {
 public:
  Joins(const ptx::Function& function, const Blocks& blocks)
      : body_(function.body),
        first_(blocks.first),
        work_(body_.size()),
        block_(body_.size()),
        full_(body_.size()),
        writer_(function.registers.size(), nowhere),
        readers_(function.registers.size()),
        is_short_(function.registers.size()) {
    for (std::size_t block = 0; block + 1 < blocks.first.size(); ++block) {
      std::fill(block_.begin() + blocks.first[block], block_.begin() + blocks.first[block + 1],
                block);
    }
    std::vector<std::size_t> writes(function.registers.size());
    for (std::size_t at = 0; at < body_.size(); ++at) {
      each_source(body_[at], [&](std::int32_t index) { readers_[place(index)].push_back(at); });
      each_destination(body_[at], [&](std::int32_t index) {
        writer_[place(index)] = ++writes[place(index)] == 1 ? at : nowhere;
      });
    }
  }

  std::vector<HardwareWork> find() {
    find_short_numbers();
    for (std::size_t at = 0; at < body_.size(); ++at) {
      if (body_[at].guard >= 0) continue;
      if (is_joined(at)) {
        work_[at] = HardwareWork::nothing;
      } else if (is_short_logic(at) || is_short_product(body_[at])) {
        work_[at] = HardwareWork::half;
      }
    }
    return std::move(work_);
  }

 private:
  static std::size_t place(std::int32_t index) { return static_cast<std::size_t>(index); }

  /// What writes an operand, and nothing else does.
  const Instruction* writer(const Instruction& instruction, std::size_t operand) const {
    if (!is_register(instruction, operand)) return nullptr;
    const std::size_t at = writer_[place(instruction.operands[operand].index)];
    return at == nowhere ? nullptr : &body_[at];
  }
  /// The only reader of what is written here, if it stands in the same block.
  std::size_t reader(std::size_t at) const {
    if (!is_register(body_[at], 0)) return nowhere;
    const std::size_t to = place(body_[at].operands[0].index);
    if (writer_[to] != at || readers_[to].size() != 1) return nowhere;
    const std::size_t reads = readers_[to].front();
    return reads > at && block_[reads] == block_[at] && body_[reads].guard < 0 ? reads : nowhere;
  }
  bool all_readers(std::size_t at, bool (*wanted)(const Instruction&)) const {
    if (!is_register(body_[at], 0)) return false;
    const std::size_t to = place(body_[at].operands[0].index);
    return writer_[to] == at && !readers_[to].empty() &&
           std::all_of(readers_[to].begin(), readers_[to].end(),
                       [&](std::size_t reads) { return wanted(body_[reads]); });
  }

  /// Of 64 bits, the upper half of which is 0.
  bool is_short(const Instruction& instruction, std::size_t operand) const {
    if (instruction.operands.size() <= operand) return false;
    const Operand& wanted = instruction.operands[operand];
    if (wanted.kind == Operand::Kind::immediate) return wanted.bits <= lower_half;
    return wanted.kind == Operand::Kind::reg && is_short_[place(wanted.index)];
  }
  /// In the order of the text: what comes back in a loop is not known.
  void find_short_numbers() {
    for (std::size_t at = 0; at < body_.size(); ++at) {
      const Instruction& one = body_[at];
      if (one.guard >= 0 || !is_register(one, 0)) continue;
      const std::size_t to = place(one.operands[0].index);
      if (writer_[to] == at) is_short_[to] = makes_short(one);
    }
  }
  bool makes_short(const Instruction& one) const {
    if (one.opcode == "cvt" && one.modifiers.size() == 2) {
      return one.has("u64") && (one.has("u32") || one.has("u16") || one.has("u8"));
    }
    if (one.opcode == "shr" && one.has("u64") && one.operands.size() == 3) {
      const Operand& by = one.operands[2];
      return by.kind == Operand::Kind::immediate && by.bits >= 32;
    }
    if (one.opcode == "mov") return one.operands.size() == 2 && is_short(one, 1);
    if (!is_wide_logic(one)) return false;
    const bool first = is_short(one, 1), second = is_short(one, 2);
    return one.opcode == "and" ? first || second : first && second;
  }
  bool is_short_logic(std::size_t at) const {
    const Instruction& one = body_[at];
    return is_wide_logic(one) && is_register(one, 0) && is_short_[place(one.operands[0].index)];
  }
  bool is_short_product(const Instruction& one) const {
    return is_wide_product(one) && is_short(one, 1) && is_short(one, 2);
  }
  bool takes_lower_half(const Instruction& one) const {
    return one.opcode == "and" && one.has("b64") && is_number(one, 2, lower_half);
  }

  bool is_joined(std::size_t at) {
    const Instruction& one = body_[at];
    if (renames_halves(one) || takes_lower_half(one)) return true;
    if (changes_sign(one)) return all_readers(at, is_float_arithmetic);
    if (is_constant(at) || is_packed(one)) return true;
    if (one.opcode == "mul" && one.has("lo")) return has_upper_half(at);
    if (combines_predicates(one)) return is_by_comparison(one);
    return is_third_operand(at);
  }
  /// Where it is the only value of its register: as the first of several it begins a loop.
  bool is_constant(std::size_t at) const {
    const Instruction& one = body_[at];
    return one.opcode == "mov" && is_register(one, 0) && one.operands.size() == 2 &&
           one.operands[1].kind == Operand::Kind::immediate &&
           writer_[place(one.operands[0].index)] == at;
  }
  /// The other half is put where a shift by 32 has made room.
  bool is_packed(const Instruction& one) const {
    if (one.opcode != "or" || !one.has("b64")) return false;
    const auto shifted = [&](std::size_t operand) {
      const Instruction* from = writer(one, operand);
      return from && from->opcode == "shl" && is_shift_by_half(*from);
    };
    return shifted(1) || shifted(2);
  }
  bool has_upper_half(std::size_t at) const {
    const Instruction& one = body_[at];
    if (!is_of_32_bits(one)) return false;
    const auto same = [](const Operand& x, const Operand& y) {
      return x.kind == y.kind && x.index == y.index && x.bits == y.bits;
    };
    const auto is_upper = [&](const Instruction& with) {
      if (with.opcode != "mul" || !with.has("hi") || !is_of_32_bits(with)) return false;
      if (with.operands.size() != 3 || one.operands.size() != 3) return false;
      const Operand &a = one.operands[1], &b = one.operands[2];
      const Operand &c = with.operands[1], &d = with.operands[2];
      return (same(a, c) && same(b, d)) || (same(a, d) && same(b, c));
    };
    const auto first = body_.begin() + first_[block_[at]];
    return std::any_of(first, body_.begin() + first_[block_[at] + 1], is_upper);
  }
  bool is_by_comparison(const Instruction& one) const {
    if (one.opcode == "not") return true;
    const auto compared = [&](std::size_t operand) {
      const Instruction* from = writer(one, operand);
      return from && from->opcode == "setp";
    };
    return compared(1) || compared(2);
  }
  /// Each takes one such operand beside its own two.
  bool is_third_operand(std::size_t at) {
    const Instruction& one = body_[at];
    const auto is_any_logic = [&](std::size_t which) {
      return is_logic(body_[which]) || is_short_logic(which);
    };
    const bool sum = is_sum(one), logic = is_any_logic(at);
    const bool shift = one.opcode == "shl" && is_of_32_bits(one) && one.operands.size() == 3 &&
                       one.operands[2].kind == Operand::Kind::immediate;
    if (!sum && !logic && !shift) return false;
    const std::size_t reads = reader(at);
    if (reads == nowhere || full_[reads]) return false;
    if (logic ? !is_any_logic(reads) : !is_sum(body_[reads])) return false;
    // What has three operands already goes on being an instruction of its own.
    if (full_[at] && one.opcode != "not") return false;
    full_[reads] = one.opcode != "not";
    return true;
  }

  const std::vector<Instruction>& body_;
  const std::vector<std::int32_t>& first_;  ///< instruction of each block
  std::vector<HardwareWork> work_;
  std::vector<std::size_t> block_;  ///< of each instruction
  std::vector<bool> full_;          ///< has taken a third operand
  std::vector<std::size_t> writer_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<bool> is_short_;  ///< of each register
};

}  // namespace

std::vector<HardwareWork> joined_instructions(const ptx::Function& function, const Blocks& blocks) {
  return Joins(function, blocks).find();
}

}  // namespace gridstride::sim

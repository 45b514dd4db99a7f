// See joined_instructions.h.
#include "common/simulator/analysis/joined_instructions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
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

enum class Op : std::uint8_t {
  other,
  add,
  sub,
  mul,
  fma,
  min,
  max,
  setp,
  conjunction,
  disjunction,
  exclusion,
  negation,
  shl,
  shr,
  mov,
  cvt,
  abs,
  neg,
};

Op op_of(std::string_view opcode) {
  static constexpr std::array<std::pair<std::string_view, Op>, 17> known = {{
      {"add", Op::add},
      {"sub", Op::sub},
      {"mul", Op::mul},
      {"fma", Op::fma},
      {"min", Op::min},
      {"max", Op::max},
      {"setp", Op::setp},
      {"and", Op::conjunction},
      {"or", Op::disjunction},
      {"xor", Op::exclusion},
      {"not", Op::negation},
      {"shl", Op::shl},
      {"shr", Op::shr},
      {"mov", Op::mov},
      {"cvt", Op::cvt},
      {"abs", Op::abs},
      {"neg", Op::neg},
  }};
  for (const auto& [name, op] : known) {
    if (name == opcode) return op;
  }
  return Op::other;
}

/// Modifiers, as bits.
enum Word : std::uint16_t {
  s32 = 1 << 0,
  u32 = 1 << 1,
  b32 = 1 << 2,
  s64 = 1 << 3,
  u64 = 1 << 4,
  b64 = 1 << 5,
  f32 = 1 << 6,
  f64 = 1 << 7,
  pred = 1 << 8,
  lo = 1 << 9,
  hi = 1 << 10,
  carry = 1 << 11,  ///< .cc, .sat
  narrower = 1 << 12,
};

std::uint16_t word_of(std::string_view modifier) {
  static constexpr std::array<std::pair<std::string_view, Word>, 15> known = {{
      {"s32", s32},
      {"u32", u32},
      {"b32", b32},
      {"s64", s64},
      {"u64", u64},
      {"b64", b64},
      {"f32", f32},
      {"f64", f64},
      {"pred", pred},
      {"lo", lo},
      {"hi", hi},
      {"cc", carry},
      {"sat", carry},
      {"u16", narrower},
      {"u8", narrower},
  }};
  for (const auto& [name, word] : known) {
    if (name == modifier) return word;
  }
  return 0;
}

/// What is asked of an instruction again and again.
struct Form {
  Op op = Op::other;
  std::uint16_t words = 0;
  bool has(std::uint16_t any) const { return (words & any) != 0; }
  bool is_logic() const {
    return op == Op::conjunction || op == Op::disjunction || op == Op::exclusion ||
           op == Op::negation;
  }
  bool is_sum_of_32_bits() const {
    return (op == Op::add || op == Op::sub) && has(s32 | u32 | b32) && !has(carry);
  }
  bool is_float_arithmetic() const {
    const bool computes = op == Op::add || op == Op::sub || op == Op::mul || op == Op::fma ||
                          op == Op::min || op == Op::max || op == Op::setp;
    return computes && has(f32 | f64);
  }
};

Form form_of(const Instruction& instruction) {
  Form form{op_of(instruction.opcode)};
  if (form.op == Op::other) return form;
  for (const std::string& modifier : instruction.modifiers) form.words |= word_of(modifier);
  return form;
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

class Joins {
 public:
  Joins(const ptx::Function& function, const Blocks& blocks)
      : body_(function.body),
        first_(blocks.first),
        forms_(body_.size()),
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
      forms_[at] = form_of(body_[at]);
      const auto read = [&](std::int32_t index) {
        Readers& readers = readers_[place(index)];
        readers.last = at;
        ++readers.count;
        readers.all_real = readers.all_real && forms_[at].is_float_arithmetic();
      };
      const auto written = [&](std::int32_t index) {
        writer_[place(index)] = ++writes[place(index)] == 1 ? at : nowhere;
      };
      if (is_plain(at)) {
        if (body_[at].guard >= 0) read(body_[at].guard);
        for (std::size_t k = 1; k < body_[at].operands.size(); ++k) {
          if (is_register(body_[at], k)) read(body_[at].operands[k].index);
        }
        written(body_[at].operands[0].index);
      } else {
        each_source(body_[at], read);
        each_destination(body_[at], written);
      }
    }
  }

  std::vector<HardwareWork> find() {
    find_short_numbers();
    for (std::size_t at = 0; at < body_.size(); ++at) {
      if (forms_[at].op == Op::other || body_[at].guard >= 0) continue;
      if (is_joined(at)) {
        work_[at] = HardwareWork::nothing;
      } else if (is_short_logic(at) || is_short_product(at)) {
        work_[at] = HardwareWork::half;
      }
    }
    return std::move(work_);
  }

 private:
  struct Readers {
    std::size_t last = 0, count = 0;
    bool all_real = true;  ///< all compute with floats
  };

  /// Writes one register and reads others: mostly so, and soon looked at.
  bool is_plain(std::size_t at) const {
    const std::vector<Operand>& operands = body_[at].operands;
    const auto is_simple = [](const Operand& operand) {
      const bool has_no_registers =
          operand.kind == Operand::Kind::immediate || operand.kind == Operand::Kind::special;
      return has_no_registers ||
             (operand.kind == Operand::Kind::reg && operand.index >= 0 && operand.second_index < 0);
    };
    return forms_[at].op != Op::other && is_register(body_[at], 0) &&
           std::all_of(operands.begin(), operands.end(), is_simple);
  }
  static std::size_t place(std::int32_t index) { return static_cast<std::size_t>(index); }

  /// What writes an operand, and nothing else does; or nowhere.
  std::size_t writer(std::size_t at, std::size_t operand) const {
    if (!is_register(body_[at], operand)) return nowhere;
    return writer_[place(body_[at].operands[operand].index)];
  }
  /// The register that is written here, and nowhere else; or nowhere.
  std::size_t result(std::size_t at) const {
    if (!is_register(body_[at], 0)) return nowhere;
    const std::size_t to = place(body_[at].operands[0].index);
    return writer_[to] == at ? to : nowhere;
  }
  /// The only reader of what is written here, if it stands in the same block.
  std::size_t reader(std::size_t at) const {
    const std::size_t to = result(at);
    if (to == nowhere || readers_[to].count != 1) return nowhere;
    const std::size_t reads = readers_[to].last;
    return reads > at && block_[reads] == block_[at] && body_[reads].guard < 0 ? reads : nowhere;
  }

  /// Of 64 bits, the upper half of which is 0.
  bool is_short(std::size_t at, std::size_t operand) const {
    if (body_[at].operands.size() <= operand) return false;
    const Operand& wanted = body_[at].operands[operand];
    if (wanted.kind == Operand::Kind::immediate) return wanted.bits <= lower_half;
    return wanted.kind == Operand::Kind::reg && is_short_[place(wanted.index)];
  }
  /// In the order of the text: what comes back in a loop is not known.
  void find_short_numbers() {
    for (std::size_t at = 0; at < body_.size(); ++at) {
      if (forms_[at].op == Op::other || body_[at].guard >= 0) continue;
      if (const std::size_t to = result(at); to != nowhere) is_short_[to] = makes_short(at);
    }
  }
  bool makes_short(std::size_t at) const {
    const Instruction& one = body_[at];
    const Form& form = forms_[at];
    switch (form.op) {
      case Op::cvt:
        return one.modifiers.size() == 2 && form.has(u64) && form.has(u32 | narrower);
      case Op::shr:
        return form.has(u64) && one.operands.size() == 3 &&
               one.operands[2].kind == Operand::Kind::immediate && one.operands[2].bits >= 32;
      case Op::mov:
        return one.operands.size() == 2 && is_short(at, 1);
      case Op::conjunction:
        return form.has(b64) && (is_short(at, 1) || is_short(at, 2));
      case Op::disjunction:
      case Op::exclusion:
        return form.has(b64) && is_short(at, 1) && is_short(at, 2);
      default:
        return false;
    }
  }
  bool is_short_logic(std::size_t at) const {
    const std::size_t to = result(at);
    return forms_[at].is_logic() && forms_[at].has(b64) && to != nowhere && is_short_[to];
  }
  bool is_short_product(std::size_t at) const {
    const Form& form = forms_[at];
    return form.op == Op::mul && form.has(lo) && form.has(s64 | u64) && is_short(at, 1) &&
           is_short(at, 2);
  }

  bool is_joined(std::size_t at) {
    const Form& form = forms_[at];
    switch (form.op) {
      case Op::cvt:
        return body_[at].modifiers.size() == 2 && form.has(u64) && form.has(u32);
      case Op::mov:
        return is_constant_or_pack(at);
      case Op::abs:
      case Op::neg:
        return form.has(f32 | f64) && is_sign_of_float(at);
      case Op::mul:
        return form.has(lo) && form.has(s32 | u32) && has_upper_half(at);
      case Op::shr:
        return is_shift_by_half(at);
      case Op::shl:
        return is_shift_by_half(at) || is_third_operand(at);
      case Op::add:
      case Op::sub:
        return is_third_operand(at);
      case Op::conjunction:
      case Op::disjunction:
      case Op::exclusion:
      case Op::negation:
        if (form.has(pred)) return form.op != Op::exclusion && is_by_comparison(at);
        return is_packed(at) || takes_lower_half(at) || is_third_operand(at);
      default:
        return false;
    }
  }
  bool is_shift_by_half(std::size_t at) const {
    const Form& form = forms_[at];
    const bool shifts = form.op == Op::shl ? form.has(b64) : form.op == Op::shr && form.has(u64);
    return shifts && is_number(body_[at], 2, 32);
  }
  /// A constant where it is the only value of its register: as the first of several it begins a loop.
  bool is_constant_or_pack(std::size_t at) const {
    const Instruction& one = body_[at];
    if (one.operands.size() != 2) return false;
    if (one.operands[1].kind == Operand::Kind::vector) return true;
    return one.operands[1].kind == Operand::Kind::immediate && result(at) != nowhere;
  }
  bool is_sign_of_float(std::size_t at) const {
    const std::size_t to = result(at);
    return to != nowhere && readers_[to].count != 0 && readers_[to].all_real;
  }
  bool takes_lower_half(std::size_t at) const {
    return forms_[at].op == Op::conjunction && forms_[at].has(b64) &&
           is_number(body_[at], 2, lower_half);
  }
  /// The other half is put where a shift by 32 has made room.
  bool is_packed(std::size_t at) const {
    if (forms_[at].op != Op::disjunction || !forms_[at].has(b64)) return false;
    const auto shifted = [&](std::size_t operand) {
      const std::size_t from = writer(at, operand);
      return from != nowhere && forms_[from].op == Op::shl && is_shift_by_half(from);
    };
    return shifted(1) || shifted(2);
  }
  bool has_upper_half(std::size_t at) const {
    const auto same = [](const Operand& x, const Operand& y) {
      return x.kind == y.kind && x.index == y.index && x.bits == y.bits;
    };
    const auto is_upper = [&](std::size_t other) {
      const Form& form = forms_[other];
      if (form.op != Op::mul || !form.has(hi) || !form.has(s32 | u32)) return false;
      const std::vector<Operand>&x = body_[at].operands, &y = body_[other].operands;
      if (x.size() != 3 || y.size() != 3) return false;
      return (same(x[1], y[1]) && same(x[2], y[2])) || (same(x[1], y[2]) && same(x[2], y[1]));
    };
    const auto end = static_cast<std::size_t>(first_[block_[at] + 1]);
    for (auto other = static_cast<std::size_t>(first_[block_[at]]); other < end; ++other) {
      if (is_upper(other)) return true;
    }
    return false;
  }
  bool is_by_comparison(std::size_t at) const {
    if (forms_[at].op == Op::negation) return true;
    const auto compared = [&](std::size_t operand) {
      const std::size_t from = writer(at, operand);
      return from != nowhere && forms_[from].op == Op::setp;
    };
    return compared(1) || compared(2);
  }
  /// Each takes one such operand beside its own two.
  bool is_third_operand(std::size_t at) {
    const auto is_any_logic = [&](std::size_t which) {
      return forms_[which].is_logic() && (forms_[which].has(b32) || is_short_logic(which));
    };
    const Form& form = forms_[at];
    const Instruction& one = body_[at];
    const bool sum = form.is_sum_of_32_bits(), logic = is_any_logic(at);
    const bool shift = form.op == Op::shl && form.has(b32) && one.operands.size() == 3 &&
                       one.operands[2].kind == Operand::Kind::immediate;
    if (!sum && !logic && !shift) return false;
    const std::size_t reads = reader(at);
    if (reads == nowhere || full_[reads]) return false;
    if (logic ? !is_any_logic(reads) : !forms_[reads].is_sum_of_32_bits()) return false;
    // What has three operands already goes on being an instruction of its own.
    if (full_[at] && form.op != Op::negation) return false;
    full_[reads] = form.op != Op::negation;
    return true;
  }

  const std::vector<Instruction>& body_;
  const std::vector<std::int32_t>& first_;  ///< instruction of each block
  std::vector<Form> forms_;
  std::vector<HardwareWork> work_;
  std::vector<std::size_t> block_;   ///< of each instruction
  std::vector<bool> full_;           ///< has taken a third operand
  std::vector<std::size_t> writer_;  ///< of each register
  std::vector<Readers> readers_;
  std::vector<bool> is_short_;
};

}  // namespace

std::vector<HardwareWork> joined_instructions(const ptx::Function& function, const Blocks& blocks) {
  return Joins(function, blocks).find();
}

}  // namespace gridstride::sim

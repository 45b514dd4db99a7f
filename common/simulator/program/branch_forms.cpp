// See branch_forms.h.
#include "common/simulator/program/branch_forms.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/simulator/program/call_site.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {
namespace {

constexpr std::size_t most_predicated = 16, most_unrolled = 48;
constexpr std::int64_t most_written_out = 3000;
constexpr std::uint8_t unrolled_rounds = 4;

class Forms {
 public:
  explicit Forms(const KernelCode& kernel)
      : kernel_(kernel),
        found_{std::vector<bool>(kernel.code.size()),
               std::vector<std::uint8_t>(kernel.code.size(), 1),
               std::vector<LoopCounter>(kernel.code.size()),
               std::vector<bool>(kernel.code.size()),
               std::vector<std::int32_t>(kernel.code.size(), -1),
               std::vector<std::vector<VectorRegister>>(kernel.code.size())},
        entries_(kernel.code.size() + 1) {
    for (const Inst& inst : kernel.code) {
      if (inst.control == Control::branch) ++entries_[place(inst.target)];
      if (inst.control != Control::branch_table) continue;
      const auto& table = *static_cast<const BranchTable*>(inst.extra);
      for (const std::int32_t target : std::span(table.targets, table.count)) {
        ++entries_[place(target)];
      }
    }
  }

  BranchForms find() {
    // From the last on, so that what lies within a region is known before the region.
    for (std::size_t pc = kernel_.code.size(); pc-- > 0;) {
      const Inst& inst = kernel_.code[pc];
      if (inst.control != Control::branch || inst.guard == no_register || inst.target < 0) continue;
      const std::size_t target = place(inst.target);
      if (target > pc) {
        const Choice choice = choice_at(pc, target);
        if (is_predicated(pc, choice)) predicate(pc, choice);
        continue;
      }
      LoopCounter& loop = found_.loops[pc];
      const ptx::Instruction* compares = counts(target, pc, loop);
      if (!compares) continue;
      if (is_unrolled(target, pc, *compares, loop)) found_.rounds[pc] = unrolled_rounds;
      if (is_written_out(target, pc, *compares, loop)) {
        std::fill(found_.written_out.begin() + static_cast<std::ptrdiff_t>(target),
                  found_.written_out.begin() + static_cast<std::ptrdiff_t>(pc), true);
      }
    }
    return std::move(found_);
  }

 private:
  std::size_t place(std::int32_t target) const {
    return target < 0 ? kernel_.code.size() : static_cast<std::size_t>(target);
  }
  bool stays(std::size_t pc) const {
    const SchedulingConstraint scheduling = kernel_.classes[pc].scheduling;
    return scheduling == SchedulingConstraint::fixed ||
           scheduling == SchedulingConstraint::subroutine;
  }
  /// Never predicated.
  bool changes_memory(std::size_t pc) const {
    const InstructionClass& kind = kernel_.classes[pc];
    return kind.unit == Unit::atomic ||
           (kind.scheduling == SchedulingConstraint::store && kind.latency != Latency::shared);
  }
  /// How many branches, other than those within [first, last), go to a place behind `first` in it.
  bool is_entered(std::size_t first, std::size_t last) const {
    std::size_t from_within = 0, all = 0;
    for (std::size_t at = first; at < last; ++at) {
      if (at != first) all += entries_[at];
      const Inst& inst = kernel_.code[at];
      if (inst.control != Control::branch) continue;
      const std::size_t to = place(inst.target);
      from_within += to > first && to < last;
    }
    return all != from_within;
  }
  /// What the branch at its beginning chooses of: up to `end`, but for `jumps` from one part over the other.
  struct Choice {
    std::size_t end = 0;
    std::vector<std::size_t> jumps;
    bool has_jump(std::size_t at) const {
      return std::find(jumps.begin(), jumps.end(), at) != jumps.end();
    }
  };
  bool is_jump(std::size_t pc) const {
    const Inst& inst = kernel_.code[pc];
    return inst.control == Control::branch && inst.guard == no_register && place(inst.target) > pc;
  }
  /// `@p bra X; … X:`, and where a jump stands before X what lies behind it, too. The compiler before ptxas also
  /// writes `@p bra A; bra B; A: … B:` for what is done if p holds.
  Choice choice_at(std::size_t pc, std::size_t target) const {
    Choice choice{target, {}};
    if (target == pc + 2 && is_jump(pc + 1)) {
      choice.jumps.push_back(pc + 1);
      choice.end = place(kernel_.code[pc + 1].target);
    }
    const std::size_t last = choice.end - 1;
    if (last > pc && is_jump(last) && !choice.has_jump(last)) {
      choice.jumps.push_back(last);
      choice.end = place(kernel_.code[last].target);
    }
    return choice;
  }
  bool is_predicated(std::size_t pc, const Choice& choice) const {
    if (choice.end - pc - 1 - choice.jumps.size() > most_predicated) return false;
    if (is_entered(pc, choice.end)) return false;
    for (std::size_t at = pc + 1; at < choice.end; ++at) {
      if (stays(at) && !found_.predicated[at] && !choice.has_jump(at)) return false;
      if (changes_memory(at)) return false;
    }
    return true;
  }
  void predicate(std::size_t pc, const Choice& choice) {
    found_.predicated[pc] = true;
    for (std::size_t at = pc + 1; at < choice.end; ++at) {
      if (choice.has_jump(at)) {
        found_.predicated[at] = true;
        continue;
      }
      found_.conditions[at].push_back(kernel_.code[pc].guard);
      found_.predicated_by[at] = static_cast<std::int32_t>(pc);
    }
  }

  bool writes(std::size_t pc, VectorRegister at) const {
    const std::vector<VectorRegister>& all = kernel_.dependences[pc].writes;
    return std::find(all.begin(), all.end(), at) != all.end();
  }
  bool is_changed(std::size_t first, std::size_t last, VectorRegister at) const {
    for (std::size_t pc = first; pc < last; ++pc) {
      if (writes(pc, at)) return true;
    }
    return false;
  }
  const ptx::Instruction* source(std::size_t pc) const { return kernel_.origins[pc].instruction; }

  /// What a register holds at `before`, as what was moved there last before it in the code; null where that is
  /// no move of something that the code names.
  const ptx::Operand* moved(std::size_t before, VectorRegister at) const {
    while (before-- > 0) {
      if (!writes(before, at)) continue;
      const ptx::Instruction* from = source(before);
      if (!from || from->opcode != "mov" || from->operands.size() != 2) return nullptr;
      if (from->operands[1].kind != ptx::Operand::Kind::reg) return &from->operands[1];
      at = kernel_.code[before].a;
    }
    return nullptr;
  }

  /// A register that an immediate is added to, which is `step`, once in each round, and nothing else.
  bool is_counter(std::size_t first, std::size_t last, VectorRegister at,
                  std::int64_t& step) const {
    std::size_t steps = 0;
    for (std::size_t pc = first; pc < last; ++pc) {
      if (!writes(pc, at)) continue;
      const ptx::Instruction* from = source(pc);
      if (!from || from->opcode != "add" || from->operands.size() != 3) return false;
      if (from->operands[2].kind != ptx::Operand::Kind::immediate) return false;
      if (kernel_.code[pc].a != at) return false;
      step = static_cast<std::int64_t>(from->operands[2].bits);
      ++steps;
    }
    return steps == 1;
  }
  /// The comparison that ends a loop of one piece which counts; nothing when it does not.
  const ptx::Instruction* counts(std::size_t first, std::size_t last, LoopCounter& loop) const {
    if (is_entered(first, last) || (source(first) && source(first)->not_unrolled)) return nullptr;
    std::size_t comparison = last;
    for (std::size_t pc = first; pc < last; ++pc) {
      if (kernel_.code[pc].control != Control::none) return nullptr;
      if (writes(pc, kernel_.code[last].guard)) comparison = pc;
    }
    const ptx::Instruction* compares = comparison == last ? nullptr : source(comparison);
    if (!compares || compares->opcode != "setp" || compares->operands.size() != 3) return nullptr;
    const Inst& inst = kernel_.code[comparison];
    const std::string& type = compares->modifiers.back();
    loop = {inst.a, inst.b, 0, type.ends_with("64")};
    return is_counter(first, last, inst.a, loop.step) ? compares : nullptr;
  }
  static bool ends_at_register(const ptx::Instruction& compares) {
    return compares.operands[2].kind == ptx::Operand::Kind::reg;
  }
  bool is_unrolled(std::size_t first, std::size_t last, const ptx::Instruction& compares,
                   const LoopCounter& loop) const {
    if (last - first > most_unrolled) return false;
    for (std::size_t pc = first; pc < last; ++pc) {
      const Unit unit = kernel_.classes[pc].unit;
      if (stays(pc) || unit == Unit::warp || unit == Unit::atomic) return false;
    }
    if (ends_at_register(compares)) return !is_changed(first, last, loop.end);
    return moved(first, loop.at) == nullptr;
  }
  bool is_written_out(std::size_t first, std::size_t last, const ptx::Instruction& compares,
                      const LoopCounter& loop) const {
    if (ends_at_register(compares) || loop.step == 0) return false;
    const ptx::Operand* begin = moved(first, loop.at);
    if (!begin || begin->kind != ptx::Operand::Kind::immediate) return false;
    const auto way = static_cast<std::int64_t>(compares.operands[2].bits - begin->bits);
    const std::int64_t rounds = way / loop.step;
    return rounds > 0 && rounds <= most_written_out &&
           rounds * static_cast<std::int64_t>(last - first) <= most_written_out;
  }

  const KernelCode& kernel_;
  BranchForms found_;
  std::vector<std::size_t> entries_;  ///< branches that go to an instruction
};

}  // namespace

BranchForms branch_forms_of(const KernelCode& kernel) { return Forms(kernel).find(); }

}  // namespace gridstride::sim

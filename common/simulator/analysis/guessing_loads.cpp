// Follows the loaded value through the blocks behind it, until it is overwritten everywhere. What a
// swap returns is no guess any more.
#include "common/simulator/analysis/guessing_loads.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/simulator/analysis/basic_blocks.h"
#include "common/simulator/analysis/definitions.h"
#include "common/simulator/analysis/opcodes.h"
#include "common/simulator/analysis/register_uses.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using Registers = std::set<std::int32_t>;

/// Operands of atom.cas: what was there, where, compared, stored.
constexpr std::size_t swap_address = 1, swap_compared = 2, swap_operands = 4;

bool is_plain_load(const Instruction& instruction) {
  if (instruction.opcode != "ld" || instruction.operands.size() < 2) return false;
  for (const char* other :
       {"volatile", "relaxed", "acquire", "param", "const", "local", "v2", "v4"})
    if (instruction.has(other)) return false;
  return instruction.operands[1].kind == Operand::Kind::address;
}

bool is_swap(const Instruction& instruction) {
  return instruction.opcode == "atom" && instruction.has("cas") &&
         instruction.operands.size() == swap_operands;
}

/// Bytes of what it moves: the last type that it names.
std::size_t moved_bytes(const Instruction& instruction) {
  std::size_t bytes = 0;
  for (const std::string& modifier : instruction.modifiers)
    if (const ptx::Type type = ptx::type_named(modifier); type != ptx::Type::none)
      bytes = ptx::size_of(type);
  return bytes;
}

/// Whether it makes registers of one thread from registers of the same.
bool computes(const Instruction& instruction) {
  const Opcode* const opcode = find_opcode(instruction.opcode);
  return opcode != nullptr && opcode->kind <= OpcodeKind::move &&
         opcode->memory == MemoryEffect::none && opcode->result == Result::first &&
         (opcode->traits & trait::consumes) == 0;
}

/// Where an access is: so many bytes behind a variable, or behind what a register holds.
struct Place {
  std::string variable;
  std::int32_t base = -1;
  std::int64_t offset = 0;
  bool operator==(const Place&) const = default;
};

/// The place an address names, with copies and additions of constants undone.
Place place_of(const Definitions& definitions, const Operand& address) {
  constexpr std::size_t most_steps = 1000;
  Place place{address.name, address.index, address.offset};
  for (std::size_t steps = 0; place.base >= 0 && steps < most_steps; ++steps) {
    const Instruction* const made = definitions.of(place.base);
    if (made == nullptr || made->operands.size() < 2) break;
    const Operand& source = made->operands[1];
    const bool widens = made->opcode == "cvt" && made->has("u64") && made->has("u32");
    const bool copies =
        (made->opcode == "mov" || made->opcode == "cvta" || widens) && made->operands.size() == 2;
    const bool adds = made->opcode == "add" && made->operands.size() == 3 &&
                      made->operands[2].kind == Operand::Kind::immediate;
    if (copies && source.kind == Operand::Kind::symbol)
      return {source.name, -1, place.offset + source.offset};
    if ((!copies && !adds) || source.kind != Operand::Kind::reg || source.index < 0) break;
    place.base = source.index;
    if (adds) place.offset += static_cast<std::int64_t>(made->operands[2].bits);
  }
  return place;
}

bool same_place(const Definitions& definitions, const Instruction& load, const Instruction& swap) {
  const Operand& address = swap.operands[swap_address];
  return address.kind == Operand::Kind::address && moved_bytes(load) == moved_bytes(swap) &&
         place_of(definitions, load.operands[1]) == place_of(definitions, address);
}

/// Whether one call of a function of the toolkit loads and swaps. Those are right; but where they are not
/// inlined by the compiler, the value may go through local memory, where Walk does not follow it.
bool in_one_toolkit_call(const ptx::Function& function, const Instruction& load,
                         const Instruction& swap) {
  const std::uint32_t loads = load.location.call;
  if (loads == 0 || !function.calls[loads - 1].of_toolkit) return false;
  std::uint32_t swaps = swap.location.call;
  while (swaps != 0 && swaps != loads) swaps = function.calls[swaps - 1].call;
  return swaps == loads;
}

bool names_guess(const Operand& operand, const Registers& guesses) {
  const bool names = operand.kind == Operand::Kind::reg || operand.kind == Operand::Kind::address;
  return names && ((operand.index >= 0 && guesses.contains(operand.index)) ||
                   (operand.second_index >= 0 && guesses.contains(operand.second_index)));
}

/// What is known of registers at one point.
struct Known {
  Registers guesses;  ///< hold the loaded value, or what was computed from it
  Registers answers;  ///< hold what a swap of the place returned, or copies
};

/// One walk over the function, block by block, until nothing new is learnt.
class Walk {
 public:
  Walk(const ptx::Function& function, const Definitions& definitions, std::size_t at)
      : function_(function),
        definitions_(definitions),
        load_(function.body[at]),
        at_(at),
        blocks_(find_blocks(function)) {}

  bool only_guesses() {
    const auto behind = std::ranges::upper_bound(blocks_.first, static_cast<std::int32_t>(at_));
    const auto own = static_cast<std::size_t>(behind - blocks_.first.begin()) - 1;
    entered_.resize(blocks_.successors.size());
    Known known;
    each_destination(load_, [&](std::int32_t index) { known.guesses.insert(index); });
    if (known.guesses.empty() || !pass(own, static_cast<std::int32_t>(at_) + 1, known))
      return false;
    while (!open_.empty()) {
      const std::size_t block = *open_.begin();
      open_.erase(open_.begin());
      if (!pass(block, blocks_.first[block], {entered_[block], {}})) return false;
    }
    return is_compared_;
  }

 private:
  /// From instruction `begin` to the end of its block; false when a guess is used as an answer.
  bool pass(std::size_t block, std::int32_t begin, Known known) {
    confirming_ = -1;
    ever_ = known.guesses;
    for (std::int32_t i = begin; i < blocks_.first[block + 1]; ++i) {
      if (!step(function_.body[static_cast<std::size_t>(i)], known)) return false;
    }
    const std::int32_t confirmed = confirmed_successor(block);
    for (const std::int32_t next : blocks_.successors[block]) {
      const auto n = static_cast<std::size_t>(next);
      if (n >= entered_.size()) continue;  // the function's end
      Registers guesses = known.guesses;
      if (next == confirmed) {
        for (const std::int32_t index : confirmed_values(begin, blocks_.first[block + 1]))
          guesses.erase(index);
      }
      const std::size_t before = entered_[n].size();
      entered_[n].insert(guesses.begin(), guesses.end());
      if (entered_[n].size() != before) open_.insert(n);
    }
    return true;
  }

  /// What is as good as an answer when the guess that was compared is: that, and what instructions
  /// `begin` … `end` - 1 compute from it and from no other guess.
  Registers confirmed_values(std::int32_t begin, std::int32_t end) const {
    Registers values{compared_};
    for (std::int32_t i = begin; i < end; ++i) {
      const Instruction& instruction = function_.body[static_cast<std::size_t>(i)];
      bool from_it = false, from_others = false;
      each_source(instruction, [&](std::int32_t index) {
        from_it = from_it || values.contains(index);
        from_others = from_others || (ever_.contains(index) && !values.contains(index));
      });
      each_destination(instruction, [&](std::int32_t written) {
        if (written == compared_) {
          values = {compared_};
        } else if (from_it && !from_others && computes(instruction) && instruction.guard < 0) {
          values.insert(written);
        } else {
          values.erase(written);
        }
      });
    }
    return values;
  }

  bool step(const Instruction& instruction, Known& known) {
    bool reads = false, copies_answer = false;
    each_source(instruction, [&](std::int32_t index) {
      reads = reads || known.guesses.contains(index);
      copies_answer = copies_answer || known.answers.contains(index);
    });
    const bool swaps = is_swap(instruction) && same_place(definitions_, load_, instruction);
    bool makes_guess = false;
    if (reads && swaps) {
      // Stored without being compared, a guess would be an answer.
      if (names_guess(instruction.operands[swap_address], known.guesses) ||
          !names_guess(instruction.operands[swap_compared], known.guesses)) {
        return false;
      }
      is_compared_ = true;
    } else if (reads && instruction.opcode != "bra") {
      if (!computes(instruction)) return false;
      makes_guess = true;
    }
    each_destination(instruction, [&](std::int32_t written) {
      if (written == compared_ || written == confirming_) confirming_ = -1;
    });
    if (reads && copies_answer) note_comparison(instruction, known);
    copies_answer = copies_answer && !reads && instruction.opcode == "mov";
    each_destination(instruction, [&](std::int32_t written) {
      if (makes_guess) {
        known.guesses.insert(written);
        ever_.insert(written);
      } else if (instruction.guard < 0) {
        known.guesses.erase(written);
      }
      if (swaps || copies_answer) {
        known.answers.insert(written);
      } else {
        known.answers.erase(written);
      }
    });
    return true;
  }

  /// A predicate that says whether the guess was right: it is compared with what the swap returned.
  void note_comparison(const Instruction& instruction, const Known& known) {
    const bool equal = instruction.has("eq");
    const bool unequal = instruction.has("ne") || instruction.has("neu");
    if (instruction.opcode != "setp" || instruction.guard >= 0 ||
        instruction.operands.size() != 3 || (!equal && !unequal)) {
      return;
    }
    const bool first = names_guess(instruction.operands[1], known.guesses);
    compared_ = instruction.operands[first ? 1 : 2].index;
    confirming_ = instruction.operands[0].index;
    confirms_by_ = equal;
  }

  /// The block to which a right guess leads, which is then as good as an answer; -1: none.
  std::int32_t confirmed_successor(std::size_t block) const {
    const Instruction& last =
        function_.body[static_cast<std::size_t>(blocks_.first[block + 1]) - 1];
    if (last.opcode != "bra" || confirming_ < 0 || last.guard != confirming_) return -1;
    const std::int32_t target = targets_of(function_, last).at(0);
    const auto behind = std::ranges::upper_bound(blocks_.first, target);
    const auto taken = static_cast<std::int32_t>(behind - blocks_.first.begin()) - 1;
    const auto next = static_cast<std::int32_t>(block) + 1;
    if (taken == next) return -1;
    return confirms_by_ != last.guard_negated ? taken : next;
  }

  const ptx::Function& function_;
  const Definitions& definitions_;
  const Instruction& load_;
  std::size_t at_;
  Blocks blocks_;
  std::vector<Registers> entered_;  ///< guesses at each block's beginning
  std::set<std::size_t> open_;      ///< blocks to be passed again
  bool is_compared_ = false;
  Registers ever_;                ///< all that have been guesses in this block
  std::int32_t confirming_ = -1;  ///< predicate that note_comparison() found in this block, or -1
  std::int32_t compared_ = -1;    ///< … and the guess that it tells of
  bool confirms_by_ = false;      ///< its value when the guess was right
};

}  // namespace

std::set<std::size_t> guessing_loads(const ptx::Function& function) {
  std::vector<const Instruction*> swaps;
  for (const Instruction& instruction : function.body)
    if (is_swap(instruction)) swaps.push_back(&instruction);
  std::set<std::size_t> loads;
  if (swaps.empty()) return loads;
  const Definitions definitions(function);
  for (std::size_t at = 0; at < function.body.size(); ++at) {
    const Instruction& load = function.body[at];
    if (!is_plain_load(load)) continue;
    bool is_tried = false, by_toolkit = false;
    for (const Instruction* const swap : swaps) {
      if (!same_place(definitions, load, *swap)) continue;
      is_tried = true;
      by_toolkit = by_toolkit || in_one_toolkit_call(function, load, *swap);
    }
    if (is_tried && (by_toolkit || Walk(function, definitions, at).only_guesses()))
      loads.insert(at);
  }
  return loads;
}

}  // namespace gridstride::sim

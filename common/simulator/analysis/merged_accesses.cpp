// See merged_accesses.h.
#include "common/simulator/analysis/merged_accesses.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/simulator/analysis/opcodes.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using Kind = Operand::Kind;

/// Where an access goes: the same base means the same register and variable.
struct AccessPlace {
  std::int32_t base = -1;
  std::string variable;
  std::int32_t guard = -1;
  bool guard_negated = false;
  std::int64_t offset = 0;
  std::uint32_t bytes = 0;

  auto root() const { return std::tie(base, variable, guard, guard_negated); }
  bool same_base(const AccessPlace& other) const {
    return base == other.base && variable == other.variable;
  }
  bool overlaps(const AccessPlace& other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};

struct Access {
  std::size_t instruction = 0;
  AccessPlace place;
};

bool is_of_own_block(const Instruction& instruction) {
  return instruction.has("shared") || instruction.has("shared::cta");
}

/// Fills `place` when the instruction is a plain scalar access to shared memory.
bool place_of(const Instruction& instruction, std::size_t operand, AccessPlace& place) {
  if (!is_of_own_block(instruction) || instruction.operands.size() != 2) return false;
  for (const std::string_view modifier :
       {"volatile", "v2", "v4", "relaxed", "acquire", "release"}) {
    if (instruction.has(modifier)) return false;
  }
  const Operand& address = instruction.operands[operand];
  if (address.kind != Kind::address || instruction.modifiers.empty()) return false;
  place = {address.index,
           address.name,
           instruction.guard,
           instruction.guard_negated,
           address.offset,
           static_cast<std::uint32_t>(ptx::size_of(ptx::type_named(instruction.modifiers.back())))};
  return place.bytes == 4 || place.bytes == 8;
}

/// Instructions behind which nothing is known of shared memory.
bool orders_memory(const Instruction& instruction) {
  if (has_trait(instruction, trait::orders_shared)) return true;
  // Warp operations order nothing that one lane reads back: ptxas keeps registers across them.
  if (instruction.opcode == "atom" || instruction.opcode == "red") {
    return !instruction.has("global");
  }
  const bool memory = instruction.opcode == "ld" || instruction.opcode == "st";
  if (!memory) return false;
  for (const std::string_view space : {"global", "local", "param", "const"}) {
    if (instruction.has(space)) return false;
  }
  return true;  // generic, or an access to shared memory that is not plain
}

class Merger {
 public:
  Merger(const ptx::Function& function, const Blocks& blocks,
         const std::vector<RegisterOrigin>& origins)
      : function_(function), blocks_(blocks), origins_(origins), merged_(function.body.size()) {}

  std::vector<MergedAccess> run() {
    const std::size_t count = blocks_.successors.size();
    std::vector<int> predecessors(count, 0);
    for (const auto& successors : blocks_.successors) {
      for (const std::int32_t to : successors) ++predecessors[static_cast<std::size_t>(to)];
    }
    if (count != 0) ++predecessors[0];
    // What is known goes along to blocks that nothing else leads to.
    std::vector<std::pair<std::size_t, std::vector<AccessPlace>>> pending;
    for (std::size_t block = 0; block < count; ++block) {
      const bool begins = predecessors[block] != 1 || block == 0;
      if (begins) pending.push_back({block, {}});
    }
    while (!pending.empty()) {
      auto [block, known] = std::move(pending.back());
      pending.pop_back();
      known_ = std::move(known);
      walk(block);
      for (const std::int32_t to : blocks_.successors[block]) {
        const auto next = static_cast<std::size_t>(to);
        if (predecessors[next] == 1 && next != 0) pending.push_back({next, known_});
      }
    }
    return merged_;
  }

 private:
  void walk(std::size_t block) {
    const auto end = static_cast<std::size_t>(blocks_.first[block + 1]);
    for (auto i = static_cast<std::size_t>(blocks_.first[block]); i < end; ++i) {
      const Instruction& instruction = function_.body[i];
      AccessPlace place;
      if (instruction.opcode == "ld" && place_of(instruction, 1, place)) {
        load({i, place});
      } else if (instruction.opcode == "st" && place_of(instruction, 0, place)) {
        store({i, place});
      } else if (orders_memory(instruction)) {
        flush(loads_);
        flush(stores_);
        known_.clear();
      }
      if (instruction.opcode != "st" && !instruction.operands.empty()) {
        forget_base(instruction.operands.front());
      }
    }
    flush(loads_);
    flush(stores_);
  }

  void load(const Access& access) {
    // A store that the load might see has to be done first.
    if (clashes(stores_, access.place)) flush(stores_);
    const bool known = std::any_of(known_.begin(), known_.end(), [&](const AccessPlace& other) {
      const bool same_guard =
          other.guard == -1 ||
          (other.guard == access.place.guard && other.guard_negated == access.place.guard_negated);
      return same_guard && other.same_base(access.place) && other.offset == access.place.offset &&
             other.bytes == access.place.bytes;
    });
    if (known) {
      merged_[access.instruction] = {true, 0, 0};
      return;
    }
    loads_.push_back(access);
    known_.push_back(access.place);
  }

  void store(const Access& access) {
    if (clashes(loads_, access.place)) flush(loads_);
    if (clashes(stores_, access.place)) flush(stores_);
    std::erase_if(known_, [&](const AccessPlace& other) {
      return !other.same_base(access.place) || other.overlaps(access.place);
    });
    stores_.push_back(access);
    known_.push_back(access.place);
  }

  /// True when one of `accesses` might touch what `place` does.
  static bool clashes(const std::vector<Access>& accesses, const AccessPlace& place) {
    return std::any_of(accesses.begin(), accesses.end(), [&](const Access& other) {
      return !other.place.same_base(place) || other.place.overlaps(place);
    });
  }

  void forget_base(const Operand& written) {
    if (written.kind != Kind::reg || written.index < 0) return;
    const std::int32_t base = written.index;
    std::erase_if(known_, [&](const AccessPlace& place) {
      return place.base == base || place.guard == base;
    });
    for (auto* accesses : {&loads_, &stores_}) {
      const bool used = std::any_of(accesses->begin(), accesses->end(), [&](const Access& access) {
        return access.place.base == base || access.place.guard == base;
      });
      if (used) flush(*accesses);
    }
  }

  /// Joins what can be joined, widest first.
  void flush(std::vector<Access>& accesses) {
    std::ranges::sort(accesses, {}, [](const Access& access) {
      return std::tuple(access.place.root(), access.place.offset, access.instruction);
    });
    for (std::size_t i = 0; i < accesses.size();) {
      std::size_t taken = 1;
      for (const std::uint32_t bytes : {16u, 8u}) {
        const std::size_t several = bytes / accesses[i].place.bytes;
        if (several > 1 && joins(accesses, i, several, bytes)) {
          join(accesses, i, several, bytes);
          taken = several;
          break;
        }
      }
      i += taken;
    }
    accesses.clear();
  }

  bool joins(const std::vector<Access>& accesses, std::size_t first, std::size_t several,
             std::uint32_t bytes) const {
    const AccessPlace& low = accesses[first].place;
    if (first + several > accesses.size() || low.offset % bytes != 0) return false;
    if (low.base >= 0 && origins_[static_cast<std::size_t>(low.base)].alignment < bytes) {
      return false;
    }
    for (std::size_t k = 1; k < several; ++k) {
      const AccessPlace& next = accesses[first + k].place;
      if (next.root() != low.root() || next.bytes != low.bytes ||
          next.offset != low.offset + static_cast<std::int64_t>(k) * low.bytes) {
        return false;
      }
    }
    return true;
  }

  void join(const std::vector<Access>& accesses, std::size_t first, std::size_t several,
            std::uint32_t bytes) {
    std::size_t earliest = first;
    for (std::size_t k = first; k < first + several; ++k) {
      merged_[accesses[k].instruction] = {true, 0, 0};
      if (accesses[k].instruction < accesses[earliest].instruction) earliest = k;
    }
    const std::int64_t below = accesses[earliest].place.offset - accesses[first].place.offset;
    merged_[accesses[earliest].instruction] = {true, static_cast<std::uint8_t>(bytes),
                                               static_cast<std::uint8_t>(below / 4)};
  }

  const ptx::Function& function_;
  const Blocks& blocks_;
  const std::vector<RegisterOrigin>& origins_;
  std::vector<MergedAccess> merged_;
  std::vector<AccessPlace> known_;      ///< whose values are in registers
  std::vector<Access> loads_, stores_;  ///< not yet joined
};

}  // namespace

std::vector<MergedAccess> merged_accesses(const ptx::Function& function, const Blocks& blocks,
                                          const std::vector<RegisterOrigin>& origins) {
  return Merger(function, blocks, origins).run();
}

}  // namespace gridstride::sim

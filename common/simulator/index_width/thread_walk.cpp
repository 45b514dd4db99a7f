// Goes through a kernel's instructions, with what is known of one thread's registers.
#include "common/simulator/index_width/thread_walk.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simulator/index_width/integer_operations.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;

/// Enough for kernels of a course; what is longer is looked at in part.
constexpr int most_steps = 20'000, most_ways = 16;
/// Rounds of a loop before its last is looked for, and before it is left in any case.
constexpr int rounds_to_compare = 3, most_rounds = 40;

enum class Truth : std::uint8_t { no, yes, unknown };
Truth truth(bool value) { return value ? Truth::yes : Truth::no; }
Truth negated_if(bool negate, Truth value) {
  if (!negate || value == Truth::unknown) return value;
  return value == Truth::yes ? Truth::no : Truth::yes;
}

struct Predicate {
  Truth value = Truth::unknown;
  // Of a comparison of two integers.
  std::optional<Comparison> comparison;
  WholeNumber difference = 0;  ///< of the numbers compared, as if nothing had wrapped
};

/// What was known at the last rounds of a loop, when its branch back was taken.
struct Rounds {
  int taken = 0;
  bool skipped = false;
  int first_step = 0;
  std::vector<std::vector<ExactValue>> registers;
  std::vector<WholeNumber> differences;
};

struct Way {
  std::size_t at = 0;
  std::vector<ExactValue> registers;
  std::vector<int> written;  ///< step at which each register was
  std::map<std::int32_t, Predicate> predicates;
  std::map<std::size_t, Rounds> loops;
};

class Walk {
 public:
  Walk(const LaunchedKernel& kernel, const ThreadPlace& place, const OnAccess& on_access)
      : kernel_(kernel), function_(*kernel.function), place_(place), on_access_(on_access) {
    Way first;
    first.registers.resize(function_.registers.size());
    first.written.resize(function_.registers.size());
    ways_.push_back(std::move(first));
  }

  void run() {
    while (!ways_.empty()) {
      Way way = std::move(ways_.front());
      ways_.pop_front();
      while (steps_ < most_steps && way.at < function_.body.size() && step(way)) ++steps_;
    }
  }

 private:
  IntegerType type_of_register(std::size_t index) const {
    return integer_type(function_.registers[index].type).value_or(IntegerType{64, false});
  }

  std::optional<std::uint32_t> special(std::string_view name) const {
    const auto of = [&](std::string_view prefix, const Dim3& dim) -> std::optional<std::uint32_t> {
      if (!name.starts_with(prefix) || name.size() != prefix.size() + 1) return std::nullopt;
      switch (name.back()) {
        case 'x':
          return dim.x;
        case 'y':
          return dim.y;
        case 'z':
          return dim.z;
        default:
          return std::nullopt;
      }
    };
    if (const auto found = of("%tid.", place_.thread)) return found;
    if (const auto found = of("%ntid.", kernel_.block)) return found;
    if (const auto found = of("%ctaid.", place_.block)) return found;
    if (const auto found = of("%nctaid.", kernel_.grid)) return found;
    if (name != "%laneid") return std::nullopt;
    const Dim3 &at = place_.thread, &block = kernel_.block;
    return (at.x + block.x * (at.y + block.y * at.z)) % 32;
  }

  ExactValue value_of(const Way& way, const Operand& operand, IntegerType type) const {
    switch (operand.kind) {
      case Operand::Kind::reg:
        return operand.negate ? ExactValue() : way.registers.at(operand.index);
      case Operand::Kind::immediate:
        if (operand.is_float) return {};
        return ExactValue::number(static_cast<std::int64_t>(operand.bits),
                                  {std::max(type.bits, 32u), true});
      case Operand::Kind::special: {
        const auto value = special(operand.name);
        return value ? ExactValue::number(*value, {32, false}) : ExactValue();
      }
      default:
        return {};
    }
  }

  void set(Way& way, std::int32_t index, ExactValue value) const {
    if (index < 0) return;
    way.registers.at(index) = value;
    way.written.at(index) = steps_;
    way.predicates.erase(index);
  }
  void set_all(Way& way, const Operand& to, ExactValue value) const {
    if (to.kind == Operand::Kind::reg) {
      set(way, to.index, value);
      if (to.second_index >= 0) set(way, to.second_index, {});
    }
    for (const Operand& element : to.elements) set_all(way, element, value);
  }

  static Truth value_of(const Way& way, std::int32_t predicate) {
    const auto found = way.predicates.find(predicate);
    return found == way.predicates.end() ? Truth::unknown : found->second.value;
  }
  static Truth guard(const Way& way, const Instruction& instruction) {
    if (instruction.guard < 0) return Truth::yes;
    return negated_if(instruction.guard_negated, value_of(way, instruction.guard));
  }

  /// False where the way ends.
  bool step(Way& way) {
    const Instruction& now = function_.body[way.at];
    const Truth executed = guard(way, now);
    if (now.opcode == "bra") return branch(way, now, executed);
    const bool ends =
        now.opcode == "ret" || now.opcode == "exit" || now.opcode == "trap" || now.opcode == "brx";
    if (ends && (executed == Truth::yes || now.opcode == "brx")) return false;
    ++way.at;  // where not all end, perhaps this thread goes on
    if (executed == Truth::no || ends) return true;
    execute(way, now, executed == Truth::yes);
    return true;
  }

  void execute(Way& way, const Instruction& now, bool for_sure) {
    if (is_access(now)) access(way, now, for_sure);
    if (now.operands.empty() || now.opcode == "st" || now.opcode == "red") return;
    const Operand& to = now.operands.front();
    if (now.opcode == "ld" && now.has("param")) {
      load_parameter(way, now, for_sure);
    } else if (now.opcode == "setp") {
      compare(way, now, for_sure);
    } else if (to.kind == Operand::Kind::reg &&
               function_.registers.at(to.index).type == ptx::Type::pred) {
      combine(way, now, for_sure);
    } else if (now.opcode == "selp" && now.operands.size() == 4) {
      select(way, now, for_sure);
    } else {
      ExactValue result;
      const auto types = types_of(now);
      if (types && for_sure && to.kind == Operand::Kind::reg) {
        std::vector<ExactValue> values;
        for (std::size_t i = 1; i < now.operands.size(); ++i)
          values.push_back(value_of(way, now.operands[i], types->operand));
        result = result_of(now, values);
      }
      set_all(way, to, result);
    }
  }

  static bool is_access(const Instruction& now) {
    static const std::string_view opcodes[] = {"ld", "st", "atom", "red", "ldu"};
    for (const std::string_view opcode : opcodes) {
      if (now.opcode != opcode) continue;
      for (const char* elsewhere : {"param", "shared", "const", "local"}) {
        if (now.has(elsewhere)) return false;
        for (const std::string& modifier : now.modifiers)
          if (modifier.starts_with(std::string(elsewhere) + "::")) return false;
      }
      return true;
    }
    return false;
  }

  void access(const Way& way, const Instruction& now, bool for_sure) const {
    if (!for_sure) return;
    for (const Operand& operand : now.operands) {
      if (operand.kind != Operand::Kind::address || operand.index < 0) continue;
      const ExactValue base = way.registers.at(operand.index);
      if (base.is_known()) on_access_(now, base);
    }
  }

  void load_parameter(Way& way, const Instruction& now, bool for_sure) const {
    const Operand &to = now.operands.front(), &from = now.operands.back();
    set_all(way, to, {});
    const auto types = types_of(now);
    if (!types || !for_sure || from.kind != Operand::Kind::address || from.index >= 0) return;
    for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
      if (function_.parameters[i].name != from.name) continue;
      const std::uint32_t bytes = types->operand.bits / 8;
      const auto load = [&](const Operand& into, std::uint64_t number) {
        const std::uint64_t at =
            kernel_.offsets.at(i) + static_cast<std::uint64_t>(from.offset) + number * bytes;
        if (at > kernel_.arguments.size() || kernel_.arguments.size() - at < bytes) return;
        std::uint64_t bits = 0;
        std::memcpy(&bits, kernel_.arguments.data() + at, bytes);
        if (into.kind == Operand::Kind::reg) set(way, into.index, ExactValue::plain(bits));
      };
      if (to.kind == Operand::Kind::reg) load(to, 0);
      for (std::size_t k = 0; k < to.elements.size(); ++k) load(to.elements[k], k);
      return;
    }
  }

  void compare(Way& way, const Instruction& now, bool for_sure) const {
    set_all(way, now.operands.front(), {});
    const auto comparison = comparison_of(now);
    if (!comparison || !for_sure || now.operands.front().second_index >= 0) return;
    const ExactValue a = value_of(way, now.operands[1], comparison->type);
    const ExactValue b = value_of(way, now.operands[2], comparison->type);
    if (!a.is_known() || !b.is_known()) return;
    const IntegerType type = comparison->type;
    Predicate& predicate = way.predicates[now.operands.front().index];
    predicate.comparison = comparison;
    predicate.value = truth(holds(comparison->relation, a.read(type) - b.read(type)));
    predicate.difference = a.exact(type) - b.exact(type);
  }

  /// Operations on predicates.
  void combine(Way& way, const Instruction& now, bool for_sure) const {
    const std::int32_t to = now.operands.front().index;
    Truth result = Truth::unknown;
    if (for_sure && now.has("pred") && now.operands.size() >= 2) {
      const auto value = [&](const Operand& operand) {
        if (operand.kind == Operand::Kind::immediate) return truth(operand.bits != 0);
        return negated_if(operand.negate, value_of(way, operand.index));
      };
      const Truth a = value(now.operands[1]);
      const Truth b = now.operands.size() > 2 ? value(now.operands[2]) : Truth::unknown;
      const bool both = a != Truth::unknown && b != Truth::unknown;
      if (now.opcode == "mov") result = a;
      if (now.opcode == "not") result = negated_if(true, a);
      if (now.opcode == "and" && both) result = truth(a == Truth::yes && b == Truth::yes);
      if (now.opcode == "and" && (a == Truth::no || b == Truth::no)) result = Truth::no;
      if (now.opcode == "or" && both) result = truth(a == Truth::yes || b == Truth::yes);
      if (now.opcode == "or" && (a == Truth::yes || b == Truth::yes)) result = Truth::yes;
      if (now.opcode == "xor" && both) result = truth(a != b);
    }
    way.predicates.erase(to);
    if (result != Truth::unknown) way.predicates[to].value = result;
  }

  void select(Way& way, const Instruction& now, bool for_sure) const {
    const auto types = types_of(now);
    const Truth first = negated_if(now.operands[3].negate, value_of(way, now.operands[3].index));
    ExactValue result;
    if (types && for_sure && first != Truth::unknown)
      result = value_of(way, now.operands[first == Truth::yes ? 1 : 2], types->operand);
    set_all(way, now.operands.front(), result);
  }

  bool branch(Way& way, const Instruction& now, Truth taken) {
    const std::size_t here = way.at, target = static_cast<std::size_t>(now.operands.front().index);
    const bool back = target <= here;
    if (taken == Truth::unknown) {
      // A loop that ends when memory says so is left; elsewhere both ways are.
      if (!back && static_cast<int>(ways_.size()) < most_ways && forks_++ < most_ways) {
        Way other = way;
        other.at = target;
        ways_.push_back(std::move(other));
      }
      way.at = here + 1;
      return true;
    }
    if (taken == Truth::no) {
      way.loops.erase(here);
      way.at = here + 1;
      return true;
    }
    way.at = target;
    return !back || round(way, here, now);
  }

  /// The branch back at `here` is taken. Skips to the loop's last round, or leaves the loop, where
  /// it has been gone through often enough. False where the way ends.
  bool round(Way& way, std::size_t here, const Instruction& now) {
    Rounds& rounds = way.loops[here];
    if (rounds.taken++ == 0) rounds.first_step = steps_;
    if (now.guard < 0) return rounds.taken <= most_rounds;
    const Predicate& predicate = way.predicates[now.guard];
    if (!rounds.skipped && predicate.comparison) {
      rounds.registers.push_back(way.registers);
      rounds.differences.push_back(predicate.difference);
      if (rounds.taken == rounds_to_compare) {
        rounds.skipped = true;
        skip(way, rounds, *predicate.comparison, now.guard_negated);
        rounds.registers.clear();
      }
    }
    if (rounds.taken <= most_rounds) return true;
    for (std::size_t i = 0; i < way.registers.size(); ++i) {
      if (way.written[i] < rounds.first_step) continue;
      way.registers[i] = {};
      way.predicates.erase(static_cast<std::int32_t>(i));
    }
    way.loops.erase(here);
    way.at = here + 1;
    return true;
  }

  /// To the state before the last round, when the difference compared grows steadily.
  void skip(Way& way, const Rounds& rounds, const Comparison& comparison, bool negated) const {
    const auto& d = rounds.differences;
    const WholeNumber growth = d[2] - d[1];
    if (growth != d[1] - d[0]) return;
    const auto relation = negated ? opposite(comparison.relation) : comparison.relation;
    const auto left = rounds_left(relation, d[2], growth);
    if (!left || *left <= 0) return;
    for (std::size_t i = 0; i < way.registers.size(); ++i) {
      const ExactValue &a = rounds.registers[0][i], &b = rounds.registers[1][i];
      ExactValue& c = way.registers[i];
      if (!c.is_known()) continue;
      const IntegerType type = type_of_register(i);
      const bool same =
          a.is_known() && b.is_known() && a.bits() == b.bits() && b.bits() == c.bits();
      if (same) continue;
      const bool numbers = !c.is_plain() && a.is_known() && b.is_known();
      const WholeNumber step = numbers ? c.exact(type) - b.exact(type) : 0;
      if (!numbers || step != b.exact(type) - a.exact(type)) {
        c = {};
        continue;
      }
      c = ExactValue::number(c.exact(type) + step * *left, type);
    }
  }

  const LaunchedKernel& kernel_;
  const ptx::Function& function_;
  const ThreadPlace place_;
  const OnAccess& on_access_;
  std::deque<Way> ways_;
  int steps_ = 0, forks_ = 0;
};

}  // namespace

void walk(const LaunchedKernel& kernel, const ThreadPlace& place, const OnAccess& on_access) {
  Walk(kernel, place, on_access).run();
}

}  // namespace gridstride::sim

// See scope.h.
#include "common/simulator/ptx/scope.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace gridstride::sim::ptx {

namespace {

/// Deeper nesting is no program; it would only cost memory.
constexpr std::size_t deepest = 512;

/// Splits "%r12" into "%r" and 12. False without digits, with a leading zero or past 32 bits.
bool split_number(std::string_view name, std::string_view& prefix, std::uint32_t& number) {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  if (digits == name.size() || digits == 0) return false;
  if (name[digits] == '0' && digits + 1 < name.size()) return false;
  prefix = name.substr(0, digits);
  const auto [stop, error] =
      std::from_chars(name.data() + digits, name.data() + name.size(), number);
  return error == std::errc();
}

}  // namespace

Scope::Scope(Function& function) : function_(function) {
  for (const Variable& variable : function.parameters) taken_.insert(variable.name);
  for (const Variable& variable : function.results) taken_.insert(variable.name);
}

void Scope::open(const Lexer& lexer) {
  if (blocks_.size() >= deepest) lexer.fail("blocks nested deeper than " + std::to_string(deepest));
  blocks_.emplace_back();
}

void Scope::close(const Lexer& lexer) {
  if (blocks_.empty()) lexer.fail("'}' without '{'");
  Block block = std::move(blocks_.back());
  blocks_.pop_back();
  resolve(block);
  const auto restore = [](Names& names, auto& shadowed) {
    for (auto entry = shadowed.rbegin(); entry != shadowed.rend(); ++entry) {
      if (entry->second)
        names[entry->first] = *entry->second;
      else
        names.erase(entry->first);
    }
  };
  restore(names_, block.shadowed);
  restore(families_by_prefix_, block.shadowed_families);
  for (std::int32_t index : block.parameter_variables) {
    const Variable& variable = function_.variables[static_cast<std::size_t>(index)];
    // Keyed by the name as it was written: the part before the suffix that made it unique.
    const auto key =
        next_suffix_.find(std::string_view(variable.name).substr(0, variable.name.find('#')));
    if (key != next_suffix_.end()) free_parameters_[key->first].push_back(index);
  }
}

void Scope::resolve(Block& block) {
  std::vector<Pending> unresolved;
  for (Pending& pending : block.pending) {
    const auto label = block.labels.find(pending.label);
    if (label == block.labels.end()) {
      if (blocks_.empty())
        throw ParseError(pending.line,
                         "branch to an unknown label '" + std::string(pending.label) + '\'');
      unresolved.push_back(pending);
    } else if (pending.in_list) {
      function_.targets[pending.owner].instructions[pending.entry] = label->second;
    } else {
      function_.body[pending.owner].operands[pending.entry].index = label->second;
    }
  }
  if (unresolved.empty()) return;
  std::vector<Pending>& outer = blocks_.back().pending;
  if (outer.size() < unresolved.size()) std::swap(outer, unresolved);
  outer.insert(outer.end(), unresolved.begin(), unresolved.end());
}

void Scope::declare(Names& names,
                    std::vector<std::pair<std::string_view, std::optional<Name>>>& shadowed,
                    std::string_view key, Name name, const Lexer& lexer) {
  name.depth = static_cast<std::uint32_t>(blocks_.size());
  const auto [entry, is_new] = names.try_emplace(key, name);
  if (is_new) {
    shadowed.emplace_back(key, std::nullopt);
    return;
  }
  if (entry->second.depth == name.depth)
    lexer.fail("'" + std::string(key) + "' is declared twice in one block");
  shadowed.emplace_back(key, entry->second);
  entry->second = name;
}

std::int32_t Scope::add_register(std::string_view name, Type type) {
  function_.registers.push_back({std::string(name), type});
  return static_cast<std::int32_t>(function_.registers.size() - 1);
}

void Scope::declare_register(std::string_view name, Type type, const Lexer& lexer) {
  declare(names_, blocks_.back().shadowed, name, {Name::Kind::reg, add_register(name, type)},
          lexer);
}

void Scope::declare_family(std::string_view prefix, Type type, std::uint64_t count) {
  families_.push_back({type, count, {}});
  Name name{Name::Kind::family, static_cast<std::int32_t>(families_.size() - 1),
            static_cast<std::uint32_t>(blocks_.size())};
  const auto [entry, is_new] = families_by_prefix_.try_emplace(prefix, name);
  blocks_.back().shadowed_families.emplace_back(
      prefix, is_new ? std::optional<Name>() : std::optional<Name>(entry->second));
  entry->second = name;
}

std::int32_t Scope::find_register(std::string_view name) {
  const auto plain = names_.find(name);
  const bool is_register = plain != names_.end() && plain->second.kind == Name::Kind::reg;
  std::string_view prefix;
  std::uint32_t number = 0;
  if (split_number(name, prefix, number)) {
    const auto found = families_by_prefix_.find(prefix);
    if (found != families_by_prefix_.end() &&
        (!is_register || plain->second.depth < found->second.depth)) {
      Family& family = families_[static_cast<std::size_t>(found->second.index)];
      if (number < family.count) {
        const auto [entry, is_new] = family.used.try_emplace(number, -1);
        if (is_new) entry->second = add_register(name, family.type);
        return entry->second;
      }
    }
  }
  return is_register ? plain->second.index : -1;
}

void Scope::declare_variable(Variable variable, std::string_view name, const Lexer& lexer) {
  std::int32_t index = -1;
  const bool is_parameter = variable.space == Space::param;
  if (is_parameter) {
    std::vector<std::int32_t>& unused = free_parameters_[name];
    // Calls in a row have the same few shapes: looking at the last few keeps this linear.
    constexpr std::size_t looked_at = 8;
    const std::size_t first = unused.size() > looked_at ? unused.size() - looked_at : 0;
    for (std::size_t i = unused.size(); i-- > first;) {
      const Variable& other = function_.variables[static_cast<std::size_t>(unused[i])];
      if (other.size != variable.size || other.align != variable.align) continue;
      index = unused[i];
      unused.erase(unused.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  }
  if (index < 0) {
    std::uint64_t& suffix = next_suffix_[name];
    variable.name = name;
    // '#' cannot occur in a PTX name, so made-up names never meet written ones.
    if (!taken_.insert(variable.name).second) variable.name += '#' + std::to_string(++suffix);
    function_.variables.push_back(std::move(variable));
    index = static_cast<std::int32_t>(function_.variables.size() - 1);
  }
  if (is_parameter) blocks_.back().parameter_variables.push_back(index);
  declare(names_, blocks_.back().shadowed, name, {Name::Kind::variable, index}, lexer);
}

std::string Scope::variable_name(std::string_view name) const {
  const auto found = names_.find(name);
  if (found == names_.end() || found->second.kind != Name::Kind::variable) return std::string(name);
  return function_.variables[static_cast<std::size_t>(found->second.index)].name;
}

void Scope::declare_label(std::string_view name, const Lexer& lexer) {
  const auto index = static_cast<std::int32_t>(function_.body.size());
  if (!blocks_.back().labels.emplace(name, index).second)
    lexer.fail("the label '" + std::string(name) + "' stands twice in one block");
}

void Scope::branch(std::string_view label, std::size_t instruction, std::size_t operand,
                   std::uint32_t line) {
  blocks_.back().pending.push_back({label, false, instruction, operand, line});
}

void Scope::branch_target(std::string_view label, std::size_t list, std::size_t entry,
                          std::uint32_t line) {
  blocks_.back().pending.push_back({label, true, list, entry, line});
}

}  // namespace gridstride::sim::ptx

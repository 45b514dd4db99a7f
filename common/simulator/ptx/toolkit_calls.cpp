// See toolkit_calls.h.
#include "common/simulator/ptx/toolkit_calls.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simulator/ptx/variable_registers.h"

namespace gridstride::sim::ptx {
namespace {

constexpr std::size_t most_instructions = 16384;  // of a function with what was expanded in it
constexpr std::size_t most_registers = 8192;

bool is_call(const Instruction& instruction) {
  return instruction.opcode == "call" && instruction.operands.size() == 3 &&
         instruction.operands[1].kind == Operand::Kind::symbol;
}

/// Instructions of the body without what returns at its end.
std::size_t length_of(const Function& function) {
  std::size_t length = function.body.size();
  while (length > 0 && function.body[length - 1].opcode == "ret" &&
         function.body[length - 1].guard < 0)
    --length;
  return length;
}

/// Whether nothing in the function but its name and lines would be lost in another one's body.
bool can_be_expanded(const Function& function) {
  if (function.body.empty() || !function.targets.empty() || !function.prototypes.empty())
    return false;
  const auto is_fixed = [](const Variable& variable) {
    return variable.space == Space::local || variable.space == Space::param;
  };
  const auto changes_stack = [](const Instruction& instruction) {
    return instruction.opcode == "alloca" || instruction.opcode == "stacksave" ||
           instruction.opcode == "stackrestore";
  };
  return std::ranges::all_of(function.variables, is_fixed) &&
         std::ranges::none_of(function.body, changes_stack);
}

using Names = std::unordered_map<std::string, std::string>;

/// One function into whose body others are expanded.
class Caller {
 public:
  explicit Caller(Function& function) : function_(function), old_(std::move(function.body)) {
    function_.body.clear();
    places_.reserve(old_.size() + 1);
  }

  std::vector<Instruction>& old_body() { return old_; }

  bool has_room_for(const Function& callee) const {
    return function_.body.size() + old_.size() + callee.body.size() <= most_instructions &&
           function_.registers.size() + callee.registers.size() <= most_registers;
  }

  void keep(Instruction instruction) {
    start_instruction();
    for (Operand& operand : instruction.operands) note_passing(instruction, operand);
    function_.body.push_back(std::move(instruction));
    kept_.push_back(function_.body.size() - 1);
  }

  /// Puts the body of `callee` where `call` is. Returns false when what is passed does not fit.
  bool expand(const Instruction& call, const Function& callee) {
    const std::vector<Operand>&arguments = call.operands[2].elements,
          &results = call.operands[0].elements;
    if (!fits(arguments, callee.parameters) || !fits(results, callee.results)) return false;
    start_instruction();
    ++expanded_;
    Names names;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      names[callee.parameters[i].name] = pass_argument(arguments[i].name);
    for (std::size_t i = 0; i < results.size(); ++i)
      names[callee.results[i].name] = pass_result(results[i].name);
    take_variables(callee, names);
    const auto first_register = static_cast<std::int32_t>(function_.registers.size());
    for (const Register& each : callee.registers)
      function_.registers.push_back({each.name + '#' + std::to_string(expanded_), each.type});
    const std::uint32_t first_call = take_calls(call.location, callee);
    const auto first = static_cast<std::int32_t>(function_.body.size());
    const auto length = static_cast<std::int32_t>(length_of(callee));
    for (std::int32_t i = 0; i < length; ++i) {
      Instruction copy = callee.body[static_cast<std::size_t>(i)];
      if (copy.opcode == "ret") {
        copy.opcode = "bra";
        copy.modifiers.clear();
        Operand behind;
        behind.kind = Operand::Kind::label;
        behind.index = length;
        copy.operands.assign(1, behind);
      }
      if (copy.guard >= 0) copy.guard += first_register;
      for (Operand& operand : copy.operands) adapt(operand, names, first_register, first, length);
      copy.location = called_from(call.location, copy.location, first_call);
      function_.body.push_back(std::move(copy));
    }
    return true;
  }

  /// Numbers of instructions in labels, lists of targets and debug information follow.
  void finish() {
    places_.push_back(static_cast<std::int32_t>(function_.body.size()));
    const auto follow = [&](auto& number) {
      if (static_cast<std::size_t>(number) < places_.size())
        number = static_cast<std::remove_reference_t<decltype(number)>>(
            places_[static_cast<std::size_t>(number)]);
    };
    for (const std::size_t at : kept_) {
      for (Operand& operand : function_.body[at].operands)
        if (operand.kind == Operand::Kind::label) follow(operand.index);
    }
    for (Function::Targets& targets : function_.targets)
      for (std::int32_t& target : targets.instructions) follow(target);
    for (DebugVariable& variable : function_.source_variables) {
      follow(variable.begin);
      follow(variable.end);
      for (DebugLocation& location : variable.locations) {
        follow(location.begin);
        follow(location.end);
      }
    }
  }

 private:
  void start_instruction() { places_.push_back(static_cast<std::int32_t>(function_.body.size())); }

  auto variable_named(const std::string& name) const {
    return std::ranges::find(function_.variables, name, &Variable::name);
  }

  bool fits(const std::vector<Operand>& given, const std::vector<Variable>& passed) const {
    if (given.size() != passed.size()) return false;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto variable = variable_named(given[i].name);
      if (variable == function_.variables.end() || variable->size < passed[i].size) return false;
    }
    return true;
  }

  // Many calls pass their arguments in the same few variables, and get results in them (scope.h): in the
  // order of the text, what is stored in one belongs to the next call that names it, and what is
  // loaded to the last. Each expanded call gets variables of its own.

  void note_passing(const Instruction& instruction, Operand& operand) {
    const bool is_address = operand.kind == Operand::Kind::address && operand.index < 0;
    if (is_address && instruction.opcode == "st" && instruction.has("param")) {
      stores_[operand.name].push_back(function_.body.size());
    } else if (is_address && instruction.opcode == "ld" && instruction.has("param")) {
      const auto result = results_.find(operand.name);
      if (result != results_.end()) operand.name = result->second;
    } else {
      stores_.erase(operand.name);
      results_.erase(operand.name);
      for (Operand& element : operand.elements) note_passing(instruction, element);
    }
  }

  /// What names of the expanded call end with: unlike those that the parser makes, "name#1".
  std::string of_this_call() const { return "#call" + std::to_string(expanded_); }

  std::string own_variable(const std::string& name) {
    Variable own = *variable_named(name);
    own.name += "#passed" + std::to_string(expanded_);
    function_.variables.push_back(std::move(own));
    return function_.variables.back().name;
  }

  std::string pass_argument(const std::string& name) {
    std::string own = own_variable(name);
    for (const std::size_t at : stores_[name]) function_.body[at].operands.front().name = own;
    stores_.erase(name);
    return own;
  }

  std::string pass_result(const std::string& name) { return results_[name] = own_variable(name); }

  /// Local variables of a function are there once, however often it is expanded: it is never active
  /// twice. Those in .param space are made anew, so that each becomes a register of its own.
  void take_variables(const Function& callee, Names& names) {
    for (const Variable& variable : callee.variables) {
      const bool once = variable.space == Space::local;
      std::string name = variable.name + (once ? '#' + callee.name : of_this_call());
      names[variable.name] = name;
      if (once && variable_named(name) != function_.variables.end()) continue;
      function_.variables.push_back(variable);
      function_.variables.back().name = std::move(name);
    }
  }

  /// Adds the place of the call and the callee's own; returns what Location::call is of the former.
  std::uint32_t take_calls(const Location& at, const Function& callee) {
    std::vector<InlinedCall>& calls = function_.calls;
    const bool has_inner = at.inner_line != 0;
    calls.push_back(
        {has_inner ? at.inner_file : at.file, has_inner ? at.inner_line : at.line, at.call, true});
    const auto first = static_cast<std::uint32_t>(calls.size());
    for (const InlinedCall& call : callee.calls)
      calls.push_back({call.file, call.line, first + call.call, call.of_toolkit});
    return first;
  }

  /// `place` of the callee, seen from the caller who calls it at `at`.
  Location called_from(const Location& at, const Location& place, std::uint32_t first_call) const {
    if (place.file == 0 || at.file == 0) return at;
    Location result = at;
    const bool has_inner = place.inner_line != 0;
    result.inner_file = has_inner ? place.inner_file : place.file;
    result.inner_line = has_inner ? place.inner_line : place.line;
    result.call = first_call + place.call;
    result.own_line = innermost_line_in(
        at.file, {result.inner_file, result.inner_line, result.call}, function_.calls);
    return result;
  }

  static void adapt(Operand& operand, const Names& names, std::int32_t first_register,
                    std::int32_t first, std::int32_t length) {
    switch (operand.kind) {
      case Operand::Kind::label:
        operand.index = first + std::min(operand.index, length);
        break;
      case Operand::Kind::reg:
      case Operand::Kind::address:
        if (operand.index >= 0) operand.index += first_register;
        if (operand.second_index >= 0) operand.second_index += first_register;
        [[fallthrough]];
      default:
        if (const auto found = names.find(operand.name); found != names.end())
          operand.name = found->second;
    }
    for (Operand& element : operand.elements) adapt(element, names, first_register, first, length);
  }

  Function& function_;
  std::vector<Instruction> old_;
  std::vector<std::int32_t> places_;  ///< where each old instruction is now
  std::vector<std::size_t> kept_;     ///< instructions that were there before
  std::unordered_map<std::string, std::vector<std::size_t>>
      stores_;     ///< by variable: for its next call
  Names results_;  ///< by variable: what its last call has in its place
  std::size_t expanded_ = 0;
};

class Expansion {
 public:
  explicit Expansion(Module& module) : module_(module), states_(module.functions.size()) {
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      const Function& function = module.functions[i];
      if (is_of_toolkit(function) && can_be_expanded(function))
        expandable_.emplace(function.name, i);
    }
  }

  void run() {
    if (expandable_.empty()) return;
    // Those that can be expanded themselves follow where they are called.
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (!expandable_.contains(module_.functions[i].name)) complete(i);
  }

 private:
  enum class State : std::uint8_t { untouched, in_work, complete };

  bool is_of_toolkit(const Function& function) const {
    if (function.is_kernel || function.is_extern) return false;
    if (function.location.file == 0) {
      // The device library, and what the compiler makes itself: a constructor that nobody wrote.
      const std::string_view name = function.name;
      return module_.files.size() > 1 ||
             (name.starts_with("__") && !name.starts_with("__nv_static_"));
    }
    return function.location.file < module_.files.size() &&
           is_toolkit_header(module_.files[function.location.file]);
  }

  /// The function to expand at `instruction`; null when it stays.
  const Function* callee_of(const Instruction& instruction) {
    if (!is_call(instruction) || instruction.guard >= 0) return nullptr;
    const auto found = expandable_.find(instruction.operands[1].name);
    if (found == expandable_.end()) return nullptr;
    complete(found->second);
    return states_[found->second] == State::complete ? &module_.functions[found->second] : nullptr;
  }

  /// Expands what function `number` calls, and what that calls first.
  void complete(std::size_t number) {
    if (states_[number] != State::untouched) return;
    states_[number] = State::in_work;
    Function& function = module_.functions[number];
    const auto is_expanded = [&](const Instruction& instruction) {
      return callee_of(instruction) != nullptr;
    };
    if (std::ranges::any_of(function.body, is_expanded)) {
      Caller caller(function);
      for (Instruction& instruction : caller.old_body()) {
        const Function* callee = callee_of(instruction);
        if (!callee || !caller.has_room_for(*callee) || !caller.expand(instruction, *callee))
          caller.keep(std::move(instruction));
      }
      caller.finish();
      variables_to_registers(function);
    }
    states_[number] = State::complete;
  }

  Module& module_;
  std::vector<State> states_;
  std::unordered_map<std::string, std::size_t> expandable_;  ///< by name: index of the function
};

}  // namespace

bool is_toolkit_header(std::string_view path) {
  constexpr std::string_view folder = "/include/";
  constexpr std::array<std::string_view, 14> beginnings{
      "cooperative_groups", "crt/",  "cuda/", "cuda_", "cccl/",    "cub/",     "device_",
      "math_functions",     "mma.h", "nv/",   "sm_",   "surface_", "texture_", "thrust/"};
  const std::size_t at = path.find(folder);
  if (!path.starts_with('/') || at == std::string_view::npos) return false;
  const std::string_view rest = path.substr(at + folder.size());
  return std::ranges::any_of(beginnings, [&](auto begin) { return rest.starts_with(begin); });
}

void expand_toolkit_calls(Module& module) { Expansion(module).run(); }

}  // namespace gridstride::sim::ptx

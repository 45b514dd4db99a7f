// See linker.h.
#include "common/simulator/ptx/linker.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace gridstride::sim::ptx {

namespace {

using Names = std::unordered_map<std::string, std::string>;

/// Functions of the device runtime, which the simulator answers itself.
bool is_runtime(const std::string& name) {
  static const std::unordered_set<std::string_view> names{"vprintf", "malloc", "free",
                                                          "__assertfail", "__assert_fail"};
  // Those that it does not know are refused where they are called.
  constexpr std::string_view beginnings[] = {"__cudaCDP2", "cudaCG", "cudaGraph"};
  return names.contains(name) ||
         std::ranges::any_of(beginnings, [&](auto begin) { return name.starts_with(begin); });
}

/// Names that belong to one function: what it calls by them is not a symbol of the module.
std::unordered_set<std::string_view> local_names(const Function& function) {
  std::unordered_set<std::string_view> names;
  for (const auto* variables : {&function.parameters, &function.results, &function.variables})
    for (const Variable& variable : *variables) names.insert(variable.name);
  for (const Function::Targets& targets : function.targets) names.insert(targets.label);
  for (const Function::Prototype& prototype : function.prototypes) names.insert(prototype.label);
  return names;
}

/// Calls `visit` with the name of every symbol of the module that `operand` mentions.
template <class OperandType, class Visit>
void visit_operand(OperandType& operand, const std::unordered_set<std::string_view>& locals,
                   const Visit& visit) {
  if ((operand.kind == Operand::Kind::symbol || operand.kind == Operand::Kind::address) &&
      !operand.name.empty() && !locals.contains(operand.name))
    visit(operand.name);
  for (auto& element : operand.elements) visit_operand(element, locals, visit);
}

template <class FunctionType, class Visit>
void visit_symbols(FunctionType& function, const Visit& visit) {
  const std::unordered_set<std::string_view> locals = local_names(function);
  for (auto& instruction : function.body)
    for (auto& operand : instruction.operands) visit_operand(operand, locals, visit);
  for (auto& targets : function.targets)
    for (auto& name : targets.names) visit(name);
}

/// Source files of several modules, each path once.
class Files {
 public:
  explicit Files(Module& linked) : linked_(linked) { linked.files.assign(1, ""); }

  void take(Module& module) {
    std::vector<std::uint32_t> numbers(module.files.size(), 0);
    for (std::size_t i = 1; i < module.files.size(); ++i) {
      const auto [entry, is_new] =
          known_.try_emplace(module.files[i], static_cast<std::uint32_t>(linked_.files.size()));
      if (is_new) linked_.files.push_back(module.files[i]);
      numbers[i] = entry->second;
    }
    const auto number = [&](std::uint32_t& file) {
      file = file < numbers.size() ? numbers[file] : 0;
    };
    const auto renumber = [&](Location& location) {
      number(location.file);
      number(location.inner_file);
    };
    for (Function& function : module.functions) {
      renumber(function.location);
      for (Instruction& instruction : function.body) renumber(instruction.location);
      for (InlinedCall& call : function.calls) number(call.file);
    }
  }

 private:
  Module& linked_;
  std::unordered_map<std::string, std::uint32_t> known_;
};

class Linker {
 public:
  explicit Linker(std::vector<Module> modules) : modules_(std::move(modules)), files_(linked_) {}

  Module link() {
    for (Module& module : modules_) collect_shared_names(module);
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      separate(modules_[i], i);
      files_.take(modules_[i]);
      linked_.version = std::max(linked_.version, modules_[i].version);
      if (linked_.target.empty()) linked_.target = modules_[i].target;
      for (Variable& variable : modules_[i].variables) add(std::move(variable));
      for (Function& function : modules_[i].functions) add(std::move(function));
    }
    check_defined();
    return std::move(linked_);
  }

 private:
  static bool is_shared_name(const Variable& variable) {
    return variable.is_visible || variable.is_weak || variable.is_extern;
  }
  static bool is_shared_name(const Function& function) {
    return function.is_visible || function.is_weak || function.is_extern;
  }

  void collect_shared_names(const Module& module) {
    for (const Variable& variable : module.variables)
      if (is_shared_name(variable)) taken_.insert(variable.name);
    for (const Function& function : module.functions)
      if (is_shared_name(function)) taken_.insert(function.name);
  }

  /// Gives what only this module sees a name that no other module uses.
  void separate(Module& module, std::size_t number) {
    Names renamed;
    const auto rename = [&](std::string& name) {
      // '@' cannot occur in a PTX name.
      std::string unique = name;
      if (!taken_.insert(unique).second) {
        unique += '@' + std::to_string(number);
        taken_.insert(unique);
        renamed.emplace(name, unique);
      }
      name = unique;
    };
    for (Variable& variable : module.variables)
      if (!is_shared_name(variable)) rename(variable.name);
    for (Function& function : module.functions)
      if (!is_shared_name(function)) rename(function.name);
    if (renamed.empty()) return;
    const auto follow = [&](std::string& name) {
      if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
    };
    for (Variable& variable : module.variables)
      for (Variable::Relocation& relocation : variable.relocations) follow(relocation.symbol);
    for (Function& function : module.functions) {
      visit_symbols(function, follow);
      for (DebugVariable& variable : function.source_variables)
        for (DebugLocation& location : variable.locations) follow(location.name);
    }
  }

  void add(Variable variable) {
    const auto [entry, is_new] = variables_.try_emplace(variable.name, linked_.variables.size());
    if (is_new) {
      linked_.variables.push_back(std::move(variable));
      return;
    }
    Variable& known = linked_.variables[entry->second];
    const std::uint32_t align = std::max(known.align, variable.align);
    if (takes_over(known, variable, "variable")) known = std::move(variable);
    known.align = align;
  }

  void add(Function function) {
    const auto [entry, is_new] = functions_.try_emplace(function.name, linked_.functions.size());
    if (is_new) {
      linked_.functions.push_back(std::move(function));
      return;
    }
    Function& known = linked_.functions[entry->second];
    if (takes_over(known, function, "function")) known = std::move(function);
  }

  /// Whether `other` replaces `known`: a definition a declaration, a strong one a weak one.
  template <class Symbol>
  static bool takes_over(const Symbol& known, const Symbol& other, const char* what) {
    if (other.is_extern) return false;
    if (known.is_extern) return true;
    if (!known.is_weak && !other.is_weak)
      throw LinkError("the " + std::string(what) + " '" + known.name +
                      "' is defined in two files: give it one definition, or make it static");
    return known.is_weak && !other.is_weak;
  }

  void check_defined() const {
    const auto check = [&](const std::string& name) {
      const auto function = functions_.find(name);
      if (function != functions_.end()) {
        if (linked_.functions[function->second].is_extern && !is_runtime(name))
          throw LinkError("the device function '" + name +
                          "' is called but defined nowhere: compile the file that defines it with "
                          "-rdc=true and link it in");
        return;
      }
      const auto variable = variables_.find(name);
      if (variable == variables_.end())
        throw LinkError("the device symbol '" + name + "' is used but declared nowhere");
      const Variable& known = linked_.variables[variable->second];
      if (known.is_extern && known.space != Space::shared)
        throw LinkError("the device variable '" + name +
                        "' is declared extern but defined nowhere: compile the file that defines "
                        "it with -rdc=true and link it in");
    };
    for (const Variable& variable : linked_.variables)
      for (const Variable::Relocation& relocation : variable.relocations) check(relocation.symbol);
    for (const Function& function : linked_.functions) visit_symbols(function, check);
  }

  std::vector<Module> modules_;
  Module linked_;
  Files files_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> variables_, functions_;
};

}  // namespace

Module link(std::vector<Module> modules) { return Linker(std::move(modules)).link(); }

}  // namespace gridstride::sim::ptx

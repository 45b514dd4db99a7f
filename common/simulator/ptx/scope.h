// The names of one function body: registers, variables and labels in nested { } blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/simulator/ptx/lexer.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim::ptx {

/// Works on the Function it was given, which must outlive it, and on names in the text. A register
/// of a family `%r<83>` comes into being at its first use, so what a family declares costs nothing.
class Scope {
 public:
  explicit Scope(Function& function);

  void open(const Lexer& lexer);
  /// Patches the branches of this block to its labels; throws on an unbalanced brace.
  void close(const Lexer& lexer);
  std::size_t depth() const { return blocks_.size(); }

  void declare_register(std::string_view name, Type type, const Lexer& lexer);
  void declare_family(std::string_view prefix, Type type, std::uint64_t count);
  /// Adds a variable of the body under a name that is unique in the function. Parameter variables
  /// of blocks that are closed (one set for each call) give their storage to later ones of equal
  /// shape.
  void declare_variable(Variable variable, std::string_view name, const Lexer& lexer);
  /// A label before the instruction that is parsed next.
  void declare_label(std::string_view name, const Lexer& lexer);

  /// Index in Function::registers, or -1 when `name` is no register.
  std::int32_t find_register(std::string_view name);
  /// The name under which a variable stands in the function; `name` itself when the body has none
  /// (a parameter, a module variable, a function).
  std::string variable_name(std::string_view name) const;

  /// The operand `operand` of instruction `instruction` branches to `label`: filled in when the
  /// block that holds the label closes.
  void branch(std::string_view label, std::size_t instruction, std::size_t operand,
              std::uint32_t line);
  /// The next entry of Function::targets[list] is the instruction behind `label`.
  void branch_target(std::string_view label, std::size_t list, std::size_t entry,
                     std::uint32_t line);

 private:
  struct Name {
    enum class Kind : std::uint8_t { reg, family, variable } kind{};
    std::int32_t index = 0;   ///< register, family, variable or instruction
    std::uint32_t depth = 0;  ///< of the block that declared it
  };
  struct Family {
    Type type{};
    std::uint64_t count = 0;
    std::unordered_map<std::uint32_t, std::int32_t> used;  ///< number to register
  };
  struct Pending {
    std::string_view label;
    bool in_list = false;  ///< an entry of a target list, else an operand
    std::size_t owner = 0, entry = 0;
    std::uint32_t line = 0;
  };
  struct Block {
    std::vector<std::pair<std::string_view, std::optional<Name>>> shadowed;
    std::vector<std::pair<std::string_view, std::optional<Name>>> shadowed_families;
    std::vector<std::int32_t> parameter_variables;
    std::unordered_map<std::string_view, std::int32_t> labels;
    std::vector<Pending> pending;
  };
  using Names = std::unordered_map<std::string_view, Name>;

  std::int32_t add_register(std::string_view name, Type type);
  void declare(Names& names,
               std::vector<std::pair<std::string_view, std::optional<Name>>>& shadowed,
               std::string_view key, Name name, const Lexer& lexer);
  void resolve(Block& block);

  Function& function_;
  std::vector<Block> blocks_;
  Names names_, families_by_prefix_;
  std::vector<Family> families_;
  std::unordered_map<std::string_view, std::vector<std::int32_t>> free_parameters_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string_view, std::uint64_t> next_suffix_;
};

}  // namespace gridstride::sim::ptx

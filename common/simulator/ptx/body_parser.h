// The body of a kernel or function, between its braces.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simulator/ptx/declarations.h"
#include "common/simulator/ptx/lexer.h"
#include "common/simulator/ptx/locations.h"
#include "common/simulator/ptx/module.h"
#include "common/simulator/ptx/scope.h"

namespace gridstride::sim::ptx {

/// Fills registers, variables, body, targets and prototypes of one Function.
class BodyParser {
 public:
  BodyParser(Lexer& lexer, Locations& locations, Allowance& allowance, Function& function);

  /// The current token is the `{` that opens the body; stops behind its `}`.
  void parse();
  /// Its labels, as the text has them, each with the number of the instruction that it stands before.
  const std::vector<std::pair<std::string_view, std::uint32_t>>& labels() const { return labels_; }

 private:
  void statement();
  void directive();
  void skip_to_semicolon(std::string_view directive);
  void registers();
  void labelled(std::string_view label);
  void code_label(std::string_view label);
  void targets(std::string_view label);
  void prototype(std::string_view label);
  void instruction(std::int32_t guard, bool guard_negated);
  void instruction(std::string_view opcode, std::uint32_t line, std::int32_t guard,
                   bool guard_negated);
  void normalise_call(Instruction& call) const;
  void end_with_return();

  Lexer& lexer_;
  Locations& locations_;
  Allowance& allowance_;
  Function& function_;
  Scope scope_;
  bool not_unrolled_ = false;  ///< Instruction::not_unrolled of what comes next
  std::vector<std::pair<std::string_view, std::uint32_t>> labels_;
};

}  // namespace gridstride::sim::ptx

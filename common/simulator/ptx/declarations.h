// Variable declarations: module variables, variables of a body, parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "common/simulator/ptx/lexer.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim::ptx {

/// The state space that a directive such as ".shared" opens a declaration in.
std::optional<Space> space_named(std::string_view directive);

/// How far a module's text may make memory grow beyond its own length.
struct Allowance {
  std::uint64_t initial_bytes = 256u << 20;  ///< of initialised variables, per module
};

/// Parses what follows the space directive, up to and with the `;`, and hands each declarator to
/// `declare` with its name as it stands in the text. `common` carries space and linkage.
void parse_variables(Lexer& lexer, const Variable& common, Allowance& allowance,
                     const std::function<void(Variable, std::string_view)>& declare);

/// Parses `(.param …, .param …)` of a kernel, a function or a prototype.
std::vector<Variable> parse_parameters(Lexer& lexer);

}  // namespace gridstride::sim::ptx

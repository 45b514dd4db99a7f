// Operands of instructions.
#pragma once

#include "common/simulator/ptx/lexer.h"
#include "common/simulator/ptx/module.h"
#include "common/simulator/ptx/scope.h"

namespace gridstride::sim::ptx {

/// Parses one operand: register, pair p|q, immediate, special register, symbol, [address],
/// {vector}, (list), or `_`. Names are looked up in `scope`.
Operand parse_operand(Lexer& lexer, Scope& scope);

}  // namespace gridstride::sim::ptx

// What the integer instructions make of values that are known; all others make something unknown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/simulator/index_width/exact_value.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

std::optional<IntegerType> integer_type(ptx::Type type);

/// The result of `instruction` for its operands behind the destination, each as wide as the
/// instruction says. Unknown where an operand is, or the instruction is not one of integers.
ExactValue result_of(const ptx::Instruction& instruction, const std::vector<ExactValue>& operands);

/// The types of an operation: of its operands, and of its result.
struct OperationTypes {
  IntegerType operand, result;
};
std::optional<OperationTypes> types_of(const ptx::Instruction& instruction);

/// What setp compares, and how.
struct Comparison {
  enum class Relation { less, less_or_equal, greater, greater_or_equal, equal, not_equal };
  Relation relation = Relation::equal;
  IntegerType type;
};
/// Nothing where it is not one of two integers.
std::optional<Comparison> comparison_of(const ptx::Instruction& setp);
/// Whether the relation holds when the first number is larger than the second by `difference`.
bool holds(Comparison::Relation relation, WholeNumber difference);
Comparison::Relation opposite(Comparison::Relation relation);
/// For how many more rounds the relation holds when the difference grows by `growth` in each; nothing
/// where it would hold for ever, or ends otherwise.
std::optional<WholeNumber> rounds_left(Comparison::Relation relation, WholeNumber difference,
                                       WholeNumber growth);

}  // namespace gridstride::sim

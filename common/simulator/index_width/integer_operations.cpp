// Sums and products are numbers; masks, shifts to the right and divisions are about bits.
#include "common/simulator/index_width/integer_operations.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride::sim {
namespace {

using Values = std::vector<ExactValue>;
using Relation = Comparison::Relation;

/// With its highest bit set, a plain value of 32 bits may be negative or large: who adds to it does
/// not say which.
bool is_ambiguous(const ExactValue& value, IntegerType type) {
  const IntegerType with_sign{type.bits, true}, without{type.bits, false};
  return value.exact(with_sign) != value.exact(without);
}

/// `number` unless an operand is ambiguous; then the bits alone are known.
ExactValue sum(WholeNumber number, const Values& operands, const OperationTypes& types) {
  const bool ambiguous = types.operand.bits == 32 && types.result.bits == 32 &&
                         std::ranges::any_of(operands, [&](const ExactValue& value) {
                           return is_ambiguous(value, types.operand);
                         });
  ExactValue value = ExactValue::number(number, types.result);
  return ambiguous ? ExactValue::plain(value.bits()) : value;
}

ExactValue plain(WholeNumber number, IntegerType type) {
  return ExactValue::plain(ExactValue::number(number, type).bits());
}

/// Of 32-bit factors a product of 64: as the machine makes it of their bits, and the number.
ExactValue wide(const Values& v, const OperationTypes& types) {
  const auto widened = [&](const ExactValue& factor) {
    return factor.converted(types.operand, types.result);
  };
  const ExactValue a = widened(v[0]), b = widened(v[1]);
  const IntegerType type = types.result;
  const WholeNumber bits = a.read(type) * b.read(type) + (v.size() > 2 ? v[2].read(type) : 0);
  const WholeNumber exact = a.exact(type) * b.exact(type) + (v.size() > 2 ? v[2].exact(type) : 0);
  return ExactValue::number(exact, type).with_bits(ExactValue::number(bits, type).bits());
}

/// Sums of wrapped 64-bit values: their bits go on being wrapped.
ExactValue linear(const Values& v, const OperationTypes& types,
                  WholeNumber (*f)(WholeNumber, WholeNumber)) {
  const IntegerType t = types.operand;
  const std::uint64_t bits = ExactValue::number(f(v[0].read(t), v[1].read(t)), types.result).bits();
  return sum(f(v[0].exact(t), v[1].exact(t)), v, types).with_bits(bits);
}

WholeNumber add(WholeNumber a, WholeNumber b) { return a + b; }
WholeNumber subtract(WholeNumber a, WholeNumber b) { return a - b; }
WholeNumber multiply(WholeNumber a, WholeNumber b) { return a * b; }
WholeNumber shift_left(WholeNumber a, WholeNumber b) {
  return b >= 0 && b < 64 ? a * (WholeNumber{1} << b) : 0;
}

}  // namespace

std::optional<IntegerType> integer_type(ptx::Type type) {
  using enum ptx::Type;
  switch (type) {
    case s8:
    case s16:
    case s32:
    case s64:
      return IntegerType{static_cast<std::uint32_t>(8 * size_of(type)), true};
    case b8:
    case b16:
    case b32:
    case b64:
    case u8:
    case u16:
    case u32:
    case u64:
      return IntegerType{static_cast<std::uint32_t>(8 * size_of(type)), false};
    default:
      return std::nullopt;
  }
}

std::optional<OperationTypes> types_of(const ptx::Instruction& instruction) {
  std::vector<ptx::Type> named;
  for (const std::string& modifier : instruction.modifiers) {
    const ptx::Type type = ptx::type_named(modifier);
    if (type != ptx::Type::none) named.push_back(type);
  }
  if (named.empty()) return std::nullopt;
  const auto first = integer_type(named.front()), last = integer_type(named.back());
  if (!first || !last) return std::nullopt;
  if (instruction.opcode == "cvt") return OperationTypes{*last, *first};
  OperationTypes types{*last, *last};
  if (instruction.has("wide")) types.result.bits *= 2;
  return types;
}

ExactValue result_of(const ptx::Instruction& instruction, const std::vector<ExactValue>& v) {
  const auto types = types_of(instruction);
  if (!types || !std::ranges::all_of(v, &ExactValue::is_known)) return {};
  const IntegerType in = types->operand, out = types->result;
  const std::string_view op = instruction.opcode;
  const std::size_t count = v.size();
  if ((op == "mov" || op == "cvta") && count == 1) return v[0];
  if (op == "cvt" && count == 1) {
    return instruction.has("sat") ? ExactValue() : v[0].converted(in, out);
  }
  if (op == "neg" && count == 1) return linear({ExactValue::number(0, in), v[0]}, *types, subtract);
  if (op == "not" && count == 1) return plain(~v[0].read(in), out);
  if (count == 2) {
    if (op == "add") return linear(v, *types, add);
    if (op == "sub") return linear(v, *types, subtract);
    if (op == "shl") return linear(v, *types, shift_left);
    if (op == "mul" && instruction.has("lo")) return linear(v, *types, multiply);
    if (op == "mul" && instruction.has("wide")) return wide(v, *types);
    if (op == "min") return v[0].read(in) < v[1].read(in) ? v[0] : v[1];
    if (op == "max") return v[0].read(in) < v[1].read(in) ? v[1] : v[0];
    if (op == "and") return plain(v[0].read(in) & v[1].read(in), out);
    if (op == "or") return plain(v[0].read(in) | v[1].read(in), out);
    if (op == "xor") return plain(v[0].read(in) ^ v[1].read(in), out);
    const std::uint64_t second = v[1].bits();
    if (op == "shr") return plain(v[0].read(in) >> std::min<std::uint64_t>(second, 63), out);
    if (op == "mul" && instruction.has("hi"))
      return plain((v[0].read(in) * v[1].read(in)) >> in.bits, out);
    if (v[1].read(in) == 0) return {};
    if (op == "div") return plain(v[0].read(in) / v[1].read(in), out);
    if (op == "rem") return plain(v[0].read(in) % v[1].read(in), out);
  }
  if (count == 3 && op == "mad" && instruction.has("wide")) return wide(v, *types);
  if (count == 3 && op == "mad" && instruction.has("lo"))
    return linear({linear({v[0], v[1]}, *types, multiply), v[2]}, *types, add);
  return {};
}

std::optional<Comparison> comparison_of(const ptx::Instruction& setp) {
  static const std::map<std::string, Relation> relations = {{"lt", Relation::less},
                                                            {"lo", Relation::less},
                                                            {"le", Relation::less_or_equal},
                                                            {"ls", Relation::less_or_equal},
                                                            {"gt", Relation::greater},
                                                            {"hi", Relation::greater},
                                                            {"ge", Relation::greater_or_equal},
                                                            {"hs", Relation::greater_or_equal},
                                                            {"eq", Relation::equal},
                                                            {"ne", Relation::not_equal}};
  const auto types = types_of(setp);
  if (setp.opcode != "setp" || !types || setp.operands.size() != 3) return std::nullopt;
  const auto found = relations.find(setp.modifiers.front());
  if (found == relations.end()) return std::nullopt;
  return Comparison{found->second, types->operand};
}

bool holds(Relation relation, WholeNumber difference) {
  switch (relation) {
    case Relation::less:
      return difference < 0;
    case Relation::less_or_equal:
      return difference <= 0;
    case Relation::greater:
      return difference > 0;
    case Relation::greater_or_equal:
      return difference >= 0;
    case Relation::equal:
      return difference == 0;
    case Relation::not_equal:
      return difference != 0;
  }
  return false;
}

Relation opposite(Relation relation) {
  switch (relation) {
    case Relation::less:
      return Relation::greater_or_equal;
    case Relation::less_or_equal:
      return Relation::greater;
    case Relation::greater:
      return Relation::less_or_equal;
    case Relation::greater_or_equal:
      return Relation::less;
    case Relation::equal:
      return Relation::not_equal;
    case Relation::not_equal:
      break;
  }
  return Relation::equal;
}

std::optional<WholeNumber> rounds_left(Relation relation, WholeNumber difference,
                                       WholeNumber growth) {
  switch (relation) {
    case Relation::less:
      return growth > 0 ? std::optional((-difference - 1) / growth) : std::nullopt;
    case Relation::less_or_equal:
      return growth > 0 ? std::optional(-difference / growth) : std::nullopt;
    case Relation::greater:
      return growth < 0 ? std::optional((difference - 1) / -growth) : std::nullopt;
    case Relation::greater_or_equal:
      return growth < 0 ? std::optional(difference / -growth) : std::nullopt;
    case Relation::not_equal:
      if (growth == 0 || difference % growth != 0 || difference / growth >= 0) return std::nullopt;
      return -difference / growth - 1;
    case Relation::equal:
      break;
  }
  return std::nullopt;
}

}  // namespace gridstride::sim

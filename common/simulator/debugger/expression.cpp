// One function for each level of what binds how tightly, as C has it.
#include "common/simulator/debugger/expression.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/text.h"

namespace gridstride::sim {
namespace {

using Kind = TraceType::Kind;

struct Operator {
  std::string_view text;
  int level = 0;  ///< the higher, the tighter
};

/// Longer ones first, for "<=" begins with "<".
constexpr std::array<Operator, 18> operators{{{"||", 1},
                                              {"&&", 2},
                                              {"==", 6},
                                              {"!=", 6},
                                              {"<=", 7},
                                              {">=", 7},
                                              {"<<", 8},
                                              {">>", 8},
                                              {"|", 3},
                                              {"^", 4},
                                              {"&", 5},
                                              {"<", 7},
                                              {">", 7},
                                              {"+", 9},
                                              {"-", 9},
                                              {"*", 10},
                                              {"/", 10},
                                              {"%", 10}}};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::int64_t integer_result(std::string_view operation, std::int64_t left, std::int64_t right) {
  // Of numbers that overflow what the machine makes of them.
  const auto a = static_cast<std::uint64_t>(left), b = static_cast<std::uint64_t>(right);
  if (operation == "+") return static_cast<std::int64_t>(a + b);
  if (operation == "-") return static_cast<std::int64_t>(a - b);
  if (operation == "*") return static_cast<std::int64_t>(a * b);
  if (operation == "|") return static_cast<std::int64_t>(a | b);
  if (operation == "^") return static_cast<std::int64_t>(a ^ b);
  if (operation == "&") return static_cast<std::int64_t>(a & b);
  if (operation == "<<") return b < 64 ? static_cast<std::int64_t>(a << b) : 0;
  if (operation == ">>") return b < 64 ? left >> b : 0;
  if (right == 0) throw DebugError("division by zero");
  if (right == -1) return operation == "/" ? static_cast<std::int64_t>(0 - a) : 0;
  return operation == "/" ? left / right : left % right;
}

Number result(std::string_view operation, const Number& left, const Number& right) {
  const auto truth = [](bool value) { return Number{.integer = value ? 1 : 0}; };
  const bool floating = left.is_floating || right.is_floating;
  const double a = left.value(), b = right.value();
  if (operation == "||") return truth(left.truth() || right.truth());
  if (operation == "&&") return truth(left.truth() && right.truth());
  if (operation == "==") return truth(floating ? a == b : left.integer == right.integer);
  if (operation == "!=") return truth(floating ? a != b : left.integer != right.integer);
  if (operation == "<=") return truth(floating ? a <= b : left.integer <= right.integer);
  if (operation == ">=") return truth(floating ? a >= b : left.integer >= right.integer);
  if (operation == "<") return truth(floating ? a < b : left.integer < right.integer);
  if (operation == ">") return truth(floating ? a > b : left.integer > right.integer);
  if (!floating) return {.integer = integer_result(operation, left.integer, right.integer)};
  if (operation == "+") return {.is_floating = true, .floating = a + b};
  if (operation == "-") return {.is_floating = true, .floating = a - b};
  if (operation == "*") return {.is_floating = true, .floating = a * b};
  if (operation == "/") return {.is_floating = true, .floating = a / b};
  throw DebugError("'" + std::string(operation) + "' is for whole numbers");
}

class Reader {
 public:
  Reader(const std::string& text, const Inspector& inspector, const StackFrame* frame,
         const Moment& moment)
      : text_(text), inspector_(inspector), frame_(frame), moment_(moment) {}

  Value read() {
    Value value = binary(1);
    skip_blanks();
    if (at_ != text_.size())
      throw DebugError("'" + text_ + "': '" + text_.substr(at_) + "' is not understood");
    if (value.name.empty()) value.name = text_;
    return value;
  }

 private:
  static constexpr int most_levels = 64;

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(std::string_view token) {
    skip_blanks();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token))
      throw DebugError(fmt::format(
          "'{}': expected '{}' {}", text_, token,
          at_ == text_.size() ? std::string("at the end") : "before '" + text_.substr(at_) + "'"));
  }
  std::string word() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  const Operator* operator_from(int level) {
    skip_blanks();
    for (const Operator& one : operators) {
      if (text_.compare(at_, one.text.size(), one.text) != 0) continue;
      if (one.level < level) return nullptr;
      at_ += one.text.size();
      return &one;
    }
    return nullptr;
  }

  Number number(const Value& value) const {
    if (const auto number = inspector_.number(value, moment_)) return *number;
    const std::string words = inspector_.text(value, moment_, 1);
    throw DebugError("'" + value.name + "' is no number here: " + words);
  }

  Value binary(int level) {
    if (++depth_ > most_levels) throw DebugError("'" + text_ + "' is too deep");
    Value left = unary();
    while (const Operator* operation = operator_from(level)) {
      const Value right = binary(operation->level + 1);
      const std::string_view what = operation->text;
      const Kind kind = inspector_.type(left).kind;
      if (kind == Kind::pointer && (what == "+" || what == "-")) {
        const std::int64_t count = number(right).integer;
        left = moved(left, what == "+" ? count : -count);
      } else {
        left = inspector_.made_of(result(what, number(left), number(right)), "");
      }
    }
    --depth_;
    return left;
  }

  Value moved(const Value& pointer, std::int64_t count) const {
    const std::int64_t address =
        number(pointer).integer + count * static_cast<std::int64_t>(inspector_.stride(pointer));
    Value value = inspector_.made_of({.integer = address}, "");
    value.type = pointer.type;
    return value;
  }

  Value unary() {
    if (++depth_ > most_levels) throw DebugError("'" + text_ + "' is too deep");
    Value value = one_unary();
    --depth_;
    return value;
  }

  Value one_unary() {
    if (take("*")) {
      const Value pointer = unary();
      return element(pointer, 0);
    }
    if (take("-")) {
      Number negative = number(unary());
      negative.floating = -negative.floating;
      negative.integer =
          static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(negative.integer));
      return inspector_.made_of(negative, "");
    }
    skip_blanks();
    if (text_.compare(at_, 2, "!=") != 0 && take("!"))
      return inspector_.made_of({.integer = number(unary()).truth() ? 0 : 1}, "");
    return postfix(primary());
  }

  Value element(const Value& value, std::int64_t index) const {
    const TraceType& type = inspector_.type(value);
    if (!value.missing.empty()) throw DebugError("'" + value.name + "': " + value.missing);
    if (type.kind == Kind::pointer) {
      Value target = inspector_.target(value, index, moment_);
      if (!target.missing.empty()) throw DebugError("'" + value.name + "': " + target.missing);
      return target;
    }
    if (type.kind != Kind::array)
      throw DebugError("'" + value.name + "' is no array and no pointer");
    if (index < 0 || static_cast<std::uint64_t>(index) >= type.count)
      throw DebugError(fmt::format("'{}' has {} elements, from 0 on: there is no [{}]", value.name,
                                   type.count, index));
    return inspector_.child(value, static_cast<std::uint64_t>(index), moment_);
  }

  Value member(const Value& value, const std::string& name) const {
    const TraceType& type = inspector_.type(value);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < type.members.size(); ++i) {
      if (type.members[i].name == name) return inspector_.child(value, i, moment_);
      names.push_back(type.members[i].name);
    }
    throw DebugError("'" + value.name + "' has no member '" + name + "'" +
                     (names.empty() ? "" : "; it has " + listed(names)));
  }

  Value postfix(Value value) {
    for (;;) {
      const std::size_t begin = at_;
      if (take("[")) {
        const std::int64_t index = number(binary(1)).integer;
        expect("]");
        std::string name = fmt::format("{}[{}]", value.name, index);
        value = element(value, index);
        value.name = std::move(name);
      } else if (take("->")) {
        std::string name = value.name + "->";
        value = member(element(value, 0), word());
        value.name = name + value.name;
      } else if (take(".")) {
        std::string name = value.name + ".";
        value = member(value, word());
        value.name = name + value.name;
      } else {
        at_ = begin;
        return value;
      }
    }
  }

  Value primary() {
    if (take("(")) {
      Value value = binary(1);
      expect(")");
      return value;
    }
    skip_blanks();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0)
      return literal();
    const std::string name = word();
    if (name.empty())
      throw DebugError("'" + text_ + "': expected a name or a number" +
                       (at_ < text_.size() ? " before '" + text_.substr(at_) + "'" : ""));
    if (auto value = inspector_.named(name, frame_, moment_)) return *value;
    throw DebugError("there is no '" + name + "' here; there is " + listed(known()));
  }

  Value literal() {
    const char *const begin = text_.data() + at_, *const end = text_.data() + text_.size();
    const bool hexadecimal = text_.compare(at_, 2, "0x") == 0;
    std::uint64_t integer = 0;
    const auto whole =
        std::from_chars(begin + (hexadecimal ? 2 : 0), end, integer, hexadecimal ? 16 : 10);
    if (whole.ec != std::errc()) throw DebugError("'" + text_ + "': the number is too large");
    double floating = 0;
    const auto real = std::from_chars(begin, end, floating);
    const bool is_floating = !hexadecimal && real.ptr > whole.ptr;
    const char* rest = is_floating ? real.ptr : whole.ptr;
    while (rest != end && (*rest == 'u' || *rest == 'U' || *rest == 'l' || *rest == 'L' ||
                           (is_floating && (*rest == 'f' || *rest == 'F'))))
      ++rest;
    at_ = static_cast<std::size_t>(rest - text_.data());
    if (is_floating) return inspector_.made_of({.is_floating = true, .floating = floating}, "");
    return inspector_.made_of({.integer = static_cast<std::int64_t>(integer)}, "");
  }

  std::vector<std::string> known() const {
    std::vector<std::string> names;
    const auto add = [&](const std::vector<Value>& values) {
      for (const Value& value : values) {
        if (std::ranges::find(names, value.name) == names.end()) names.push_back(value.name);
      }
    };
    if (frame_) {
      add(inspector_.locals(*frame_, moment_));
      add(inspector_.parameters(*frame_, moment_));
    }
    add(inspector_.shared(moment_));
    add(inspector_.globals());
    names.insert(names.end(), {"threadIdx", "blockIdx", "blockDim", "gridDim"});
    return names;
  }

  const std::string& text_;
  const Inspector& inspector_;
  const StackFrame* frame_;
  const Moment& moment_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Value evaluate(const std::string& text, const Inspector& inspector, const StackFrame* frame,
               const Moment& moment) {
  return Reader(text, inspector, frame, moment).read();
}

}  // namespace gridstride::sim

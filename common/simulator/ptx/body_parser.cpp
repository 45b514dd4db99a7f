// See body_parser.h.
#include "common/simulator/ptx/body_parser.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simulator/ptx/operand_parser.h"
#include "common/text.h"

namespace gridstride::sim::ptx {

BodyParser::BodyParser(Lexer& lexer, Locations& locations, Allowance& allowance, Function& function)
    : lexer_(lexer),
      locations_(locations),
      allowance_(allowance),
      function_(function),
      scope_(function) {}

void BodyParser::parse() {
  locations_.start_function();
  lexer_.expect('{', "before a body");
  scope_.open(lexer_);
  while (scope_.depth() > 0) statement();
  end_with_return();
}

void BodyParser::statement() {
  const Token token = lexer_.peek();
  if (token.is_dotted()) return directive();
  if (lexer_.accept('{')) return scope_.open(lexer_);
  if (lexer_.accept('}')) return scope_.close(lexer_);
  if (lexer_.accept(';')) return;  // inline assembly ends with one too many at times
  if (lexer_.accept('@')) {
    const bool negated = lexer_.accept('!');
    const std::string_view name = lexer_.expect_word("a predicate after '@'");
    const std::int32_t guard = scope_.find_register(name);
    if (guard < 0) lexer_.fail("unknown predicate '" + std::string(name) + '\'');
    if (function_.registers[static_cast<std::size_t>(guard)].type != Type::pred)
      lexer_.fail("'" + std::string(name) + "' is no predicate");
    return instruction(guard, negated);
  }
  if (!token.is_word()) lexer_.fail_expected("an instruction");
  lexer_.take();
  if (lexer_.accept(':')) return labelled(token.text);
  instruction(token.text, token.line, -1, false);
}

void BodyParser::directive() {
  const std::string_view name = lexer_.take().text;
  if (name == "loc") {
    locations_.parse(lexer_);
    if (function_.location == Location{}) function_.location = locations_.current();
  } else if (name == "reg") {
    registers();
  } else if (name == "pragma") {
    not_unrolled_ = lexer_.peek().text == "nounroll";
    skip_to_semicolon(name);
  } else if (const auto space = space_named(name)) {
    Variable common;
    common.space = *space;
    parse_variables(lexer_, common, allowance_, [&](Variable variable, std::string_view written) {
      scope_.declare_variable(std::move(variable), written, lexer_);
    });
  } else {  // of a newer PTX: only who launches the function need know
    if (function_.unknown_directive.empty())
      function_.unknown_directive = shorten_middle("." + std::string(name), 100);
    skip_to_semicolon(name);
  }
}

void BodyParser::skip_to_semicolon(std::string_view directive) {
  while (!lexer_.peek().is(';')) {
    const Token token = lexer_.peek();
    if (token.kind == Token::Kind::end || token.is('{') || token.is('}'))
      lexer_.fail_expected("';' after ." + std::string(directive));
    lexer_.take();
  }
  lexer_.take();
}

void BodyParser::registers() {
  if (!lexer_.peek().is_dotted()) lexer_.fail_expected("the type of registers");
  const std::string_view name = lexer_.take().text;
  const Type type = type_named(name);
  if (type == Type::none) lexer_.fail("registers of type '." + std::string(name) + "'");
  do {
    const std::string_view declared = lexer_.expect_word("a name of a register");
    if (lexer_.accept('<')) {
      scope_.declare_family(declared, type, lexer_.expect_integer("a number of registers"));
      lexer_.expect('>', "after a number of registers");
    } else {
      scope_.declare_register(declared, type, lexer_);
    }
  } while (lexer_.accept(','));
  lexer_.expect(';', "after registers");
}

void BodyParser::labelled(std::string_view label) {
  if (lexer_.peek().is_dotted("branchtargets") || lexer_.peek().is_dotted("calltargets"))
    targets(label);
  else if (lexer_.peek().is_dotted("callprototype"))
    prototype(label);
  else
    code_label(label);
}

void BodyParser::code_label(std::string_view label) {
  scope_.declare_label(label, lexer_);
  labels_.emplace_back(label, static_cast<std::uint32_t>(function_.body.size()));
}

void BodyParser::targets(std::string_view label) {
  const bool branches = lexer_.take().text == "branchtargets";
  const std::size_t list = function_.targets.size();
  function_.targets.push_back({std::string(label), {}, {}});
  do {
    const std::uint32_t line = lexer_.peek().line;
    const std::string_view name = lexer_.expect_word("a target");
    Function::Targets& targets = function_.targets[list];
    if (branches) {
      targets.instructions.push_back(-1);
      scope_.branch_target(name, list, targets.instructions.size() - 1, line);
    } else {
      targets.names.emplace_back(name);
    }
  } while (lexer_.accept(','));
  lexer_.expect(';', "after a list of targets");
}

void BodyParser::prototype(std::string_view label) {
  lexer_.take();
  Function::Prototype prototype;
  prototype.label = label;
  if (lexer_.peek().is('(')) prototype.results = parse_parameters(lexer_);
  lexer_.expect_word("'_' in .callprototype");
  if (lexer_.peek().is('(')) prototype.parameters = parse_parameters(lexer_);
  while (lexer_.peek().is_dotted()) {  // .noreturn, .abi_preserve N: nothing that changes a result
    lexer_.take();
    if (lexer_.peek().kind == Token::Kind::integer) lexer_.take();
  }
  lexer_.expect(';', "after .callprototype");
  function_.prototypes.push_back(std::move(prototype));
}

void BodyParser::instruction(std::int32_t guard, bool guard_negated) {
  const std::uint32_t line = lexer_.peek().line;
  instruction(lexer_.expect_word("an instruction"), line, guard, guard_negated);
}

void BodyParser::instruction(std::string_view opcode, std::uint32_t line, std::int32_t guard,
                             bool guard_negated) {
  Instruction result;
  result.opcode = opcode;
  result.guard = guard;
  result.guard_negated = guard_negated;
  result.location = locations_.current();
  result.ptx_line = line;
  result.not_unrolled = std::exchange(not_unrolled_, false);
  result.modifiers.reserve(4);
  result.operands.reserve(4);
  while (lexer_.peek().is_dotted()) result.modifiers.emplace_back(lexer_.take().text);
  if (result.opcode == "bra") {
    Operand target;
    target.kind = Operand::Kind::label;
    const std::string_view label = lexer_.expect_word("a label");
    target.name = label;
    scope_.branch(label, function_.body.size(), 0, line);
    result.operands.push_back(std::move(target));
  } else if (!lexer_.peek().is(';')) {
    do {
      result.operands.push_back(parse_operand(lexer_, scope_));
    } while (lexer_.accept(','));
  }
  lexer_.expect(';', "after an instruction");
  if (result.opcode == "call") normalise_call(result);
  function_.body.push_back(std::move(result));
}

void BodyParser::normalise_call(Instruction& call) const {
  using Kind = Operand::Kind;
  std::vector<Operand>& operands = call.operands;
  Operand empty;
  empty.kind = Kind::vector;
  if (!operands.empty() && operands.front().kind != Kind::vector)
    operands.insert(operands.begin(), empty);
  if (operands.size() == 2 || (operands.size() > 2 && operands[2].kind != Kind::vector))
    operands.insert(operands.begin() + 2, empty);
  const bool good = operands.size() >= 3 && operands.size() <= 4 &&
                    (operands[1].kind == Kind::symbol || operands[1].kind == Kind::reg) &&
                    (operands.size() == 3 || operands[3].kind == Kind::symbol);
  if (!good) throw ParseError(call.ptx_line, "a call must read (results), function, (arguments)");
}

/// A body may end without `ret`: one is put there, so that no instruction and no label is last.
void BodyParser::end_with_return() {
  Instruction end;
  end.opcode = "ret";
  end.location = function_.body.empty() ? function_.location : function_.body.back().location;
  end.ptx_line = lexer_.peek().line;
  function_.body.push_back(std::move(end));
  function_.calls = locations_.take_calls();
}

}  // namespace gridstride::sim::ptx

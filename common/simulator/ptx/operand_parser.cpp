// See operand_parser.h.
#include "common/simulator/ptx/operand_parser.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

namespace gridstride::sim::ptx {

namespace {

/// Special registers without a component or a number. Which of them can be read is the executor's
/// business; here they are told from registers that nobody declared.
bool is_special(std::string_view name) {
  static const std::unordered_set<std::string_view> names{"%tid",
                                                          "%ntid",
                                                          "%laneid",
                                                          "%warpid",
                                                          "%nwarpid",
                                                          "%ctaid",
                                                          "%nctaid",
                                                          "%smid",
                                                          "%nsmid",
                                                          "%gridid",
                                                          "%is_explicit_cluster",
                                                          "%clusterid",
                                                          "%nclusterid",
                                                          "%cluster_ctaid",
                                                          "%cluster_nctaid",
                                                          "%cluster_ctarank",
                                                          "%cluster_nctarank",
                                                          "%lanemask_eq",
                                                          "%lanemask_le",
                                                          "%lanemask_lt",
                                                          "%lanemask_ge",
                                                          "%lanemask_gt",
                                                          "%clock",
                                                          "%clock_hi",
                                                          "%clock64",
                                                          "%globaltimer",
                                                          "%globaltimer_lo",
                                                          "%globaltimer_hi",
                                                          "%total_smem_size",
                                                          "%aggr_smem_size",
                                                          "%dynamic_smem_size",
                                                          "%current_graph_exec",
                                                          "%reserved_smem_offset_begin",
                                                          "%reserved_smem_offset_end",
                                                          "%reserved_smem_offset_cap"};
  const std::size_t dot = name.find('.');
  if (names.contains(name.substr(0, dot))) return true;
  constexpr std::array<std::string_view, 3> numbered{"%envreg", "%pm", "%reserved_smem_offset_"};
  for (std::string_view prefix : numbered)
    if (name.starts_with(prefix) && name.size() > prefix.size() && name[prefix.size()] >= '0' &&
        name[prefix.size()] <= '9')
      return true;
  return false;
}

Operand immediate(const Token& token, bool negative) {
  Operand operand;
  operand.kind = Operand::Kind::immediate;
  operand.bits = token.bits;
  if (token.kind == Token::Kind::real) {
    operand.is_float = true;
    operand.float_bytes = token.float_bytes;
    if (negative) operand.bits ^= std::uint64_t{1} << (8 * token.float_bytes - 1);
  } else if (negative) {
    operand.bits = 0 - operand.bits;
  }
  return operand;
}

Operand named(Lexer& lexer, Scope& scope) {
  const Token token = lexer.take();
  Operand operand;
  if (token.text == "_") return operand;
  operand.index = scope.find_register(token.text);
  if (operand.index >= 0) {
    operand.kind = Operand::Kind::reg;
  } else if (token.text == "WARP_SZ") {
    operand.kind = Operand::Kind::immediate;
    operand.bits = 32;
  } else if (token.text.front() == '%') {
    if (!is_special(token.text))
      throw ParseError(token.line, "unknown register '" + std::string(token.text) + '\'');
    operand.kind = Operand::Kind::special;
    operand.name = token.text;
  } else {
    operand.kind = Operand::Kind::symbol;
    operand.name = scope.variable_name(token.text);
  }
  return operand;
}

/// `+4`, `-4`, `+-4` behind a symbol or the base of an address.
std::int64_t offset(Lexer& lexer) {
  if (lexer.accept('+'))
    return static_cast<std::int64_t>(lexer.expect_integer("an offset in bytes"));
  if (lexer.peek().is('-'))
    return static_cast<std::int64_t>(lexer.expect_integer("an offset in bytes"));
  return 0;
}

Operand list(Lexer& lexer, Scope& scope, char end) {
  Operand operand;
  operand.kind = Operand::Kind::vector;
  while (!lexer.peek().is(end)) {
    if (lexer.peek().is('{') || lexer.peek().is('(') || lexer.peek().is('['))
      lexer.fail_expected("a register, a number or a name");
    operand.elements.push_back(parse_operand(lexer, scope));
    if (!lexer.accept(',')) break;
  }
  lexer.expect(end, "after a list of operands");
  return operand;
}

Operand address(Lexer& lexer, Scope& scope) {
  Operand operand;
  if (lexer.peek().is_word()) {
    operand = named(lexer, scope);
    if (operand.kind != Operand::Kind::reg && operand.kind != Operand::Kind::symbol)
      lexer.fail("an address must start with a register, a variable or a number");
    operand.offset = offset(lexer);
  } else {
    operand.offset = static_cast<std::int64_t>(lexer.expect_integer("an address"));
  }
  operand.kind = Operand::Kind::address;
  while (lexer.accept(',')) {  // textures and tensor maps: coordinates behind the handle
    if (lexer.accept('{'))
      operand.elements.push_back(list(lexer, scope, '}'));
    else if (lexer.peek().is('['))
      lexer.fail_expected("coordinates");
    else
      operand.elements.push_back(parse_operand(lexer, scope));
  }
  lexer.expect(']', "after an address");
  return operand;
}

}  // namespace

Operand parse_operand(Lexer& lexer, Scope& scope) {
  if (lexer.accept('[')) return address(lexer, scope);
  if (lexer.accept('{')) return list(lexer, scope, '}');
  if (lexer.accept('(')) return list(lexer, scope, ')');
  const bool inverted = lexer.accept('!');
  const bool minus = !inverted && lexer.accept('-');
  const Token token = lexer.peek();
  if (token.kind == Token::Kind::integer || token.kind == Token::Kind::real) {
    lexer.take();
    if (inverted) lexer.fail("'!' before a number");
    return immediate(token, minus);
  }
  if (!token.is_word()) lexer.fail_expected("an operand");
  Operand operand = named(lexer, scope);
  operand.negate = inverted || minus;
  if (operand.negate && operand.kind != Operand::Kind::reg)
    lexer.fail("'!' and '-' stand before registers and numbers only");
  if (operand.kind == Operand::Kind::symbol) operand.offset = offset(lexer);
  if (lexer.accept('|')) {
    if (!lexer.peek().is_word()) lexer.fail_expected("a predicate after '|'");
    const Operand second = named(lexer, scope);
    if (second.kind != Operand::Kind::reg && second.kind != Operand::Kind::sink)
      lexer.fail("a register must follow '|'");
    operand.second_index = second.index;
  }
  return operand;
}

}  // namespace gridstride::sim::ptx

// See declarations.h.
#include "common/simulator/ptx/declarations.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gridstride::sim::ptx {

namespace {

constexpr std::uint64_t largest_variable = std::uint64_t{1} << 40;  // bytes; more is no program

/// `.attribute(.managed)`, `.attribute(.unified(0, 1))`.
void parse_attributes(Lexer& lexer, Variable& variable) {
  lexer.expect('(', "after .attribute");
  int depth = 1;
  while (depth > 0) {
    const Token token = lexer.take();
    if (token.kind == Token::Kind::end) lexer.fail_expected("')' after .attribute");
    if (token.is_dotted("managed")) variable.is_managed = true;
    if (token.is('(')) ++depth;
    if (token.is(')')) --depth;
  }
}

/// Alignment, vector width, pointer hints and element type. Returns elements of one vector.
std::uint64_t parse_type(Lexer& lexer, Variable& variable) {
  std::uint64_t vector = 1;
  bool has_align = false;
  while (lexer.peek().is_dotted()) {
    const std::string_view name = lexer.take().text;
    if (name == "align") {
      const std::uint64_t align = lexer.expect_integer("an alignment in bytes");
      if (!std::has_single_bit(align) || align > 65536)
        lexer.fail("an alignment must be a power of two up to 65536");
      // A pointer parameter says how its target is aligned, which is not its own alignment.
      if (!has_align) variable.align = static_cast<std::uint32_t>(align);
      has_align = true;
    } else if (name == "ptr") {
      if (lexer.peek().is_dotted() && space_named(lexer.peek().text)) lexer.take();
      if (lexer.peek().is_dotted("align")) {
        lexer.take();
        lexer.expect_integer("an alignment in bytes");
      }
    } else if (name == "attribute") {
      parse_attributes(lexer, variable);
    } else if (name == "v2" || name == "v4" || name == "v8") {
      vector = static_cast<std::uint64_t>(name[1] - '0');
    } else {
      const Type type = type_named(name);
      if (size_of(type) == 0) lexer.fail("'." + std::string(name) + "' is no type of a variable");
      variable.type = type;
      if (!has_align) variable.align = static_cast<std::uint32_t>(size_of(type) * vector);
      has_align = true;
      continue;
    }
  }
  if (variable.type == Type::none) lexer.fail_expected("a type");
  return vector;
}

/// `[2][3]` behind a name; an empty first dimension gives 0.
std::uint64_t parse_dimensions(Lexer& lexer, std::uint64_t bytes) {
  while (lexer.accept('[')) {
    std::uint64_t count = 0;
    if (!lexer.peek().is(']')) count = lexer.expect_integer("a number of elements");
    lexer.expect(']', "after a number of elements");
    if (count != 0 && bytes > largest_variable / count)
      lexer.fail("a variable larger than 2^40 bytes");
    bytes *= count;
  }
  return bytes;
}

/// The initialiser of one variable, element by element.
class Initialiser {
 public:
  Initialiser(Lexer& lexer, Variable& variable, Allowance& allowance)
      : lexer_(lexer), variable_(variable), allowance_(allowance) {}

  void parse(bool sized) {
    sized_ = sized;
    if (sized_) reserve(variable_.size);
    if (lexer_.accept('{')) {
      while (!lexer_.peek().is('}')) {
        element();
        if (!lexer_.accept(',')) break;
      }
      lexer_.expect('}', "after the values of a variable");
    } else {
      element();
    }
    variable_.size = variable_.initial.size();
    if (next_mask_byte_ != 0) lexer_.fail("an address of which only some bytes are stored");
  }

 private:
  void reserve(std::uint64_t bytes) {
    if (bytes > allowance_.initial_bytes) lexer_.fail("initialised variables of more than 256 MiB");
    allowance_.initial_bytes -= bytes;
    variable_.initial.resize(variable_.initial.size() + bytes);
  }

  void store(std::uint64_t bits, std::uint64_t bytes) {
    if (at_ + bytes > variable_.initial.size()) {
      if (sized_) lexer_.fail("more values than '" + variable_.name + "' has elements");
      reserve(bytes);
    }
    std::memcpy(variable_.initial.data() + at_, &bits, bytes);
    at_ += bytes;
  }

  void element() {
    const std::uint64_t bytes = size_of(variable_.type);
    const Token token = lexer_.peek();
    if (token.is_word()) {
      address(lexer_.take().text, bytes);
    } else if (token.kind == Token::Kind::real) {
      lexer_.take();
      real(token);
    } else {
      const std::uint64_t bits = lexer_.expect_integer("a value");
      if (lexer_.accept('('))
        masked(bits);
      else if (bytes > 8)
        lexer_.fail("128-bit initial values are not supported");
      else if (variable_.type == Type::f32 || variable_.type == Type::f64)
        lexer_.fail("a whole number where a floating-point value belongs");
      else
        store(bits, bytes);
    }
  }

  void real(const Token& token) {
    if (variable_.type == Type::f64 && token.float_bytes == 4)
      store(std::bit_cast<std::uint64_t>(
                double{std::bit_cast<float>(static_cast<std::uint32_t>(token.bits))}),
            8);
    else if (variable_.type == Type::f32 && token.float_bytes == 8)
      store(std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(token.bits))), 4);
    else
      store(token.bits, size_of(variable_.type));
  }

  Variable::Relocation symbol(std::string_view word) {
    Variable::Relocation relocation;
    relocation.generic = word == "generic";
    if (relocation.generic) {
      lexer_.expect('(', "after generic");
      word = lexer_.expect_word("a name in generic()");
      lexer_.expect(')', "after generic(name");
    }
    relocation.symbol = word;
    if (lexer_.accept('+'))
      relocation.addend = static_cast<std::int64_t>(lexer_.expect_integer("an offset"));
    else if (lexer_.peek().is('-'))
      relocation.addend = static_cast<std::int64_t>(lexer_.expect_integer("an offset"));
    return relocation;
  }

  void address(std::string_view word, std::uint64_t bytes) {
    Variable::Relocation relocation = symbol(word);
    if (bytes != 8) lexer_.fail("an address in an element of fewer than 8 bytes");
    relocation.at = at_;
    variable_.relocations.push_back(std::move(relocation));
    store(0, 8);
  }

  /// `0xFF00(symbol)`: one byte of an address. The compiler writes all eight in order.
  void masked(std::uint64_t mask) {
    const Variable::Relocation relocation = symbol(lexer_.expect_word("a name after a mask"));
    lexer_.expect(')', "after a masked name");
    if (mask != std::uint64_t{0xff} << (8 * next_mask_byte_) || size_of(variable_.type) != 1)
      lexer_.fail("bytes of an address out of order");
    if (next_mask_byte_ == 0) {
      variable_.relocations.push_back(relocation);
      variable_.relocations.back().at = at_;
    } else if (variable_.relocations.back().symbol != relocation.symbol ||
               variable_.relocations.back().at + next_mask_byte_ != at_) {
      lexer_.fail("bytes of two addresses mixed");
    }
    next_mask_byte_ = (next_mask_byte_ + 1) % 8;
    store(0, 1);
  }

  Lexer& lexer_;
  Variable& variable_;
  Allowance& allowance_;
  bool sized_ = false;
  std::uint64_t at_ = 0;
  std::uint64_t next_mask_byte_ = 0;
};

}  // namespace

std::optional<Space> space_named(std::string_view directive) {
  if (directive == "global") return Space::global;
  if (directive == "shared") return Space::shared;
  if (directive == "const") return Space::constant;
  if (directive == "local") return Space::local;
  if (directive == "param") return Space::param;
  return std::nullopt;
}

void parse_variables(Lexer& lexer, const Variable& common, Allowance& allowance,
                     const std::function<void(Variable, std::string_view)>& declare) {
  Variable shape = common;
  shape.type = Type::none;
  const std::uint64_t vector = parse_type(lexer, shape);
  do {
    Variable variable = shape;
    const std::string_view name = lexer.expect_word("a name of a variable");
    variable.name = name;
    variable.size = parse_dimensions(lexer, size_of(shape.type) * vector);
    const bool sized = variable.size != 0;
    if (lexer.accept('=')) Initialiser(lexer, variable, allowance).parse(sized);
    declare(std::move(variable), name);
  } while (lexer.accept(','));
  lexer.expect(';', "after a declaration");
}

std::vector<Variable> parse_parameters(Lexer& lexer) {
  std::vector<Variable> parameters;
  lexer.expect('(', "before parameters");
  while (!lexer.peek().is(')')) {
    if (!lexer.peek().is_dotted("param")) lexer.fail_expected(".param");
    lexer.take();
    Variable parameter;
    parameter.space = Space::param;
    parameter.type = Type::none;
    const std::uint64_t vector = parse_type(lexer, parameter);
    parameter.name = lexer.expect_word("a name of a parameter");
    parameter.size = parse_dimensions(lexer, size_of(parameter.type) * vector);
    parameters.push_back(std::move(parameter));
    if (!lexer.accept(',')) break;
  }
  lexer.expect(')', "after parameters");
  return parameters;
}

}  // namespace gridstride::sim::ptx

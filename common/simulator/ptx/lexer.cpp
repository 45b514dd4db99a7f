// See lexer.h.
#include "common/simulator/ptx/lexer.h"

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>

namespace gridstride::sim::ptx {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool starts_word(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%'; }
bool continues_word(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

/// Special registers with a component: the dot belongs to the word (%tid.x, but not ld.global).
bool is_component(char c) { return c == 'x' || c == 'y' || c == 'z' || c == 'w'; }

std::string describe(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end of the text";
  constexpr std::size_t longest = 40;
  std::string text;
  for (char c : token.text.substr(0, longest))
    text += (c >= 32 && c < 127) ? c : '?';  // messages must stay printable, whatever the bytes are
  return '\'' + text + '\'';
}

}  // namespace

ParseError::ParseError(std::uint32_t line, const std::string& message)
    : std::runtime_error("PTX line " + std::to_string(line) + ": " + message), line_(line) {}

Lexer::Lexer(std::string_view text) : text_(text) {
  while (!text_.empty() && text_.back() == '\0') text_.remove_suffix(1);
  advance();
}

void Lexer::fail(const std::string& message) const { throw ParseError(token_.line, message); }

void Lexer::fail_expected(const std::string& what) const {
  fail("expected " + what + ", found " + describe(token_));
}

Token Lexer::take() {
  Token token = token_;
  advance();
  return token;
}

bool Lexer::accept(char c) {
  if (!token_.is(c)) return false;
  advance();
  return true;
}

void Lexer::expect(char c, const char* where) {
  if (!token_.is(c)) fail_expected(std::string("'") + c + "' " + where);
  advance();
}

std::string_view Lexer::expect_word(const char* what) {
  if (!token_.is_word()) fail_expected(what);
  return take().text;
}

std::uint64_t Lexer::expect_integer(const char* what) {
  const bool negative = accept('-');
  if (token_.kind != Token::Kind::integer) fail_expected(what);
  const std::uint64_t bits = take().bits;
  return negative ? 0 - bits : bits;
}

std::string_view Lexer::take_block() {
  const std::size_t begin = position_;  // behind the '{'
  std::size_t end = begin;
  std::uint64_t depth = 0;
  do {
    if (token_.kind == Token::Kind::end) fail_expected("'}' at the end of a block");
    if (token_.is('{')) ++depth;
    if (token_.is('}')) {
      --depth;
      end = position_ - 1;
    }
    advance();
  } while (depth > 0);
  return text_.substr(begin, end - begin);
}

void Lexer::skip_blank() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      ++line_;
      ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++position_;
    } else if (c == '/' && at(position_ + 1) == '/') {
      const std::size_t end = text_.find('\n', position_);
      position_ = end == std::string_view::npos ? text_.size() : end;
    } else if (c == '/' && at(position_ + 1) == '*') {
      const std::size_t end = text_.find("*/", position_ + 2);
      const std::size_t next = end == std::string_view::npos ? text_.size() : end + 2;
      for (; position_ < next; ++position_) line_ += text_[position_] == '\n';
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skip_blank();
  token_ = Token{};
  token_.line = line_;
  if (position_ >= text_.size()) return;
  const std::size_t begin = position_;
  const char c = text_[position_];
  if (starts_word(c)) {
    token_.kind = Token::Kind::word;
    while (continues_word(at(++position_))) {
    }
    if (c == '%' && at(position_) == '.' && is_component(at(position_ + 1)) &&
        !continues_word(at(position_ + 2)))
      position_ += 2;
  } else if (c == '.' && continues_word(at(position_ + 1))) {
    token_.kind = Token::Kind::dotted;
    ++position_;
    while (continues_word(at(position_)) ||
           (at(position_) == ':' && at(position_ + 1) == ':' && continues_word(at(position_ + 2))))
      position_ += at(position_) == ':' ? 2 : 1;
    token_.text = text_.substr(begin + 1, position_ - begin - 1);
    return;
  } else if (is_digit(c)) {
    scan_number();
  } else if (c == '"') {
    scan_string();
    return;
  } else {
    token_.kind = Token::Kind::punctuation;
    token_.symbol = c;
    ++position_;
  }
  token_.text = text_.substr(begin, position_ - begin);
}

void Lexer::scan_number() {
  const char* begin = text_.data() + position_;
  const char* end = text_.data() + text_.size();
  const char second = at(position_ + 1);
  const auto whole = [&](const char* first, int base, std::ptrdiff_t digits) {
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(first, end, value, base);
    if (error != std::errc() || (digits > 0 && stop - first != digits))
      fail("a number that is no number, or does not fit 64 bits");
    token_.bits = value;
    position_ = static_cast<std::size_t>(stop - text_.data());
  };
  token_.kind = Token::Kind::integer;
  if (begin[0] == '0' && (second == 'f' || second == 'F')) {
    token_.kind = Token::Kind::real;
    token_.float_bytes = 4;
    whole(begin + 2, 16, 8);
  } else if (begin[0] == '0' && (second == 'd' || second == 'D')) {
    token_.kind = Token::Kind::real;
    token_.float_bytes = 8;
    whole(begin + 2, 16, 16);
  } else if (begin[0] == '0' && (second == 'x' || second == 'X')) {
    whole(begin + 2, 16, 0);
  } else if (begin[0] == '0' && (second == 'b' || second == 'B')) {
    whole(begin + 2, 2, 0);
  } else if (begin[0] == '0' && is_digit(second)) {
    whole(begin + 1, 8, 0);
  } else {
    const char* digit = begin;
    while (digit < end && is_digit(*digit)) ++digit;
    if (digit < end && (*digit == '.' || *digit == 'e' || *digit == 'E')) {
      double value = 0;
      const auto [stop, error] = std::from_chars(begin, end, value);
      if (error != std::errc()) fail("a decimal fraction that does not fit a double");
      token_.kind = Token::Kind::real;
      token_.float_bytes = 8;
      token_.bits = std::bit_cast<std::uint64_t>(value);
      position_ = static_cast<std::size_t>(stop - text_.data());
      return;
    }
    whole(begin, 10, 0);
  }
  if (token_.kind == Token::Kind::integer && at(position_) == 'U') ++position_;
  if (continues_word(at(position_))) fail("a number runs into a word");
}

void Lexer::scan_string() {
  const std::size_t begin = ++position_;
  while (position_ < text_.size() && text_[position_] != '"') {
    if (text_[position_] == '\n') fail("a string that does not end on its line");
    position_ +=
        text_[position_] == '\\' && position_ + 1 < text_.size() && text_[position_ + 1] != '\n'
            ? 2
            : 1;
  }
  if (position_ >= text_.size()) fail("a string that does not end");
  token_.kind = Token::Kind::string;
  token_.text = text_.substr(begin, position_ - begin);
  ++position_;
}

}  // namespace gridstride::sim::ptx

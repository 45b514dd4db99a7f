// Cuts PTX text into tokens. Every read is inside the text, whatever the bytes are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/simulator/ptx/parser.h"

namespace gridstride::sim::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    word,         ///< identifier, register or special register: add, %r1, $L__BB0_1
    dotted,       ///< a word after a dot, without the dot: "global", "L2::128B"
    integer,      ///< `bits`
    real,         ///< `bits` holds a float (`float_bytes` 4) or a double (8)
    string,       ///< text between quotes, escapes as written
    punctuation,  ///< one character, `symbol`
  };
  Kind kind = Kind::end;
  char symbol = 0;
  std::uint8_t float_bytes = 0;
  std::uint32_t line = 1;
  std::string_view text;
  std::uint64_t bits = 0;

  bool is(char c) const { return kind == Kind::punctuation && symbol == c; }
  bool is_word() const { return kind == Kind::word; }
  bool is_dotted() const { return kind == Kind::dotted; }
  bool is_dotted(std::string_view name) const { return kind == Kind::dotted && text == name; }
};

/// One token of look-ahead over a text that must outlive the lexer and its tokens.
class Lexer {
 public:
  explicit Lexer(std::string_view text);

  const Token& peek() const { return token_; }
  /// Returns the current token and moves on.
  Token take();
  /// Takes the current token if it is the character `c`.
  bool accept(char c);
  /// Takes the character `c`, or throws "expected 'c' …, found …".
  void expect(char c, const char* where);
  /// Takes a word; `what` says in the error what should have stood there.
  std::string_view expect_word(const char* what);
  /// Takes an integer (with optional sign), as 64 bits.
  std::uint64_t expect_integer(const char* what);

  /// The current token is `{`: passes over everything up to its `}` (debug sections) and returns it.
  std::string_view take_block();

  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_expected(const std::string& what) const;

 private:
  void advance();
  void skip_blank();
  void scan_number();
  void scan_string();
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
  Token token_;
};

}  // namespace gridstride::sim::ptx

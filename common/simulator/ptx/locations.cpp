// See locations.h.
#include "common/simulator/ptx/locations.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace gridstride::sim::ptx {

namespace {

constexpr std::uint64_t column_bits = 16, line_bits = 28;  // the remaining 20 bits hold the file

/// Places beyond these limits share a key, which costs exact lines, not safety.
std::uint64_t key_of(std::uint64_t file, std::uint64_t line, std::uint64_t column) {
  return file << (column_bits + line_bits) | (line & ((1u << line_bits) - 1)) << column_bits |
         (column & ((1u << column_bits) - 1));
}

}  // namespace

void Locations::start_function() {
  current_ = {};
  outermost_.clear();
  calls_.clear();
}

void Locations::parse(Lexer& lexer) {
  const auto number = [&](const char* what) { return lexer.expect_integer(what); };
  const std::uint64_t file = number("a file number after .loc");
  const std::uint64_t line = number("a line number in .loc");
  const std::uint64_t column = number("a column in .loc");
  const Place here{static_cast<std::uint32_t>(file), static_cast<std::uint32_t>(line),
                   static_cast<std::uint32_t>(line), 0, 0};
  Place outer = here;
  while (lexer.accept(',')) {
    const std::string_view attribute = lexer.expect_word("function_name or inlined_at in .loc");
    if (attribute == "function_name") {
      lexer.expect_word("a label after function_name");
      if (lexer.accept('+')) number("an offset after function_name");
    } else if (attribute == "inlined_at") {
      const std::uint64_t at_file = number("a file number after inlined_at");
      const std::uint64_t at_line = number("a line number after inlined_at");
      const std::uint64_t at_column = number("a column after inlined_at");
      const Place at{static_cast<std::uint32_t>(at_file), static_cast<std::uint32_t>(at_line),
                     static_cast<std::uint32_t>(at_line), 0, 0};
      Place& caller = outermost_.try_emplace(key_of(at_file, at_line, at_column), at).first->second;
      if (caller.as_call == 0) {
        calls_.push_back({at.file, at.line, caller.call});
        caller.as_call = static_cast<std::uint32_t>(calls_.size());
      }
      outer = caller;
      outer.call = std::exchange(outer.as_call, 0);
      if (here.file == outer.file) outer.own_line = here.line;
    } else {
      lexer.fail("unknown attribute '" + std::string(attribute) + "' of .loc");
    }
  }
  if (line == 0) return;  // code that stands in no line: it belongs to what was there before
  outermost_[key_of(file, line, column)] = outer;
  current_ = {outer.file, outer.line, here.file, here.line, outer.own_line, outer.call};
  if (here.file == outer.file && here.line == outer.line)
    current_.inner_file = current_.inner_line = current_.call = 0;
}

}  // namespace gridstride::sim::ptx

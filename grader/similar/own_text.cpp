// The two texts as tokens, one a line, and diff says which of them are new.
#include "grader/similar/own_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "common/source_text.h"
#include "common/subprocess.h"

namespace gridstride {
namespace {

using Tokens = std::vector<SourceToken>;

bool is_name(const std::string& token) {
  const auto first = static_cast<unsigned char>(token.front());
  return std::isalpha(first) || first == '_' || first >= 128;
}

std::set<std::string> names_in(const Tokens& tokens) {
  std::set<std::string> names;
  for (const SourceToken& token : tokens)
    if (is_name(token.text)) names.insert(token.text);
  return names;
}

/// One token a line. A name that the other text lacks may stand for any other such name.
std::string as_lines(const Tokens& tokens, const std::set<std::string>& names_of_other) {
  std::string lines;
  for (const SourceToken& token : tokens) {
    std::string word = token.text;
    if (is_name(word) && !names_of_other.contains(word)) word = "?";
    std::ranges::replace(word, '\n', ' ');  // in a raw literal
    lines += word + "\n";
  }
  return lines;
}

/// The places of the tokens of `text` that `skeleton` lacks.
std::vector<std::size_t> new_tokens(const Tokens& skeleton, const Tokens& text) {
  const TemporaryFolder scratch;
  write_file(scratch.path() / "skeleton", as_lines(skeleton, names_in(text)));
  write_file(scratch.path() / "text", as_lines(text, names_in(skeleton)));
  std::vector<std::size_t> places;
  Subprocess diff;
  diff.command = {"diff",
                  "--text",
                  "--minimal",
                  "--unchanged-line-format=",
                  "--old-line-format=",
                  "--new-line-format=%dn\n",
                  (scratch.path() / "skeleton").string(),
                  (scratch.path() / "text").string()};
  diff.on_line = [&places](std::string_view line) {
    std::size_t number = 0;
    std::from_chars(line.data(), line.data() + line.size(), number);
    places.push_back(number - 1);
  };
  if (find_program("diff").empty() || run_process(diff).exit_code > 1)
    throw std::runtime_error("Texts cannot be compared without diff. Repair: install diffutils.");
  return places;
}

/// What the compiler takes for the same kind of thing, in characters that harm nobody.
std::string plain(const std::string& token) {
  constexpr std::size_t most = 60;
  if (token.front() == '"') return "\"\"";
  if (token.front() == '\'') return "'x'";
  std::string text = token.substr(0, most);
  for (char& c : text)
    if (static_cast<unsigned char>(c) >= 127 || static_cast<unsigned char>(c) < 32) c = 'x';
  return text;
}

}  // namespace

OwnText own_text(const std::string& skeleton, const std::string& handed_in) {
  const Tokens tokens = tokens_of(handed_in);
  OwnText own;
  std::size_t line = 1;
  for (const std::size_t place : new_tokens(tokens_of(skeleton), tokens)) {
    const SourceToken& token = tokens.at(place);
    for (; line < token.line; ++line) own.text += '\n';
    own.text += plain(token.text) + " ";
    ++own.tokens;
  }
  own.text += '\n';
  return own;
}

}  // namespace gridstride

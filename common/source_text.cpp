// A scanner for comments, literals and include directives.
#include "common/source_text.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride {
namespace {

/// How many TODOs are looked at: no skeleton has as many, and each look takes a walk through the text.
constexpr std::size_t most_todos = 100;

/// Joins lines that end in a backslash; as many line feeds follow the joined line.
std::string with_lines_joined(const std::string& source) {
  std::string joined;
  std::size_t owed = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') continue;
    if (source[i] == '\\') {
      std::size_t next = i + 1;
      while (next < source.size() &&
             (source[next] == ' ' || source[next] == '\t' || source[next] == '\r'))
        ++next;
      if (next < source.size() && source[next] == '\n') {
        ++owed;
        i = next;
        continue;
      }
    }
    joined += source[i];
    if (source[i] == '\n') {
      joined.append(owed, '\n');
      owed = 0;
    }
  }
  return joined;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

/// What follows `#include` on this line, or nothing. `%:` is another spelling of #.
std::optional<std::string_view> included(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with("#")) {
    line.remove_prefix(1);
  } else if (line.starts_with("%:")) {
    line.remove_prefix(2);
  } else {
    return std::nullopt;
  }
  line = trimmed(line);
  for (const std::string_view word : {"include_next", "include", "import"}) {
    if (line.starts_with(word)) return trimmed(line.substr(word.size()));
  }
  return std::nullopt;
}

/// A ' after a number's digits separates them; any other begins a character literal.
bool separates_digits(const std::string& text, std::size_t quote) {
  std::size_t begin = quote;
  while (begin > 0) {
    const char c = text[begin - 1];
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '\'' && c != '.') break;
    --begin;
  }
  return begin < quote && std::isdigit(static_cast<unsigned char>(text[begin]));
}

/// The position after a literal that begins at the quote `begin`. An unfinished one ends with its
/// line, as compilers see it.
std::size_t after_literal(const std::string& text, std::size_t begin) {
  if (text[begin] == '"' && begin > 0 && text[begin - 1] == 'R') {
    const std::size_t open = text.find('(', begin);
    if (open == std::string::npos) return text.size();
    const std::string close = ")" + text.substr(begin + 1, open - begin - 1) + "\"";
    const std::size_t end = text.find(close, open);
    return end == std::string::npos ? text.size() : end + close.size();
  }
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\n' || text[i] == text[begin]) return i + 1;
    if (text[i] == '\\') ++i;
  }
  return text.size();
}

/// Blanks comments. Literals stay, but what looks like a comment inside one is none.
std::string without_comments(const std::string& text) {
  std::string result = text;
  const auto blank = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (result[i] != '\n') result[i] = ' ';
    }
    return end;
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "//") == 0) {
      i = blank(i, std::min(text.find('\n', i), text.size()));
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      i = blank(i, end == std::string::npos ? text.size() : end + 2);
    } else if (text[i] == '"' || (text[i] == '\'' && !separates_digits(text, i))) {
      i = after_literal(text, i);
    } else {
      ++i;
    }
  }
  return result;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c < 0; }

/// The position after the token that begins at `begin`, which is not white space.
std::size_t after_token(const std::string& text, std::size_t begin) {
  if (text[begin] == '"' || text[begin] == '\'') return after_literal(text, begin);
  const auto at = [&text](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  const auto is_digit = [&at](std::size_t i) { return at(i) >= '0' && at(i) <= '9'; };
  const bool number = is_digit(begin) || (at(begin) == '.' && is_digit(begin + 1));
  if (!number && !is_word(at(begin))) return begin + 1;
  std::size_t end = begin + 1;
  while (is_word(at(end)) ||
         (number && (at(end) == '.' || (at(end) == '\'' && is_word(at(end + 1))) ||
                     ((at(end) == '-' || at(end) == '+') && (at(end - 1) | 32) == 'e'))))
    ++end;
  return end;
}

}  // namespace

bool has_todo(const std::string& source) { return source.find("TODO") != std::string::npos; }

std::optional<Todo> first_todo(const std::string& source) {
  const std::string code = without_comments(source);
  std::optional<Todo> first;
  std::size_t line_number = 0, looked_at = 0;
  for (std::size_t begin = 0; begin < source.size() && looked_at < most_todos;) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    const std::string_view line = std::string_view(source).substr(begin, end - begin);
    ++line_number;
    if (const std::size_t at = line.find("TODO"); at != std::string_view::npos) {
      ++looked_at;
      const Todo todo{line_number, at + 1, std::string(trimmed(line.substr(at)))};
      if (!first) first = todo;
      const std::string label = todo.text.substr(0, todo.text.find(':'));  // "TODO(1)"
      const std::size_t close = source.find(label + " end", end);
      const bool open = label.size() < todo.text.size() && close != std::string::npos &&
                        trimmed(std::string_view(code).substr(end, close - end)).empty();
      if (open) return todo;
    }
    begin = end + 1;
  }
  return first;
}

std::vector<IncludeDirective> include_directives(const std::string& source) {
  const std::string text = without_comments(with_lines_joined(source));
  std::vector<IncludeDirective> directives;
  std::size_t line_number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    ++line_number;
    const auto what = included(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    if (!what || !(what->starts_with('<') || what->starts_with('"'))) continue;
    const std::size_t last = what->find(what->starts_with('<') ? '>' : '"', 1);
    if (last != std::string_view::npos)
      directives.push_back({line_number, std::string(what->substr(1, last - 1))});
  }
  return directives;
}

std::vector<SourceToken> tokens_of(const std::string& source) {
  const std::string text = without_comments(with_lines_joined(source));
  std::vector<SourceToken> tokens;
  std::size_t line = 1;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i]))) {
      line += text[i++] == '\n' ? 1 : 0;
      continue;
    }
    const std::size_t end = std::min(after_token(text, i), text.size());
    tokens.push_back({text.substr(i, end - i), line});
    line += static_cast<std::size_t>(std::count(&text[i], &text[i] + (end - i), '\n'));
    i = end;
  }
  return tokens;
}

}  // namespace gridstride

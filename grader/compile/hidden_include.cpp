// Lines are joined at backslashes first, as every compiler does.
#include "grader/compile/hidden_include.h"

#include <cctype>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "common/files.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20;  // more than the compiler may write

bool is_blank(char c) {
  return c == '\0' || (c != '\n' && std::isspace(static_cast<unsigned char>(c)) != 0);
}

/// `at` and behind all that compilers pass over inside a line: blanks, and joined lines.
std::size_t after_blanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (is_blank(text[at])) {
      ++at;
    } else if (text[at] == '\\') {
      std::size_t end = at + 1;
      while (end < text.size() && is_blank(text[end])) ++end;
      if (end == text.size() || text[end] != '\n') return at;
      at = end + 1;
    } else {
      return at;
    }
  }
  return at;
}

/// Whether `word` stands at `at`, perhaps over several joined lines.
bool has_word(std::string_view text, std::size_t at, std::string_view word) {
  for (const char c : word) {
    while (at < text.size() && text[at] == '\\') {
      const std::size_t next = after_blanks(text, at);
      if (next == at) return false;
      at = next;
    }
    if (at >= text.size() || text[at] != c) return false;
    ++at;
  }
  return true;
}

bool is_include(std::string_view text, std::size_t line) {
  std::size_t at = after_blanks(text, line);
  if (text.substr(at, 1) == "#") {
    ++at;
  } else if (text.substr(at, 2) == "%:") {
    at += 2;
  } else {
    return false;
  }
  at = after_blanks(text, at);
  return has_word(text, at, "include") || has_word(text, at, "import") ||
         has_word(text, at, "embed");
}

}  // namespace

std::optional<std::string> include_left_in(std::string_view preprocessed) {
  for (std::size_t line = 0; line < preprocessed.size();) {
    std::size_t end = preprocessed.find('\n', line);
    if (end == std::string_view::npos) end = preprocessed.size();
    if (is_include(preprocessed, line)) return std::string(preprocessed.substr(line, end - line));
    line = end + 1;
  }
  return std::nullopt;
}

std::optional<std::string> hidden_include(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".ii") continue;
    if (auto found = include_left_in(read_file(entry.path(), most_bytes))) return found;
  }
  return std::nullopt;
}

}  // namespace gridstride

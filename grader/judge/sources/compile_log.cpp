// Finds the first error in a compiler's log.
#include "grader/judge/sources/compile_log.h"

#include <fmt/core.h>

#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

constexpr std::size_t most_lines = 15;
constexpr std::size_t most_columns = 160;

bool is_error(const std::string& line) {
  for (const char* mark : {": error", "): error", " error:", "fatal error", "undefined reference",
                           "multiple definition", "catastrophic error", "ptxas error"}) {
    if (line.find(mark) != std::string::npos) return true;
  }
  return false;
}

bool starts_another(const std::string& line) {
  return is_error(line) || line.find(": warning") != std::string::npos ||
         line.find("): warning") != std::string::npos ||
         line.find(" errors detected in ") != std::string::npos ||
         line.find(" error detected in ") != std::string::npos || line.starts_with("FAILED:") ||
         line.starts_with("ninja:");
}

/// A line of source under an error: gcc's has its number and a bar before it, cudafe's a caret below it.
bool is_source(const std::string& line, const std::string& below) {
  const std::size_t number = line.find_first_not_of(' ');
  if (number == std::string::npos) return false;
  const std::size_t behind = line.find_first_not_of("0123456789", number);
  if (behind != number && behind != std::string::npos &&
      line.compare(behind, std::string_view(" | ").size(), " | ") == 0)
    return true;
  const std::size_t caret = below.find_first_not_of(' ');
  return number > 0 && caret != std::string::npos && below[caret] == '^' &&
         below.find_first_not_of(' ', caret + 1) == std::string::npos;
}

/// Absolute paths tell where a grader keeps its files, and make lines long. One that was not found is what
/// the source asked for, and stays.
std::string with_short_paths(const std::string& line, const std::filesystem::path& tree) {
  const std::string home = tree.string() + "/";
  const bool not_found = line.find("No such file or directory") != std::string::npos ||
                         line.find("cannot open source file") != std::string::npos;
  std::string result;
  for (std::size_t i = 0; i < line.size();) {
    const bool path_begins =
        line[i] == '/' &&
        (i == 0 || std::string_view(" \t\"'`(<:=@,").find(line[i - 1]) != std::string_view::npos);
    if (!path_begins) {
      result += line[i++];
      continue;
    }
    std::size_t end = line.find_first_of(" \t\"'`()<>:,;", i);
    if (end == std::string::npos) end = line.size();
    const std::string path = line.substr(i, end - i);
    if (path.starts_with(home)) {
      result += path.substr(home.size());
    } else if (path.find('/', 1) != std::string::npos && (i == 0 || !not_found)) {
      result += std::filesystem::path(path).filename().string();
    } else {
      result += path;  // a lone slash, an operator
    }
    i = end;
  }
  return result;
}

/// nvcc shows a line of source with `__attribute__((device))` where it has `__device__`, and the caret below
/// goes by that: as it was written.
void spell_as_written(std::vector<std::string>& lines) {
  constexpr std::string_view before = "__attribute__((", behind = "))", underscores = "__";
  constexpr std::size_t shorter = before.size() + behind.size() - 2 * underscores.size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t caret =
        i + 1 < lines.size() ? lines[i + 1].find_first_not_of(' ') : std::string::npos;
    const bool has_caret = caret != std::string::npos && lines[i + 1][caret] == '^';
    std::size_t column = has_caret ? caret : 0;
    for (const std::string_view word :
         {"device", "global", "shared", "constant", "host", "managed"}) {
      const std::string expanded = std::string(before).append(word).append(behind);
      const std::string written = std::string(underscores).append(word).append(underscores);
      for (std::size_t at = 0; (at = lines[i].find(expanded, at)) != std::string::npos;
           at += written.size()) {
        lines[i].replace(at, expanded.size(), written);
        if (column >= at + expanded.size()) column -= shorter;
      }
    }
    if (has_caret) lines[i + 1].erase(0, caret - column);
  }
}

}  // namespace

std::string first_error(const std::string& log, const std::filesystem::path& tree) {
  std::vector<std::string> lines;
  std::istringstream stream(clean_text(log));
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_source(lines[i], i + 1 < lines.size() ? lines[i + 1] : ""))
      lines[i] = with_short_paths(lines[i], tree);
  }
  spell_as_written(lines);
  std::size_t begin = 0, errors = 0;
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (is_error(lines[i])) begin = i, ++errors;
  }
  if (errors == 0) begin = lines.size() > most_lines ? lines.size() - most_lines : 0;
  std::string text;
  for (std::size_t i = begin; i < lines.size() && i < begin + most_lines; ++i) {
    if (i != begin && errors != 0 && starts_another(lines[i])) break;
    if (lines[i].find_first_not_of(" \t") == std::string::npos) continue;
    if (!text.empty()) text += "\n";
    text += shorten(lines[i], most_columns);
  }
  text = quoted_lines(text);
  if (errors > 1)
    text += fmt::format("\n({} more {})", errors - 1, errors == 2 ? "error" : "errors");
  return text;
}

}  // namespace gridstride

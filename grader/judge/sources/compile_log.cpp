// Finds the first error in a compiler's log.
#include "grader/judge/sources/compile_log.h"

#include <fmt/core.h>

#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
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

/// Absolute paths tell where a grader keeps its files, and make lines long.
std::string with_short_paths(const std::string& line, const std::filesystem::path& tree) {
  const std::string home = tree.string() + "/";
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
    } else if (path.find('/', 1) != std::string::npos) {
      result += std::filesystem::path(path).filename().string();
    } else {
      result += path;  // a lone slash, an operator
    }
    i = end;
  }
  return result;
}

}  // namespace

std::string first_error(const std::string& log, const std::filesystem::path& tree) {
  std::vector<std::string> lines;
  std::istringstream stream(clean_text(log));
  for (std::string line; std::getline(stream, line);) lines.push_back(with_short_paths(line, tree));
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

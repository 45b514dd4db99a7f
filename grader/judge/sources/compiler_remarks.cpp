// Two forms of lines: nvcc's "x.cu(21): error: …", and gcc's "x.cu:21:5: error: …".
#include "grader/judge/sources/compiler_remarks.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/text.h"

namespace gridstride {
namespace {

constexpr std::ptrdiff_t most_of_a_kind = 20;
constexpr std::size_t most_remark_columns = 300;
/// What nvcc prints before a source line.
constexpr std::size_t nvcc_indent = 2;

/// The number that `text` begins with, which is taken off; nothing where there is none, or 0.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number <= 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

struct Place {
  std::string_view path;
  int line = 0, column = 0;
  std::string_view rest;  ///< what is said of it
};

/// "x.cu(21): …"
std::optional<Place> place_of_nvcc(std::string_view line) {
  const std::size_t close = line.find("): ");
  const std::size_t open = line.substr(0, close).rfind('(');
  if (close == std::string_view::npos || open == std::string_view::npos) return std::nullopt;
  std::string_view digits = line.substr(open + 1, close - open - 1);
  const auto number = take_number(digits);
  if (!number || !digits.empty()) return std::nullopt;
  return Place{line.substr(0, open), *number, 0, line.substr(close + 3)};
}

/// "x.cu:21:5: …", or without the column.
std::optional<Place> place_of_gcc(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(colon + 1);
  const auto number = take_number(rest);
  if (!number || !take(rest, ":")) return std::nullopt;
  int column = 0;
  if (std::string_view after = rest; const auto found = take_number(after)) {
    if (!take(after, ":")) return std::nullopt;
    column = *found;
    rest = after;
  }
  if (!take(rest, " ")) return std::nullopt;
  return Place{line.substr(0, colon), *number, column, rest};
}

std::optional<Remark> remark_of(std::string_view line) {
  auto place = place_of_nvcc(line);
  if (!place) place = place_of_gcc(line);
  if (!place) return std::nullopt;
  Remark remark;
  std::string_view said = place->rest;
  if (take(said, "error") || take(said, "fatal error") || take(said, "catastrophic error")) {
    remark.kind = Remark::Kind::error;
  } else if (take(said, "warning")) {
    remark.kind = Remark::Kind::warning;
  } else {
    return std::nullopt;
  }
  const std::size_t begin = said.find(": ");  // behind "#177-D"
  if (begin == std::string_view::npos) return std::nullopt;
  remark.file = std::filesystem::path(place->path).filename().string();
  remark.line = place->line;
  remark.column = place->column;
  remark.text = shorten(said.substr(begin + 2), most_remark_columns);
  return remark;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Where nvcc's caret below the line `printed` points to in the line `written`; 0 where it printed
/// something else, such as what a macro stands for.
int column_of(const std::string& printed, const std::string& caret, std::string written) {
  std::ranges::replace(written, '\t', ' ');
  while (!written.empty() && (written.back() == ' ' || written.back() == '\r')) written.pop_back();
  const std::size_t at = caret.find_first_not_of(' ');
  const bool points = at != std::string::npos && at >= nvcc_indent && caret[at] == '^';
  if (!points || printed != std::string(nvcc_indent, ' ') + written) return 0;
  return static_cast<int>(at - nvcc_indent) + 1;
}

}  // namespace

std::vector<Remark> compiler_remarks(const std::string& log, const std::string& name,
                                     const std::string& source) {
  const std::vector<std::string> lines = lines_of(clean_text(log));
  const std::vector<std::string> written = lines_of(clean_text(source));
  std::vector<Remark> remarks;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto remark = remark_of(lines[i]);
    if (!remark) continue;
    const auto index = static_cast<std::size_t>(remark->line) - 1;
    if (remark->column == 0 && remark->file == name && index < written.size() &&
        i + 2 < lines.size())
      remark->column = column_of(lines[i + 1], lines[i + 2], written[index]);
    // nvcc compiles a text for the host and for the device, and says most things twice.
    const bool known = std::ranges::any_of(remarks, [&](const Remark& other) {
      return other.kind == remark->kind && other.file == remark->file &&
             other.line == remark->line && other.text == remark->text;
    });
    if (!known && std::ranges::count(remarks, remark->kind, &Remark::kind) < most_of_a_kind)
      remarks.push_back(*std::move(remark));
  }
  return remarks;
}

}  // namespace gridstride

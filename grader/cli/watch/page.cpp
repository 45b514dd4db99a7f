// Draws over the old page line by line, so that nothing flickers.
#include "grader/cli/watch/page.h"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace gridstride::cli {
namespace {

constexpr const char* wrap_off = "\x1b[?7l";
constexpr const char* wrap_on = "\x1b[?7h";
constexpr const char* home = "\x1b[H";
/// Before the text: behind it the last column of a full line would go.
constexpr const char* clear_line = "\x1b[K";

std::size_t last_first(const Page& page, TerminalSize size) {
  const std::size_t all = folded(page.body, size.columns).size(), rows = body_rows(page, size);
  return all > rows ? all - rows : 0;
}

/// Bytes of the escape sequence or character that begins at `at`.
std::size_t length_at(const std::string& text, std::size_t at) {
  std::size_t end = at + 1;
  if (text[at] == '\x1b') {
    while (end < text.size() && !(text[end] >= '@' && text[end] <= '~' && text[end] != '[')) ++end;
    return std::min(end + 1, text.size()) - at;
  }
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
  return end - at;
}

}  // namespace

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> folded(const std::vector<std::string>& lines, std::size_t columns) {
  std::vector<std::string> rows;
  for (const std::string& line : lines) {
    std::string row;
    std::size_t width = 0;
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t length = length_at(line, at);
      const bool visible = line[at] != '\x1b';
      if (visible && width == columns) {
        rows.push_back(std::exchange(row, ""));
        width = 0;
      }
      row += line.substr(at, length);
      width += visible ? 1 : 0;
      at += length;
    }
    rows.push_back(row);
  }
  return rows;
}

std::size_t body_rows(const Page& page, TerminalSize size) {
  const std::size_t others = page.head.size() + page.keys.size() + 2;  // and a line between them
  return size.rows > others + 1 ? size.rows - others : 1;
}

void scroll(Page& page, long lines, TerminalSize size) {
  const long first = static_cast<long>(page.first) + lines;
  page.first = std::min(static_cast<std::size_t>(std::max(first, 0L)), last_first(page, size));
}

std::string drawn(const Page& page, TerminalSize size, const TextStyle& style) {
  const std::vector<std::string> body = folded(page.body, size.columns);
  const std::size_t rows = body_rows(page, size);
  const std::size_t first = std::min(page.first, last_first(page, size));
  const std::size_t last = std::min(first + rows, body.size());
  std::string out = std::string(wrap_off) + home;
  std::size_t row = 0;
  const auto line = [&](const std::string& text) {
    if (row == size.rows) return;
    out += std::string(row == 0 ? "" : "\r\n") + clear_line + text;
    ++row;
  };
  for (const std::string& text : page.head) line(text);
  line("");
  for (std::size_t i = first; i < last; ++i) line(body[i]);
  while (row + page.keys.size() + 1 < size.rows) line("");
  const bool all = body.size() <= rows;
  line(all ? ""
           : style.dim("lines " + std::to_string(first + 1) + " to " + std::to_string(last) +
                       " of " + std::to_string(body.size()) + ": arrows, space"));
  for (const std::string& text : page.keys) line(text);
  return out + wrap_on;
}

}  // namespace gridstride::cli

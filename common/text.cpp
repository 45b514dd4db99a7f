// utfcpp says what is valid UTF-8; what of it may be shown is decided here, for every report.
#include "common/text.h"

#include <utf8.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gridstride {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct Decoded {
  char32_t code_point = 0;
  std::size_t length = 0;  ///< bytes; 0 when they are not valid UTF-8
};

/// The code point that `text`, which is not empty, starts with.
Decoded decode(std::string_view text) {
  const std::string_view longest = text.substr(0, 4);
  const auto begin = longest.begin();
  // Not utf8::next: it throws, and a log may be all invalid bytes.
  if (utf8::find_invalid(begin, longest.end()) == begin) return {};
  auto end = begin;
  const char32_t code_point = utf8::unchecked::next(end);
  return {code_point, static_cast<std::size_t>(end - begin)};
}

/// Length of the terminal escape sequence that `text` starts with (ESC first); at least 1.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return 1;
  if (text[1] == '[') {  // CSI: parameters, then one final byte
    std::size_t i = 2;
    while (i < text.size() && text[i] >= 0x20 && text[i] < 0x40) ++i;
    return i < text.size() && text[i] >= 0x40 && text[i] < 0x7F ? i + 1 : i;
  }
  if (text[1] == ']') {  // OSC: to BEL or ESC backslash; a title, so one line at most
    for (std::size_t i = 2; i < text.size() && text[i] != '\n'; ++i) {
      if (text[i] == '\a') return i + 1;
      if (text[i] == '\x1b') return i + (i + 1 < text.size() && text[i + 1] == '\\' ? 2 : 0);
    }
    return 2;
  }
  return text[1] >= 0x30 && text[1] < 0x7F ? 2 : 1;
}

bool is_unsafe(char32_t c) {
  const bool control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0);
  const bool reorders = c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
                        (c >= 0x2066 && c <= 0x2069);
  const bool never_text = c == 0xFEFF || (c & 0xFFFE) == 0xFFFE || c == 0x2028 || c == 0x2029;
  return control || reorders || never_text;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, diagonal + 1, substitute});
    }
  }
  return row.back();
}

std::string lowercase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

void wrap_line(std::string_view line, std::size_t width, std::vector<std::string>& lines) {
  std::string current;
  while (!line.empty()) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    if (!current.empty() && display_width(current) + 1 + display_width(word) > width) {
      lines.push_back(std::move(current));
      current.clear();
    }
    if (!current.empty()) current += ' ';
    current += word;
    line.remove_prefix(end);
  }
  lines.push_back(std::move(current));
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    if (text[0] == '\x1b') {
      text.remove_prefix(escape_length(text));
      continue;
    }
    if (text.substr(0, 2) == "\r\n") {
      text.remove_prefix(1);
      continue;
    }
    const Decoded next = decode(text);
    if (next.length == 0 || is_unsafe(next.code_point)) {
      clean += replacement;
    } else {
      clean += text.substr(0, next.length);
    }
    text.remove_prefix(std::max<std::size_t>(next.length, 1));
  }
  return clean;
}

std::string escaped(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Decoded next = decode(text);
    const std::size_t length = std::max<std::size_t>(next.length, 1);
    if (text[0] == '\n') {
      shown += "\\n";
    } else if (text[0] == '\\') {
      shown += "\\\\";
    } else if (next.length == 0 || text[0] == '\t' || is_unsafe(next.code_point)) {
      for (const char byte : text.substr(0, length)) {
        constexpr char digits[] = "0123456789abcdef";
        const auto value = static_cast<unsigned char>(byte);
        shown += {'\\', 'x', digits[value >> 4], digits[value & 15]};
      }
    } else {
      shown += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return shown;
}

std::string in_quotes(std::string_view text, std::size_t width) {
  std::string words;
  for (const char c : escaped(text)) {
    if (c == '"') words += '\\';
    words += c;
  }
  return "\"" + shorten(words, width) + "\"";
}

std::string quoted_lines(std::string_view text) {
  const std::string clean = clean_text(text);
  std::string lines = "  | ";
  for (const char c : std::string_view(clean).substr(0, clean.find_last_not_of(" \t\n") + 1)) {
    lines += c;
    if (c == '\n') lines += "  | ";
  }
  return lines;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string shorten(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::string cut;
  for (std::size_t taken = 0; taken + 1 < width; ++taken) {
    const std::size_t length = std::max<std::size_t>(decode(text).length, 1);
    cut += text.substr(0, length);
    text.remove_prefix(length);
  }
  return width == 0 ? cut : cut + "…";
}

std::string shorten_middle(std::string_view text, std::size_t bytes) {
  constexpr std::string_view gap = "…";
  if (text.size() <= bytes || bytes <= gap.size()) return std::string(text.substr(0, bytes));
  const std::size_t kept = bytes - gap.size(), head = kept / 3;
  std::string cut(text.substr(0, head));
  cut += gap;
  return cut.append(text.substr(text.size() - (kept - head)));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.empty() || line[0] == ' ' || line[0] == '\t' || display_width(line) <= width) {
      lines.emplace_back(line);
    } else {
      wrap_line(line, width, lines);
    }
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string wanted = lowercase(name);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    const std::string other = lowercase(candidate);
    std::size_t distance = edit_distance(wanted, other);
    // "sequential" or "3" for "3_sequential": a piece of the name is as good as one slip. So is a
    // name with something added, unless the name is so short that it stands in many words.
    const bool piece = !wanted.empty() && other.find(wanted) != std::string::npos;
    const bool extended = other.size() >= 3 && wanted.find(other) != std::string::npos;
    if (piece || extended) distance = std::min<std::size_t>(distance, 1);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::string plain_number(double number, int digits) {
  if (!std::isfinite(number)) return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
  char text[400];
  char* const end =
      std::to_chars(text, text + sizeof text, number, std::chars_format::fixed, digits).ptr;
  std::string plain(text, end);
  if (plain.find('.') != std::string::npos) {
    plain.erase(plain.find_last_not_of('0') + 1);
    if (plain.back() == '.') plain.pop_back();
  }
  return plain == "-0" ? "0" : plain;
}

}  // namespace gridstride

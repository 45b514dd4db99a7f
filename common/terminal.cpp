// Escape sequences of ECMA-48, which every terminal in use understands.
#include "common/terminal.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "common/text.h"

namespace gridstride {
namespace {

std::string paint(bool color, const char* code, std::string_view text) {
  if (!color || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

bool colors_are_forced() {
  const char* const force = std::getenv("CLICOLOR_FORCE");
  return force != nullptr && *force != '\0' && std::strcmp(force, "0") != 0;
}

std::size_t terminal_width(std::FILE* stream) {
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

std::string TextStyle::red(std::string_view text) const { return paint(color, "31", text); }
std::string TextStyle::green(std::string_view text) const { return paint(color, "32", text); }
std::string TextStyle::yellow(std::string_view text) const { return paint(color, "33", text); }
std::string TextStyle::magenta(std::string_view text) const { return paint(color, "35", text); }
std::string TextStyle::bold(std::string_view text) const { return paint(color, "1", text); }
std::string TextStyle::dim(std::string_view text) const { return paint(color, "2", text); }

bool is_terminal(std::FILE* stream) {
  const char* term = std::getenv("TERM");
  return ::isatty(::fileno(stream)) != 0 && term != nullptr && *term != '\0' &&
         std::strcmp(term, "dumb") != 0;
}

TextStyle style_of(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  TextStyle style;
  if (is_terminal(stream)) {
    style.color = no_color == nullptr || *no_color == '\0';
    style.width = terminal_width(stream);
  } else if (colors_are_forced()) {
    style.color = no_color == nullptr || *no_color == '\0';
    const char* const columns = std::getenv("COLUMNS");
    if (columns != nullptr && std::atoi(columns) > 0)
      style.width = static_cast<std::size_t>(std::atoi(columns));
  }
  return style;
}

int complain(const std::string& message, int exit_code) {
  std::fflush(stdout);
  const TextStyle style = style_of(stderr);
  for (const std::string& line : wrap("lab: " + clean_text(message), style.width))
    std::fprintf(stderr, "%s\n", style.red(line).c_str());
  return exit_code;
}

StatusLine::StatusLine(std::FILE* stream) : stream_(stream), live_(is_terminal(stream)) {}

StatusLine::~StatusLine() { clear(); }

void StatusLine::show(std::string_view text) {
  if (!live_) return;
  const std::size_t width = terminal_width(stream_);
  std::fprintf(stream_, "\r\x1b[K%s", shorten(text, width > 1 ? width - 1 : width).c_str());
  std::fflush(stream_);
  shown_ = true;
}

void StatusLine::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
  shown_ = false;
}

}  // namespace gridstride

// termios, and the escape sequences of xterm that tmux, screen and every terminal in use know.
#include "grader/cli/watch/terminal_mode.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace gridstride::cli {
namespace {

constexpr const char* enter_page = "\x1b[?1049h\x1b[?25l\x1b[H\x1b[2J";
constexpr const char* leave_page = "\x1b[?7h\x1b[?25h\x1b[?1049l";

}  // namespace

void TerminalMode::enter() {
  if (entered_) return;
  if (::tcgetattr(STDIN_FILENO, &before_) != 0)
    throw std::runtime_error(std::string("The terminal cannot be read: ") + std::strerror(errno));
  termios keys = before_;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  keys.c_cc[VMIN] = 1;
  keys.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSADRAIN, &keys) != 0)
    throw std::runtime_error(std::string("The terminal cannot be set: ") + std::strerror(errno));
  entered_ = true;
  std::fputs(enter_page, stdout);
  std::fflush(stdout);
}

void TerminalMode::leave() noexcept {
  if (!entered_) return;
  entered_ = false;
  std::fputs(leave_page, stdout);
  std::fflush(stdout);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

TerminalSize terminal_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
    return {};
  return {size.ws_row, size.ws_col};
}

}  // namespace gridstride::cli

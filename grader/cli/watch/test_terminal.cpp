// openpty, and as much of a terminal as the pages of `lab watch` need: each is drawn anew from its
// first line, between "no wrapping" and "wrapping".
#include "grader/cli/watch/test_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/text.h"

namespace gridstride::cli {
namespace {

constexpr std::chrono::seconds patience{20};  // for a busy machine
constexpr const char* page_begins = "\x1b[?7l\x1b[H";
constexpr const char* page_ends = "\x1b[?7h";

}  // namespace

TestTerminal::TestTerminal(const std::vector<std::string>& command, unsigned short columns,
                           unsigned short rows,
                           const std::map<std::string, std::string>& environment) {
  int master = -1, slave = -1;
  winsize size{};
  size.ws_col = columns;
  size.ws_row = rows;
  if (::openpty(&master, &slave, nullptr, nullptr, &size) != 0)
    throw std::runtime_error("no pseudo-terminal");
  master_.reset(master);
  slave_.reset(slave);
  ::fcntl(master, F_SETFD, FD_CLOEXEC);
  before_ = keys();
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::setsid();
    ::ioctl(slave, TIOCSCTTY, 0);
    for (const int fd : {0, 1, 2}) ::dup2(slave, fd);
    if (slave > 2) ::close(slave);
    ::setenv("TERM", "xterm", 1);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
}

TestTerminal::~TestTerminal() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

termios TestTerminal::keys() const {
  termios now{};
  ::tcgetattr(slave_.get(), &now);
  return now;
}

void TestTerminal::press(const std::string& keys) {
  if (::write(master_.get(), keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
    throw std::runtime_error("the keys could not be pressed");
}

void TestTerminal::resize(unsigned short columns, unsigned short rows) {
  winsize size{};
  size.ws_col = columns;
  size.ws_row = rows;
  ::ioctl(master_.get(), TIOCSWINSZ, &size);  // the kernel tells the program
}

bool TestTerminal::read_until(const std::function<bool()>& enough) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!enough()) {
    if (std::chrono::steady_clock::now() > end) return false;
    pollfd fd{master_.get(), POLLIN, 0};
    if (::poll(&fd, 1, 50) <= 0) continue;
    std::array<char, 4096> chunk;
    const ssize_t count = ::read(master_.get(), chunk.data(), chunk.size());
    if (count > 0) written_.append(chunk.data(), static_cast<std::size_t>(count));
  }
  return true;
}

bool TestTerminal::shows(const std::string& text) {
  return read_until([&] { return page().find(text) != std::string::npos; });
}

std::string TestTerminal::page() const {
  std::size_t begin = written_.rfind(page_begins);
  while (begin != std::string::npos) {
    const std::size_t end = written_.find(page_ends, begin);
    if (end != std::string::npos) {
      std::string page = written_.substr(begin, end - begin);
      std::erase(page, '\r');
      return clean_text(page);
    }
    begin = begin == 0 ? std::string::npos : written_.rfind(page_begins, begin - 1);
  }
  return "";
}

std::vector<std::string> TestTerminal::lines() const {
  std::vector<std::string> lines;
  std::istringstream stream(page());
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool TestTerminal::stops() {
  int status = 0;
  return read_until([&] { return ::waitpid(pid_, &status, WNOHANG | WUNTRACED) == pid_; }) &&
         WIFSTOPPED(status);
}

int TestTerminal::ended() {
  int status = 0;
  const bool over = read_until([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; });
  if (!over) return -1;
  pid_ = -1;
  std::array<char, 4096> chunk;  // its last words
  pollfd fd{master_.get(), POLLIN, 0};
  while (::poll(&fd, 1, 0) > 0) {
    const ssize_t count = ::read(master_.get(), chunk.data(), chunk.size());
    if (count <= 0) break;
    written_.append(chunk.data(), static_cast<std::size_t>(count));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace gridstride::cli

// Plain lines: what a terminal does with keys stays the terminal's. Ctrl-C gives a new prompt and ends nothing.
#include "grader/tools/debug/terminal.h"

#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "common/simulator/debugger/words.h"
#include "common/terminal.h"
#include "common/text.h"

namespace gridstride::cli {
namespace {

constexpr const char* prompt = "(lab) ";

void prompt_again(int) {
  constexpr char text[] = "\n(lab) ";
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, text, sizeof text - 1);
}

/// While lines are read.
class InterruptIsNoEnd {
 public:
  InterruptIsNoEnd() {
    struct sigaction action {};
    action.sa_handler = prompt_again;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &action, &before_);
  }
  ~InterruptIsNoEnd() { ::sigaction(SIGINT, &before_, nullptr); }
  InterruptIsNoEnd(const InterruptIsNoEnd&) = delete;
  InterruptIsNoEnd& operator=(const InterruptIsNoEnd&) = delete;

 private:
  struct sigaction before_ {};
};

/// Messages are broken at spaces; lines of the source, which have a tab, are as they are.
void show(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool fits = width == 0 || line.find('\t') != std::string::npos;
    for (const std::string& part : fits ? std::vector{line} : wrap(line, width))
      std::printf("%s\n", part.c_str());
  }
}

}  // namespace

void debug_in_terminal(sim::Debugger& debugger) {
  const bool asks = ::isatty(STDIN_FILENO) != 0;
  const TextStyle style = style_of(stdout);
  std::printf("\n%s\n`help` lists the words, `run` begins, Ctrl-D ends.\n",
              sim::heading_text(debugger.playback(), style.width).c_str());
  sim::Words words(debugger);
  std::printf("%s", words.place(true).c_str());
  const InterruptIsNoEnd guard;
  std::string line;
  for (;;) {
    if (asks) std::printf("%s", prompt);
    std::fflush(stdout);
    if (!std::getline(std::cin, line)) {
      if (asks) std::printf("\n");
      return;
    }
    const sim::Answer answer = words.say(line);
    show(answer.text, asks ? style.width : 0);
    if (answer.quit) return;
  }
}

}  // namespace gridstride::cli

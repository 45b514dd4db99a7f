// Plain lines: what a terminal does with keys stays the terminal's. Ctrl-C gives a new prompt and ends nothing.
#include "grader/cli/debug/terminal.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "common/simulator/debugger/words.h"
#include "common/terminal.h"

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
    std::printf("%s", answer.text.c_str());
    if (answer.quit) return;
  }
}

}  // namespace gridstride::cli

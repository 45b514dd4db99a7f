// See the header.
#include "common/remember_signals.h"

#include <signal.h>

#include <array>
#include <csignal>
#include <cstddef>

namespace gridstride {
namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t last_caught = 0;
std::array<struct sigaction, signals.size()> before;

void remember(int signal) { last_caught = signal; }

}  // namespace

RememberSignals::RememberSignals() {
  last_caught = 0;
  struct sigaction action {};
  action.sa_handler = remember;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &before[i]);
    if (signals[i] == SIGHUP && before[i].sa_handler == SIG_IGN) continue;
    ::sigaction(signals[i], &action, nullptr);
  }
}

RememberSignals::~RememberSignals() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before[i], nullptr);
}

int RememberSignals::caught() const { return last_caught; }

}  // namespace gridstride

// signalfd.
#include "grader/cli/watch/signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace gridstride::cli {

Signals::Signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH}) ::sigaddset(&set, signal);
  fd_.reset(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd_)
    throw std::runtime_error(std::string("Signals cannot be waited for: ") + std::strerror(errno));
  ::sigprocmask(SIG_BLOCK, &set, &before_);
}

Signals::~Signals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

int Signals::take() const {
  signalfd_siginfo info{};
  return ::read(fd_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                              : 0;
}

}  // namespace gridstride::cli

// Signals as something to wait for beside keys and files.
#pragma once

#include <signal.h>

#include "common/unique_fd.h"

namespace gridstride::cli {

/// Ctrl-C, Ctrl-Z, the terminal's end and its new size, SIGTERM. Blocked as long as this lives, so that
/// they come at one place of a loop and nowhere else.
class Signals {
 public:
  /// Throws std::runtime_error when there is no descriptor for it.
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Becomes readable when one has come.
  int fd() const { return fd_.get(); }
  /// The next one; 0 for none. Never blocks.
  int take() const;

 private:
  sigset_t before_{};
  UniqueFd fd_;
};

}  // namespace gridstride::cli

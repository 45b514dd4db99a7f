// A terminal that shows a page and takes single keys, and is given back as it was.
#pragma once

#include <termios.h>

#include <cstddef>

namespace gridstride::cli {

/// Standard input and output, which must be a terminal. From enter() to leave(), or to the end of the
/// object: the alternate screen, no cursor, keys without echo and without a line feed. Ctrl-C and
/// Ctrl-Z stay signals.
class TerminalMode {
 public:
  TerminalMode() = default;
  ~TerminalMode() { leave(); }
  TerminalMode(const TerminalMode&) = delete;
  TerminalMode& operator=(const TerminalMode&) = delete;

  /// Throws std::runtime_error when the terminal cannot be set.
  void enter();
  void leave() noexcept;

 private:
  termios before_{};
  bool entered_ = false;
};

struct TerminalSize {
  std::size_t rows = 24, columns = 80;
};
/// Of standard output.
TerminalSize terminal_size();

}  // namespace gridstride::cli

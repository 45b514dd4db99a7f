// For tests: a program on a terminal of its own, whose page can be read and whose keys can be pressed.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/unique_fd.h"

namespace gridstride::cli {

class TestTerminal {
 public:
  /// A pseudo-terminal, and `command` in it. `environment` is added to ours.
  TestTerminal(const std::vector<std::string>& command, unsigned short columns, unsigned short rows,
               const std::map<std::string, std::string>& environment = {});
  ~TestTerminal();  ///< kills the program if it still runs
  TestTerminal(const TestTerminal&) = delete;
  TestTerminal& operator=(const TestTerminal&) = delete;

  void press(const std::string& keys);
  /// Changes the size, as a window does that is dragged.
  void resize(unsigned short columns, unsigned short rows);
  /// Whether the last page that was drawn whole comes to contain `text`, within some seconds.
  bool shows(const std::string& text);
  /// That page's lines, without colours.
  std::vector<std::string> lines() const;
  std::string page() const;  ///< the same as one text
  /// Whether the program comes to be stopped, as by Ctrl-Z, within some seconds.
  bool stops();
  /// Waits for the program's end; its exit code, or 128 + signal.
  int ended();
  /// Everything that was written, byte for byte.
  const std::string& written() const { return written_; }
  pid_t pid() const { return pid_; }

  /// How keys are taken now, and how they were before the program began.
  termios keys() const;
  const termios& keys_before() const { return before_; }

 private:
  bool read_until(const std::function<bool()>& enough);

  UniqueFd master_, slave_;
  pid_t pid_ = -1;
  termios before_{};
  std::string written_;
};

}  // namespace gridstride::cli

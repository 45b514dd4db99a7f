// Runs trusted programs: the build, git, a lab's grader. Untrusted ones belong in grader/sandbox.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride {

/// The user pressed Ctrl-C, or somebody ended us with SIGTERM.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal);
  /// 130 for Ctrl-C, as shells expect.
  int exit_code() const { return 128 + signal_; }

 private:
  int signal_;
};

struct Subprocess {
  /// A path, or a name that is looked up in PATH, and the arguments.
  std::vector<std::string> command;
  /// Added to the inherited environment.
  std::map<std::string, std::string> environment;
  /// Called with each line of standard output, without its line feed; where it is empty the program
  /// shares ours.
  std::function<void(std::string_view)> on_line;
  /// Standard error goes where standard output goes.
  bool merge_errors = false;
  /// Standard error goes nowhere.
  bool hide_errors = false;
};

/// What became of it.
struct SubprocessResult {
  int exit_code = 0;  ///< 128 + signal when a signal ended it, as shells say
  bool succeeded() const { return exit_code == 0; }
};

/// Runs a program to its end. SIGINT and SIGTERM are passed on to it, and when it has ended the
/// call throws Interrupted. Throws std::runtime_error when the program cannot be started.
SubprocessResult run_process(const Subprocess& process);

/// Standard output of a program that succeeds; empty when it fails or is not there.
std::string output_of(const std::vector<std::string>& command);

/// The full path of a program in PATH, or empty.
std::filesystem::path find_program(const std::string& name);

}  // namespace gridstride

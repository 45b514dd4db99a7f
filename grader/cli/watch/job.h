// A command of this program that runs while keys are taken and files are watched.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/unique_fd.h"

namespace gridstride::cli {

/// Trusted; it is ended with this object. Reads nothing; what it writes is kept.
class Job {
 public:
  /// Throws std::runtime_error when it cannot be started.
  Job(const std::vector<std::string>& command,
      const std::map<std::string, std::string>& environment);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Of its standard output and standard error; each becomes readable when something was written
  /// there, or it has been closed. -1 once that has been taken.
  int output_fd() const { return output_fd_.get(); }
  int errors_fd() const { return errors_fd_.get(); }
  /// Takes what it has written; true when it has ended.
  bool take();
  const std::string& output() const { return output_; }
  const std::string& errors() const { return errors_; }
  /// Once take() has returned true; 128 + signal when a signal ended it.
  int exit_code() const { return exit_code_; }

 private:
  void reap(bool forced);

  pid_t pid_ = -1;
  UniqueFd output_fd_, errors_fd_;
  std::string output_, errors_;
  int exit_code_ = 0;
};

}  // namespace gridstride::cli

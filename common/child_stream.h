// A program that is started to talk to: its standard input and output are one socket.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/unique_fd.h"

namespace gridstride {

class ChildStream {
 public:
  /// Starts `words`, a program and its arguments. Throws std::runtime_error when it cannot be run.
  explicit ChildStream(std::vector<std::string> words);
  /// Closes our end, so that it ends by itself, asks it to end, and waits for that.
  ~ChildStream();
  ChildStream(const ChildStream&) = delete;
  ChildStream& operator=(const ChildStream&) = delete;

  /// Our end. Whoever moves it away closes it before this is gone.
  UniqueFd& socket() { return socket_; }

 private:
  UniqueFd socket_;
  pid_t pid_ = -1;
};

}  // namespace gridstride

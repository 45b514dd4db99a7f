// What kernels print: the driver writes it to the standard output of its process, and the assertions
// that fail to its standard error.
#pragma once

#include <cstdint>
#include <string>

#include "common/unique_fd.h"

namespace gridstride::sim {

/// Takes over one of the process's standard streams, until it is destroyed.
/// A driver's words about assertions that failed, each line shorter: of the file its name, and not the
/// whole declaration of the kernel, which leaves no room for what was asserted.
///
///     /home/me/x.cu:9: void k(const float *): block: [0,0,0], thread: [3,0,0] Assertion `a < 1` failed.
///     x.cu:9: block [0,0,0], thread [3,0,0]: the assertion `a < 1` fails
std::string shorter_assertions(const std::string& text);

class PrintedText {
 public:
  /// No more than this is kept of what is printed between two calls of take().
  static constexpr std::uint64_t most_bytes = std::uint64_t{32} << 20;

  /// `stream` is STDOUT_FILENO or STDERR_FILENO. Throws std::system_error.
  explicit PrintedText(int stream);
  ~PrintedText();
  PrintedText(const PrintedText&) = delete;
  PrintedText& operator=(const PrintedText&) = delete;

  /// What has been printed since the last time.
  std::string take();

 private:
  int stream_;
  UniqueFd before_;  ///< where the stream went to
  UniqueFd file_;
};

}  // namespace gridstride::sim

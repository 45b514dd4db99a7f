// What kernels print: the driver writes it to the standard output of its process.
#pragma once

#include <cstdint>
#include <string>

#include "common/unique_fd.h"

namespace gridstride::sim {

/// Takes over the process's standard output.
class PrintedText {
 public:
  /// No more than this is kept of what is printed between two calls of take().
  static constexpr std::uint64_t most_bytes = std::uint64_t{32} << 20;

  /// Throws std::system_error.
  PrintedText();

  /// What has been printed since the last time.
  std::string take();

 private:
  UniqueFd file_;
};

}  // namespace gridstride::sim

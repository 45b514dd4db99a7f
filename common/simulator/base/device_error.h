// A call of the CUDA runtime failed on the device.
#pragma once

#include <stdexcept>
#include <string>

namespace gridstride::sim {

/// `code` is the cudaError_t value; `sticky` when every later call must fail as well.
class DeviceError : public std::runtime_error {
 public:
  DeviceError(int code, bool sticky, const std::string& message)
      : std::runtime_error(message), code_(code), sticky_(sticky) {}
  int code() const { return code_; }
  bool sticky() const { return sticky_; }

 private:
  int code_;
  bool sticky_;
};

}  // namespace gridstride::sim

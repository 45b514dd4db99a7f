// For tests: the CUDA error that a call ends with.
#pragma once

#include "common/simulator/base/device_error.h"

namespace gridstride::sim {

/// The code of the DeviceError that call() throws; 0 when it throws none.
int error_of(auto&& call) {
  try {
    call();
  } catch (const DeviceError& error) {
    return error.code();
  }
  return 0;
}

}  // namespace gridstride::sim

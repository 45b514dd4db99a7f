// For tests: a device process on a real GPU, with a driver whose GPU is the simulated one.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "common/simulator/device/control.h"
#include "common/simulator/device/remote_device.h"
#include "common/unique_fd.h"

namespace gridstride::sim {

/// Of PTX modules.
inline const std::string ptx_head = ".version 9.0\n.target sm_75\n.address_size 64\n";

/// From here on a device process finds the driver for tests.
inline void find_test_driver() { setenv("LD_LIBRARY_PATH", GRIDSTRIDE_TEST_DRIVER, 1); }

inline DeviceProcessOptions gpu_process() {
  DeviceProcessOptions options;
  options.program = GRIDSTRIDE_GPU_DEVICE_PROGRAM;
  return options;
}

class GpuProcessTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { find_test_driver(); }

  DeviceProcess process_{gpu_process()};
  RemoteDevice client_{UniqueFd(dup(process_.client_fd()))};
};

}  // namespace gridstride::sim

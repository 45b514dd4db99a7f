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

class GpuProcessTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("LD_LIBRARY_PATH", GRIDSTRIDE_TEST_DRIVER, 1); }

  static DeviceProcessOptions options() {
    DeviceProcessOptions made;
    made.program = GRIDSTRIDE_GPU_DEVICE_PROGRAM;
    return made;
  }

  DeviceProcess process_{options()};
  RemoteDevice client_{UniqueFd(dup(process_.client_fd()))};
};

}  // namespace gridstride::sim

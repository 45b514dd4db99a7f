// What is in a call's time, and what is not: on a driver whose events are always ten milliseconds apart.
#include "common/simulator/gpu/call_clock.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "common/simulator/gpu/driver.h"

namespace gridstride::sim {
namespace {

constexpr double between_events = 0.010, transport = 0.001;  // seconds

CUresult idle = CUDA_SUCCESS;  ///< or CUDA_ERROR_NOT_READY

Driver driver() {
  Driver driver{Driver::Unopened{}};
  driver.cuEventCreate = [](CUevent* event, unsigned) {
    *event = nullptr;
    return CUDA_SUCCESS;
  };
  driver.cuEventDestroy = [](CUevent) { return CUDA_SUCCESS; };
  driver.cuEventRecord = [](CUevent, CUstream) { return CUDA_SUCCESS; };
  driver.cuEventElapsedTime = [](float* milliseconds, CUevent, CUevent) {
    *milliseconds = between_events * 1e3;
    return CUDA_SUCCESS;
  };
  driver.cuMemHostAlloc = [](void** memory, std::size_t, unsigned) {
    *memory = new std::uint32_t;
    return CUDA_SUCCESS;
  };
  driver.cuMemFreeHost = [](void* memory) {
    delete static_cast<std::uint32_t*>(memory);
    return CUDA_SUCCESS;
  };
  driver.cuMemHostGetDevicePointer = [](CUdeviceptr* address, void*, unsigned) {
    *address = 0;
    return CUDA_SUCCESS;
  };
  driver.cuStreamWaitValue32 = [](CUstream, CUdeviceptr, cuuint32_t, unsigned) {
    return CUDA_SUCCESS;
  };
  driver.cuStreamQuery = [](CUstream) { return idle; };
  driver.cuCtxSynchronize = [] { return CUDA_SUCCESS; };
  return driver;
}

class CallClockTest : public testing::Test {
 protected:
  CallClockTest() {
    idle = CUDA_SUCCESS;
    clock_.begin();
    clock_.queue(nullptr);
  }
  /// The program waits, hears that it is over, and does something else for longer than the socket
  /// takes.
  void wait_and_think() {
    clock_.wait();
    clock_.answer();
    std::this_thread::sleep_for(std::chrono::duration<double>(2 * transport));
  }

  Driver driver_ = driver();
  CallClock clock_{driver_, CallClock::Seconds(transport)};
};

TEST_F(CallClockTest, TakesNothingOffWhereNobodyWaits) {
  clock_.queue(nullptr);
  EXPECT_NEAR(clock_.end(), between_events, 1e-6);
}

TEST_F(CallClockTest, TakesOffTheWayFromAnAnswerToWhatIsQueuedNext) {
  wait_and_think();
  clock_.queue(nullptr);
  EXPECT_NEAR(clock_.end(), between_events - transport, 1e-6);
}

/// As after a copy to the host, for whose stream the program then waits once more.
TEST_F(CallClockTest, TakesOffTheWayBetweenTwoWaits) {
  wait_and_think();
  wait_and_think();
  clock_.queue(nullptr);
  EXPECT_NEAR(clock_.end(), between_events - 2 * transport, 1e-6);
}

/// The time ends where the GPU did.
TEST_F(CallClockTest, TakesNothingOffBehindTheLastOperation) {
  wait_and_think();
  clock_.wait();
  clock_.answer();
  EXPECT_NEAR(clock_.end(), between_events, 1e-6);
}

TEST_F(CallClockTest, TakesNothingOffWhileTheGpuIsBusy) {
  idle = CUDA_ERROR_NOT_READY;
  wait_and_think();
  clock_.queue(nullptr);
  EXPECT_NEAR(clock_.end(), between_events, 1e-6);
}

TEST_F(CallClockTest, BeginsAnewWithEachCall) {
  wait_and_think();
  clock_.queue(nullptr);
  clock_.end();
  clock_.begin();
  clock_.queue(nullptr);
  EXPECT_NEAR(clock_.end(), between_events, 1e-6);
}

}  // namespace
}  // namespace gridstride::sim

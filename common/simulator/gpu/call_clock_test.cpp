// What is in a call's time, and what is not: on a driver whose GPU has a clock that the
// tests turn.
#include "common/simulator/gpu/call_clock.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <thread>
#include <vector>

#include "common/simulator/gpu/driver.h"
#include "common/simulator/gpu/test_events.h"

namespace gridstride::sim {
namespace {

constexpr double transport = 0.002, turnaround = 0.003;  // seconds

/// Of a GPU whose events say what this clock shows, in seconds.
double now = 0;
CUresult idle = CUDA_SUCCESS;  ///< or CUDA_ERROR_NOT_READY
int waits_for_gates = 0;
std::uint32_t* gate = nullptr;  ///< the word that turns wait for
std::uint32_t opens_gate = 0;   ///< its value for the last of them

double gpu_time() { return now; }

Driver driver() {
  Driver driver = driver_with_events<gpu_time>();
  driver.cuMemHostAlloc = [](void** memory, std::size_t, unsigned) {
    *memory = gate = new std::uint32_t;
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
  driver.cuStreamWaitValue32 = [](CUstream, CUdeviceptr, cuuint32_t value, unsigned) {
    now += 0.500;  // the gate is closed for so long
    opens_gate = value;
    return CUDA_SUCCESS;
  };
  driver.cuStreamWaitEvent = [](CUstream, CUevent, unsigned) {
    ++waits_for_gates;
    return CUDA_SUCCESS;
  };
  driver.cuStreamQuery = [](CUstream) { return idle; };
  driver.cuStreamSynchronize = [](CUstream) {
    now += turnaround;
    return CUDA_SUCCESS;
  };
  driver.cuCtxSynchronize = [] { return CUDA_SUCCESS; };
  return driver;
}

class CallClockTest : public testing::Test {
 protected:
  explicit CallClockTest(CallClock::Program program = CallClock::Program::here)
      : clock_(
            driver_, [](const auto&) { return CallClock::Seconds(transport); },
            CallClock::Timestamps::of_their_own, program) {
    now = 0;
    idle = CUDA_SUCCESS;
    waits_for_gates = 0;
    begin();
  }
  void begin() {
    clock_.begin([this](CUstream, CallClock::Turn turn) {
      std::this_thread::sleep_for(CallClock::Seconds(2 * transport));
      now += 0.700;
      turns_.push_back(turn);
    });
  }
  /// Of `seconds` on the GPU. The program hears at once that it is queued.
  void work(double seconds, CUstream stream = nullptr) {
    clock_.queue(stream);
    now += seconds;
    clock_.queued();
  }
  /// The GPU's clock goes on while the program does, and on the way between them.
  void wait() {
    clock_.wait();
    clock_.answer();
    now += 0.100;
  }
  /// That many seconds, or more on a machine that has much to do.
  void think(double seconds) {
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(CallClock::Seconds(seconds));
    thought_ += CallClock::Seconds(std::chrono::steady_clock::now() - begin).count();
  }

  Driver driver_ = driver();
  CallClock clock_;
  double thought_ = 0;
  std::vector<CallClock::Turn> turns_;
};

TEST_F(CallClockTest, CountsWhatTheGpuDoesBehindTheGate) {
  work(0.010);
  think(2 * transport);
  work(0.020);
  EXPECT_NEAR(clock_.end(), 0.030, 1e-6);
}

TEST_F(CallClockTest, CountsNothingWhereNothingIsQueued) { EXPECT_EQ(clock_.end(), 0); }

/// What is queued after a wait stands behind a gate of its own.
TEST_F(CallClockTest, CountsTheTurnaroundBetweenTwoTurns) {
  work(0.010);
  wait();
  work(0.010);
  work(0.010);
  // All that was done meanwhile took no longer than a request may take.
  EXPECT_NEAR(clock_.end(), 0.030 + turnaround, 1e-6);
  EXPECT_EQ(turns_, (std::vector{CallClock::Turn::first, CallClock::Turn::later}));
}

TEST_F(CallClockTest, CountsWhatTheProgramThinksWhileTheGpuIsIdle) {
  constexpr double thinks = 10 * transport;
  work(0.010);
  wait();
  think(thinks);
  work(0.010);
  const double others = clock_.end() - 0.020 - turnaround;
  EXPECT_GE(others, thinks - transport - 1e-6);
  EXPECT_LE(others, thought_ + 0.001);
}

/// As after a copy to the host, for whose stream the program then waits once more.
TEST_F(CallClockTest, TakesOffTheWayBetweenTwoWaits) {
  work(0.010);
  wait();
  think(2 * transport);
  wait();
  think(2 * transport);
  work(0.010);
  const double others = clock_.end() - 0.020 - turnaround;
  EXPECT_GE(others, 2 * transport - 1e-6);
  EXPECT_LE(others, thought_ - 2 * transport + 0.001);
}

/// Meanwhile another thread of the program could compute.
TEST_F(CallClockTest, CountsTheWayOfRequestsThatNobodyNeeds) {
  constexpr int requests = 100;
  work(0.010);
  wait();
  for (int i = 0; i < requests; ++i) {
    think(transport);
    wait();
  }
  work(0.010);
  const double others = clock_.end() - 0.020 - turnaround;
  EXPECT_GE(others, 0.8 * requests * transport);
  EXPECT_LE(others, thought_ + 0.001);
}

/// The time ends where the GPU did.
TEST_F(CallClockTest, CountsNothingBehindTheLastOperation) {
  work(0.010);
  wait();
  think(2 * transport);
  wait();
  EXPECT_NEAR(clock_.end(), 0.010, 1e-6);
}

TEST_F(CallClockTest, LeavesTheClockRunningWhileTheGpuIsBusy) {
  idle = CUDA_ERROR_NOT_READY;
  work(0.010);
  wait();
  work(0.010);
  EXPECT_NEAR(clock_.end(), 0.020 + 0.100, 1e-6);
}

/// A program that has seen results computes behind a closed gate, between one kernel and another.
TEST_F(CallClockTest, CountsWhatTheProgramThinksBehindALaterGate) {
  work(0.010);
  wait();
  work(0.001);
  think(0.060);
  work(0.001);
  const double others = clock_.end() - 0.012 - turnaround;
  // The gate opens by itself after 20 ms. From then on the GPU is taken to be busy.
  EXPECT_GE(others, 0.010);
  EXPECT_LE(others, thought_);
}

/// As it would be on a GPU that no socket stands before: who computes while it is busy loses nothing.
TEST_F(CallClockTest, CountsNothingThatIsThoughtWhileTheGpuIsBusy) {
  work(0.010);
  wait();
  work(0.010);
  think(3 * transport);
  clock_.wait();
  think(2 * thought_);  // the GPU works on it
  clock_.answer();
  EXPECT_NEAR(clock_.end(), 0.020 + turnaround, 1e-6);
}

TEST_F(CallClockTest, CountsAllStreams) {
  CUstream other = reinterpret_cast<CUstream>(1);
  work(0.010);
  work(0.010, other);
  EXPECT_EQ(waits_for_gates, 1);
  work(0.010, other);
  EXPECT_EQ(waits_for_gates, 1);
  wait();
  work(0.010);
  EXPECT_EQ(waits_for_gates, 1);
  work(0.010, other);
  EXPECT_EQ(waits_for_gates, 2);
  clock_.forget(other);
  EXPECT_NEAR(clock_.end(), 0.050 + turnaround, 1e-6);
}

/// A stream that an earlier turn used, and this one does not.
TEST_F(CallClockTest, CountsTheStreamsOfATurnOnly) {
  work(0.010, reinterpret_cast<CUstream>(1));
  wait();
  work(0.010);
  wait();
  work(0.010);
  EXPECT_NEAR(clock_.end(), 0.030 + 2 * turnaround, 1e-6);
}

TEST_F(CallClockTest, LeavesTheWayInTheTimeWhereThereAreNoGates) {
  driver_.cuStreamWaitValue32 = [](CUstream, CUdeviceptr, cuuint32_t, unsigned) {
    return CUDA_ERROR_NOT_SUPPORTED;
  };
  work(0.010);
  wait();
  work(0.010);
  think(3 * transport);  // which the events show
  work(0.010);
  EXPECT_NEAR(clock_.end(), 0.030 + turnaround, 1e-6);
}

TEST_F(CallClockTest, BeginsAnewWithEachCall) {
  work(0.010);
  wait();
  think(2 * transport);
  work(0.010);
  clock_.end();
  begin();
  work(0.010);
  EXPECT_NEAR(clock_.end(), 0.010, 1e-6);
}

/// Behind a network, in which `pass` is what a request takes.
class CallClockElsewhereTest : public CallClockTest {
 protected:
  CallClockElsewhereTest() : CallClockTest(CallClock::Program::elsewhere) {}
  /// A request that comes after `thought`, as the other end of the network saw it.
  void request(double thought) {
    std::this_thread::sleep_for(CallClock::Seconds(pass));
    now += pass;
    clock_.serving(true);
    clock_.thought(CallClock::Seconds(thought));
  }
  void work_after(double thought, double seconds, CUstream stream = nullptr) {
    request(thought);
    work(seconds, stream);
    clock_.serving(false);
  }
  void wait_after(double thought) {
    request(thought);
    clock_.wait();
    clock_.answer();
    clock_.serving(false);
  }
  static bool gate_is_open() { return *gate == opens_gate; }

  static constexpr double pass = 0.060;  ///< longer than a gate may be closed for a program here
};

TEST_F(CallClockElsewhereTest, KeepsTheGateClosedUntilTheProgramWaits) {
  work_after(0, 0.010);
  std::this_thread::sleep_for(CallClock::Seconds(pass));
  EXPECT_FALSE(gate_is_open());
  wait_after(0);
  EXPECT_TRUE(gate_is_open());
  EXPECT_NEAR(clock_.end(), 0.010 + pass, 1e-6) << "the fake GPU's clock does not know of its gate";
}

/// A call of the driver that waits for the GPU would wait for ever.
TEST_F(CallClockElsewhereTest, OpensTheGateInARequestThatTakesLong) {
  work_after(0, 0.010);
  clock_.serving(true);
  std::this_thread::sleep_for(CallClock::Seconds(pass));
  EXPECT_TRUE(gate_is_open());
  clock_.serving(false);
}

TEST_F(CallClockElsewhereTest, CountsTheThoughtsThatItIsTold) {
  work_after(0.500, 0.010);  // before the first gate it knows nothing
  clock_.wait();
  clock_.answer();
  work_after(0.005, 0.010);
  EXPECT_NEAR(clock_.end(), 0.020 + turnaround + 0.005, 1e-6);
}

/// Between what was queued before and after, the GPU had nothing to do, for the network stood between.
TEST_F(CallClockElsewhereTest, CountsNoPauseWhereAGateHadToOpen) {
  work_after(0, 0.010);
  clock_.serving(true);
  clock_.open();
  clock_.serving(false);
  EXPECT_TRUE(gate_is_open());
  work_after(0, 0.020);
  EXPECT_FALSE(gate_is_open());
  EXPECT_NEAR(clock_.end(), 0.030, 1e-6);
  EXPECT_EQ(turns_, (std::vector{CallClock::Turn::first, CallClock::Turn::later}));
}

/// More than the driver takes before it waits.
TEST_F(CallClockElsewhereTest, CountsNoPauseBetweenManyLaunches) {
  constexpr int launches = 1000;
  for (int i = 0; i < launches; ++i) {
    work(0.001);
    if (gate_is_open()) now += pass;
  }
  EXPECT_GE(turns_.size(), 2u);
  EXPECT_NEAR(clock_.end(), launches * 0.001, 1e-6);
}

/// A stream has shown something, another one is still busy: what is thought then counts beyond that.
TEST_F(CallClockElsewhereTest, CountsThoughtsWhileOneStreamIsBusy) {
  idle = CUDA_ERROR_NOT_READY;
  work(0.010);
  clock_.wait();
  clock_.answer();
  work_after(0.080, 0.020);
  idle = CUDA_SUCCESS;
  EXPECT_NEAR(clock_.end(), 0.030 + (0.080 - 0.010), 1e-3);
}

}  // namespace
}  // namespace gridstride::sim

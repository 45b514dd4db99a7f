// A GPU whose timestamps a kernel has written: what is added to the time that they say.
#include "common/simulator/gpu/host_clock_check.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <thread>

#include "common/simulator/gpu/driver.h"
#include "common/simulator/gpu/test_events.h"

namespace gridstride::sim {
namespace {

using Clock = HostClockCheck::Clock;
using Seconds = HostClockCheck::Seconds;
using Milliseconds = std::chrono::milliseconds;

/// Of a GPU whose clock is the host's, `rate` times as fast.
double rate = 1;

double clock_of_gpu() { return rate * Seconds(Clock::now().time_since_epoch()).count(); }

Driver checked_driver() {
  Driver driver = driver_with_events<clock_of_gpu>();
  driver.cuStreamSynchronize = [](CUstream) { return CUDA_SUCCESS; };
  return driver;
}

class HostClockCheckTest : public testing::Test {
 protected:
  HostClockCheckTest() {
    rate = 1;
    calibrate();
  }
  void calibrate() {
    check_ = std::make_unique<HostClockCheck>(driver_);
    check_->calibrate();
    std::this_thread::sleep_for(Milliseconds(5));
    check_->calibrated();
    driver_.cuEventCreate(&start_, CU_EVENT_DEFAULT);
  }
  /// A turn behind a gate, of `work`.
  void run(Milliseconds work = Milliseconds(2)) {
    check_->begin();
    opened_ = Clock::now();
    driver_.cuEventRecord(start_, nullptr);
    lead_ = Clock::now() - opened_;  // nothing but this
    std::this_thread::sleep_for(work);
  }
  Seconds beyond() const { return check_->beyond(start_, opened_, lead_); }
  static void move_all(Seconds by) {
    for (auto& [event, stamp] : recorded_events) stamp += by.count();
  }

  Driver driver_ = checked_driver();
  std::unique_ptr<HostClockCheck> check_;
  CUevent start_ = nullptr;
  Clock::time_point opened_;
  Seconds lead_{0};
};

TEST_F(HostClockCheckTest, AddsNothingToAnHonestTimeButTheDrift) {
  ASSERT_TRUE(check_->checks());
  const auto begin = Clock::now();
  run();
  EXPECT_EQ(beyond().count(), 0);
  const Seconds added = check_->next();
  EXPECT_LE(added, HostClockCheck::drift * Seconds(Clock::now() - begin));
}

TEST_F(HostClockCheckTest, AddsWhatAStartWasMovedBy) {
  run();
  recorded_events.at(start_) += 0.001;
  EXPECT_NEAR(beyond().count(), 0.001, HostClockCheck::slack.count() + 5e-6);
}

/// Start and reference by as much: between them nothing shows.
TEST_F(HostClockCheckTest, AddsTheHostsTimeWhenAllWereMoved) {
  const auto begin = Clock::now();
  run();
  move_all(Seconds(0.0015));
  EXPECT_EQ(beyond().count(), 0);
  const Seconds added = check_->next();
  EXPECT_GE(added.count(), 0.002);
  EXPECT_LE(added, (1 + HostClockCheck::drift) * Seconds(Clock::now() - begin));
}

TEST_F(HostClockCheckTest, EachTurnIsHeldAgainstAReferenceOfItsOwn) {
  run();
  move_all(Seconds(0.0015));
  check_->next();
  std::this_thread::sleep_for(Milliseconds(2));
  EXPECT_LE(check_->next().count(), 0.001);
}

TEST_F(HostClockCheckTest, CrystalsThatDifferALittleAreNobodysFault) {
  for (const double each : {1 - 1e-4, 1 + 1e-4}) {
    rate = each;
    calibrate();
    run(Milliseconds(50));
    EXPECT_EQ(beyond().count(), 0);
    EXPECT_LE(check_->next().count(), 0.001);
  }
}

TEST_F(HostClockCheckTest, WaitingForTheClocksToDifferBringsNothing) {
  rate = 1 + 1e-4;
  calibrate();
  run(Milliseconds(50));
  const double hidden = 0.9e-4 * 0.050;
  move_all(Seconds(hidden));
  EXPECT_GE(check_->next().count(), hidden);
}

TEST_F(HostClockCheckTest, ASimulatedGpuHasATimeOfItsOwn) {
  rate = 0.01;
  calibrate();
  EXPECT_FALSE(check_->checks());
  run();
  EXPECT_EQ(beyond().count(), 0);
  EXPECT_EQ(check_->next().count(), 0);
}

/// A program behind a network queues little by little while nothing runs.
TEST_F(HostClockCheckTest, ComparesWithARefreshedReferenceOverTheTurnAlone) {
  driver_.cuStreamCreate = [](CUstream* stream, unsigned) {
    *stream = reinterpret_cast<CUstream>(1);
    return CUDA_SUCCESS;
  };
  driver_.cuStreamDestroy = [](CUstream) { return CUDA_SUCCESS; };
  static CUresult is_idle;
  is_idle = CUDA_SUCCESS;
  driver_.cuStreamQuery = [](CUstream) { return is_idle; };
  check_->prepare_to_refresh();
  const auto seconds_of_turn_after = [&](Milliseconds pause) {
    check_->begin();
    std::this_thread::sleep_for(pause);
    check_->refresh();
    std::this_thread::sleep_for(Milliseconds(2));
    return check_->next();
  };
  constexpr Milliseconds pause(200);
  EXPECT_LT(seconds_of_turn_after(pause), pause * HostClockCheck::drift);
  is_idle = CUDA_ERROR_NOT_READY;  // the GPU does not get to it: the one before stays
  EXPECT_GE(seconds_of_turn_after(pause), pause * HostClockCheck::drift);
}

}  // namespace
}  // namespace gridstride::sim

// Events, and a gate that cannot stay closed.
#include "common/simulator/gpu/call_clock.h"

#include <cuda.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <ranges>
#include <utility>

namespace gridstride::sim {
namespace {

using Clock = std::chrono::steady_clock;

/// The driver takes about a thousand operations before it waits for the GPU.
constexpr int most_queued = 400;
/// A call of the driver that waits for the GPU, although it need not (it may load code, or make room
/// for a larger stack), waits so long.
constexpr std::chrono::milliseconds longest_closed{20};

}  // namespace

CallClock::CallClock(const Driver& driver, Seconds transport)
    : driver_(driver), transport_(transport) {
  check(driver_, driver_.cuEventCreate(&start_, CU_EVENT_DEFAULT), "an event");
  void* memory = nullptr;
  check(driver_,
        driver_.cuMemHostAlloc(&memory, sizeof *gate_,
                               CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE),
        "memory for the clock");
  gate_ = static_cast<std::uint32_t*>(memory);
  *gate_ = 0;
  check(driver_, driver_.cuMemHostGetDevicePointer(&gate_address_, memory, 0),
        "memory for the clock");
  opener_ = std::thread([this] { open_after_a_moment(); });
}

CallClock::~CallClock() {
  open();
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  opener_.join();
  for (const Stop& stop : stops_ | std::views::values) driver_.cuEventDestroy(stop.event);
  driver_.cuEventDestroy(start_);
  driver_.cuMemFreeHost(gate_);
}

void CallClock::open_after_a_moment() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (!opens_at_) {
      changed_.wait(lock);
    } else if (Clock::now() < *opens_at_) {
      changed_.wait_until(lock, *opens_at_);
    } else {
      std::atomic_ref(*gate_).store(calls_, std::memory_order_release);
      opens_at_.reset();
    }
  }
}

void CallClock::begin() {
  {
    const std::scoped_lock lock(mutex_);
    ++calls_;
    opens_at_.reset();
  }
  for (const Stop& stop : stops_ | std::views::values) driver_.cuEventDestroy(stop.event);
  stops_.clear();
  running_ = true;
  started_ = opened_ = false;
  queued_ = 0;
  answered_.reset();
  not_counted_ = idle_ = Seconds(0);
  longest_ = 0;
}

bool CallClock::all_idle() const {
  return std::ranges::all_of(stops_ | std::views::keys, [this](CUstream stream) {
    return driver_.cuStreamQuery(stream) == CUDA_SUCCESS;
  });
}

void CallClock::asked_again() {
  if (!answered_) return;
  const Seconds since = Clock::now() - *std::exchange(answered_, std::nullopt);
  idle_ += std::min(since, transport_);
}

void CallClock::queue(CUstream stream) {
  if (!running_) return;
  asked_again();
  not_counted_ += std::exchange(idle_, Seconds(0));
  const auto found = stops_.find(stream);
  if (!started_) {
    const CUresult gated =
        driver_.cuStreamWaitValue32(stream, gate_address_, calls_, CU_STREAM_WAIT_VALUE_GEQ);
    // Some systems (WSL) have no such operation: there the way to the GPU is in the time.
    if (gated != CUDA_ERROR_NOT_SUPPORTED) check(driver_, gated, "the clock's gate");
    check(driver_, driver_.cuEventRecord(start_, stream), "the clock's start");
    started_ = true;
    {
      const std::scoped_lock lock(mutex_);
      opens_at_ = Clock::now() + longest_closed;
    }
    changed_.notify_one();
  } else if (found == stops_.end()) {
    check(driver_, driver_.cuStreamWaitEvent(stream, start_, 0), "the clock's start");
  }
  if (found == stops_.end()) {
    Stop stop;
    check(driver_, driver_.cuEventCreate(&stop.event, CU_EVENT_DEFAULT), "an event");
    stops_[stream] = stop;
  } else {
    found->second.recorded = false;
  }
  if (++queued_ >= most_queued) open();
}

void CallClock::wait() {
  if (!running_ || !started_) return;
  asked_again();
  for (auto& [stream, stop] : stops_) {
    if (stop.recorded) continue;
    check(driver_, driver_.cuEventRecord(stop.event, stream), "the clock's end");
    stop.recorded = true;
  }
  open();
}

void CallClock::answer() {
  if (running_ && started_ && all_idle()) answered_ = Clock::now();
}

void CallClock::forget(CUstream stream) {
  const auto found = stops_.find(stream);
  if (found == stops_.end()) return;
  wait();
  check(driver_, driver_.cuStreamSynchronize(stream), "a stream that is destroyed");
  float milliseconds = 0;
  check(driver_, driver_.cuEventElapsedTime(&milliseconds, start_, found->second.event),
        "the time of a stream");
  longest_ = std::max(longest_, milliseconds * 1e-3);
  driver_.cuEventDestroy(found->second.event);
  stops_.erase(found);
}

void CallClock::open() {
  if (opened_) return;
  opened_ = true;
  const std::scoped_lock lock(mutex_);
  opens_at_.reset();
  std::atomic_ref(*gate_).store(calls_, std::memory_order_release);
}

double CallClock::end() {
  if (!running_) return 0;
  running_ = started_;  // nothing to wait for when nothing was queued
  wait();
  running_ = false;
  open();
  check(driver_, driver_.cuCtxSynchronize(), "the call");
  for (const Stop& stop : stops_ | std::views::values) {
    float milliseconds = 0;
    check(driver_, driver_.cuEventElapsedTime(&milliseconds, start_, stop.event),
          "the time of the call");
    longest_ = std::max(longest_, milliseconds * 1e-3);
  }
  return std::max(0.0, longest_ - not_counted_.count());
}

}  // namespace gridstride::sim

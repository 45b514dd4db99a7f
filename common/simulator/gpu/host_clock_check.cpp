// See the header.
#include "common/simulator/gpu/host_clock_check.h"

#include <cuda.h>

#include <algorithm>
#include <utility>

namespace gridstride::sim {
namespace {

const char* const what = "the clock's events";
/// Timestamps are in steps of up to a microsecond.
constexpr HostClockCheck::Seconds resolution{2e-6};
/// Of an event on a GPU that has nothing else to do. Streams beyond some number share a queue, and may wait for each
/// other.
constexpr std::chrono::milliseconds longest_refresh{1};
/// When the clocks are found to go together, over some milliseconds.
constexpr double same_rate = 0.01;

}  // namespace

HostClockCheck::HostClockCheck(const Driver& driver)
    : driver_(driver), reference_(made()), next_(made()) {}

HostClockCheck::~HostClockCheck() {
  if (own_ != nullptr) driver_.cuStreamDestroy(own_);
  driver_.cuEventDestroy(reference_.event);
  driver_.cuEventDestroy(next_.event);
}

HostClockCheck::Moment HostClockCheck::made() const {
  Moment moment;
  check(driver_, driver_.cuEventCreate(&moment.event, CU_EVENT_DEFAULT), what);
  return moment;
}

void HostClockCheck::record(Moment& moment) const {
  moment.before = Clock::now();
  check(driver_, driver_.cuEventRecord(moment.event, CU_STREAM_LEGACY), what);
  check(driver_, driver_.cuStreamSynchronize(CU_STREAM_LEGACY), what);
  moment.after = Clock::now();
}

HostClockCheck::Seconds HostClockCheck::between(CUevent from, CUevent to) const {
  float milliseconds = 0;
  check(driver_, driver_.cuEventElapsedTime(&milliseconds, from, to), what);
  return Seconds(milliseconds * 1e-3);
}

void HostClockCheck::calibrate() { record(reference_); }

void HostClockCheck::calibrated() {
  record(next_);
  const Seconds host = next_.before - reference_.after;
  checks_ = between(reference_.event, next_.event) >= host * (1 - same_rate) - resolution;
}

void HostClockCheck::begin() {
  if (checks_) record(reference_);
}

void HostClockCheck::prepare_to_refresh() {
  if (checks_) check(driver_, driver_.cuStreamCreate(&own_, CU_STREAM_NON_BLOCKING), what);
}

void HostClockCheck::refresh() {
  if (!checks_) return;
  // An event that the GPU has not come to yet is left alone.
  if (driver_.cuStreamQuery(own_) != CUDA_SUCCESS) return;
  next_.before = Clock::now();
  check(driver_, driver_.cuEventRecord(next_.event, own_), what);
  while (driver_.cuStreamQuery(own_) != CUDA_SUCCESS) {
    if (Clock::now() - next_.before > longest_refresh) return;
  }
  next_.after = Clock::now();
  std::swap(reference_, next_);
}

HostClockCheck::Seconds HostClockCheck::beyond(CUevent start, Time opened, Seconds lead) const {
  if (!checks_) return Seconds(0);
  const Seconds most = opened - reference_.before;
  return std::max(Seconds(0), between(reference_.event, start) - most - lead - slack);
}

HostClockCheck::Seconds HostClockCheck::next() {
  if (!checks_) return Seconds(0);
  record(next_);
  const Seconds least = next_.before - reference_.after, most = next_.after - reference_.before;
  const bool moved = between(reference_.event, next_.event) < least * (1 - drift) - resolution;
  std::swap(reference_, next_);
  return (moved ? most : Seconds(0)) + most * drift;
}

}  // namespace gridstride::sim

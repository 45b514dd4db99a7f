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
#include <vector>

namespace gridstride::sim {
namespace {

using Clock = std::chrono::steady_clock;

/// The driver takes about a thousand operations before it waits for the GPU.
constexpr int most_queued = 400;
/// A call of the driver that waits for the GPU, although it need not (it may load code, or make room
/// for a larger stack), waits so long.
constexpr std::chrono::milliseconds longest_closed{20};
/// Requests of a program that knows the GPU to be idle, until it queues something: so many have to go
/// through the socket for nothing. More are no way to go on.
constexpr int most_free_trips = 16;
/// No driver blocks while a program elsewhere asks for nothing: then its gate stays closed.
constexpr std::chrono::hours as_long_as_it_takes{1};
/// To measure a turnaround, of which the median is taken.
constexpr int empty_turns = 101;
/// To measure a lead, of which the shortest counts: nobody makes it shorter than it is.
constexpr int leads = 5;

}  // namespace

CallClock::CallClock(const Driver& driver, const Transport& transport, Timestamps timestamps,
                     Program program)
    : driver_(driver), program_(program), host_clock_(driver) {
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
  host_clock_.calibrate();
  turnaround_ = measured_turnaround();
  if (transport) {
    transport_ = transport([this] {
      driver_.cuEventRecord(start_, CU_STREAM_LEGACY);
      driver_.cuStreamSynchronize(CU_STREAM_LEGACY);
    });
  }
  if (timestamps == Timestamps::of_hardware) host_clock_.calibrated();
  if (program_ == Program::elsewhere) host_clock_.prepare_to_refresh();
  opener_ = std::thread([this] { open_after_a_moment(); });
}

CallClock::~CallClock() {
  open_now();
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
      open_gate();
    }
  }
}

void CallClock::open_gate() {
  if (!opens_at_) return;
  opens_at_.reset();
  std::atomic_ref(*gate_).store(turns_, std::memory_order_release);
  opened_ = Clock::now();
}

void CallClock::open_now() {
  const std::scoped_lock lock(mutex_);
  open_gate();
}

bool CallClock::gate_is_open() {
  const std::scoped_lock lock(mutex_);
  return !opens_at_;
}

void CallClock::open() {
  if (program_ == Program::elsewhere && running_ && in_turn_ && !gate_is_open()) {
    // What is queued ends here, but for an operation that is about to be.
    if (!in_operation_) return record_stops();
    host_clock_.refresh();
  }
  open_now();
}

void CallClock::serving(bool begins) {
  if (program_ == Program::here) return;
  {
    const std::scoped_lock lock(mutex_);
    if (!opens_at_) return;
    opens_at_ = Clock::now();
    if (begins)
      *opens_at_ += longest_closed;
    else
      *opens_at_ += as_long_as_it_takes;
  }
  changed_.notify_one();
}

void CallClock::begin(Lead lead) {
  open_now();
  lead_ = std::move(lead);
  for (const Stop& stop : stops_ | std::views::values) driver_.cuEventDestroy(stop.event);
  stops_.clear();
  running_ = first_turn_ = true;
  started_ = idle_ = in_turn_ = in_operation_ = false;
  told_ = Seconds(0);
  served_.reset();
  answered_.reset();
  thought_ = total_ = Seconds(0);
  trips_ = 0;
  if (host_clock_.checks() && lead_seconds_.empty()) {
    for (const Turn turn : {Turn::first, Turn::later}) lead_seconds_[turn] = measured_lead(turn);
  }
  host_clock_.begin();
}

CallClock::Seconds CallClock::measured_lead(Turn turn) const {
  Seconds shortest = Seconds::max();
  for (int i = 0; i < leads; ++i) {
    const Time begin = Clock::now();
    lead_(CU_STREAM_LEGACY, turn);
    check(driver_, driver_.cuStreamSynchronize(CU_STREAM_LEGACY), "the clock's lead");
    shortest = std::min<Seconds>(shortest, Clock::now() - begin);
  }
  return shortest;
}

CallClock::Seconds CallClock::measured_turnaround() const {
  const char* what = "the clock's events";
  CUevent end = nullptr;
  check(driver_, driver_.cuEventCreate(&end, CU_EVENT_DEFAULT), what);
  std::vector<float> milliseconds(empty_turns);
  for (float& each : milliseconds) {
    check(driver_, driver_.cuEventRecord(start_, CU_STREAM_LEGACY), what);
    check(driver_, driver_.cuStreamSynchronize(CU_STREAM_LEGACY), what);
    check(driver_, driver_.cuEventRecord(end, CU_STREAM_LEGACY), what);
    check(driver_, driver_.cuStreamSynchronize(CU_STREAM_LEGACY), what);
    check(driver_, driver_.cuEventElapsedTime(&each, start_, end), what);
  }
  driver_.cuEventDestroy(end);
  const auto middle = milliseconds.begin() + empty_turns / 2;
  std::ranges::nth_element(milliseconds, middle);
  return Seconds(*middle * 1e-3);
}

bool CallClock::all_idle() const {
  return std::ranges::all_of(stops_ | std::views::keys, [this](CUstream stream) {
    return driver_.cuStreamQuery(stream) == CUDA_SUCCESS;
  });
}

CallClock::Seconds CallClock::beyond_transport(Seconds seconds) const {
  return std::max(Seconds(0), seconds - transport_);
}

void CallClock::asked() {
  asked_ = Clock::now();
  for (std::optional<Time>* since : {&answered_, &served_}) {
    if (!*since) continue;
    const Seconds passed = asked_ - *std::exchange(*since, std::nullopt);
    if (program_ == Program::elsewhere) {
      thought_ += told_;
      told_ = Seconds(0);
      continue;
    }
    thought_ += passed;
    // Each way takes a little more or less than most do: they even out only if all of it is summed.
    if (!idle_ || ++trips_ <= most_free_trips) thought_ -= transport_;
  }
  told_ = Seconds(0);
}

CallClock::Seconds CallClock::take_thought(Seconds busy) {
  return std::max(Seconds(0), std::exchange(thought_, Seconds(0)) - busy);
}

void CallClock::begin_turn(CUstream stream, Turn lead) {
  for (Stop& stop : stops_ | std::views::values) stop.used = false;
  queued_ = 0;
  longest_ = 0;
  in_turn_ = true;
  {
    const std::scoped_lock lock(mutex_);
    ++turns_;
    opens_at_ = Clock::now() + longest_closed;
  }
  changed_.notify_one();
  const CUresult gated =
      driver_.cuStreamWaitValue32(stream, gate_address_, turns_, CU_STREAM_WAIT_VALUE_GEQ);
  // Some systems (WSL) have no such operation: there the way to the GPU is in the time.
  gated_ = gated != CUDA_ERROR_NOT_SUPPORTED;
  if (gated_) {
    check(driver_, gated, "the clock's gate");
  } else {
    open_now();
  }
  led_ = lead;
  lead_(stream, lead);
  check(driver_, driver_.cuEventRecord(start_, stream), "the clock's start");
  asked_ = Clock::now();  // gate and lead are not the program's
}

double CallClock::seconds_until(const Stop& stop) const {
  float milliseconds = 0;
  check(driver_, driver_.cuEventElapsedTime(&milliseconds, start_, stop.event),
        "the time of the call");
  return milliseconds * 1e-3;
}

void CallClock::end_turn() {
  for (const Stop& stop : stops_ | std::views::values) {
    if (stop.used) longest_ = std::max(longest_, seconds_until(stop));
  }
  total_ += Seconds(longest_);
  if (!gated_ || !host_clock_.checks()) return;
  const std::scoped_lock lock(mutex_);
  total_ += host_clock_.beyond(start_, opened_, lead_seconds_.at(led_));
}

void CallClock::finish_turn() {
  in_turn_ = false;
  end_turn();
  total_ += take_thought(Seconds(longest_)) + host_clock_.next();
}

void CallClock::queue(CUstream stream) {
  if (!running_) return;
  asked();
  in_operation_ = true;
  Stop& stop = stops_[stream];
  if (stop.event == nullptr)
    check(driver_, driver_.cuEventCreate(&stop.event, CU_EVENT_DEFAULT), "an event");
  if (!started_) {
    begin_turn(stream, turn());
    started_ = true;
  } else if (program_ == Program::elsewhere && in_turn_ && gate_is_open()) {
    check(driver_, driver_.cuCtxSynchronize(), "the call");
    finish_turn();
    begin_turn(stream, Turn::later);
  } else if (std::exchange(idle_, false)) {
    if (program_ == Program::here) {
      end_turn();
      total_ += host_clock_.next();
    }
    total_ += turnaround_ + take_thought(Seconds(0));
    trips_ = 0;
    first_turn_ = false;
    begin_turn(stream, turn());
  } else if (!stop.used) {
    check(driver_, driver_.cuStreamWaitEvent(stream, start_, 0), "the clock's start");
  }
  stop.used = true;
  stop.recorded = false;
  if (++queued_ >= most_queued) open();
}

void CallClock::queued() {
  in_operation_ = false;
  if (program_ == Program::elsewhere && running_ && in_turn_ && gate_is_open()) record_stops();
  if (!running_ || first_turn_ || idle_) return;
  served_ = Clock::now();
  thought_ += beyond_transport(*served_ - asked_);
}

void CallClock::record_stops() {
  for (auto& [stream, stop] : stops_) {
    if (stop.recorded) continue;
    check(driver_, driver_.cuEventRecord(stop.event, stream), "the clock's end");
    stop.recorded = true;
  }
  if (program_ == Program::elsewhere && !gate_is_open()) host_clock_.refresh();
  open_now();
}

void CallClock::wait() {
  if (!running_ || !started_) return;
  asked();
  record_stops();
}

void CallClock::answer() {
  if (!running_ || !started_) return;
  if (!all_idle()) {
    if (program_ == Program::elsewhere) {
      // It knows something now, and what is queued next is another turn: what it thinks counts from here on.
      first_turn_ = false;
      served_ = Clock::now();
    }
    return;
  }
  answered_ = Clock::now();
  if (idle_) {
    thought_ += beyond_transport(*answered_ - asked_);
  } else if (program_ == Program::here) {
    count_thoughts(*answered_);
    idle_ = true;
  } else {
    finish_turn();
    idle_ = true;
  }
}

void CallClock::count_thoughts(Time until) {
  const std::scoped_lock lock(mutex_);
  total_ += take_thought(until - opened_);
}

void CallClock::forget(CUstream stream) {
  const auto found = stops_.find(stream);
  if (found == stops_.end()) return;
  wait();
  check(driver_, driver_.cuStreamSynchronize(stream), "a stream that is destroyed");
  if (found->second.used) longest_ = std::max(longest_, seconds_until(found->second));
  driver_.cuEventDestroy(found->second.event);
  stops_.erase(found);
}

double CallClock::end() {
  if (!std::exchange(running_, false) || !started_) return 0;
  record_stops();
  check(driver_, driver_.cuCtxSynchronize(), "the call");
  if (program_ == Program::elsewhere) {
    if (in_turn_) finish_turn();
    return total_.count();
  }
  if (!idle_) count_thoughts(Clock::now());
  end_turn();
  return (total_ + host_clock_.next()).count();
}

}  // namespace gridstride::sim

// Places operations on the modelled time axis.
#include "common/simulator/device/timeline.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/simulator/base/cuda_error.h"

namespace gridstride::sim {
namespace {

constexpr double ticks_per_second = 1e12;
constexpr std::size_t most_handles = 32'768;

std::int64_t ticks_of(double seconds) {
  constexpr double longest = 1e5;
  const double bounded = std::isfinite(seconds) ? std::clamp(seconds, 0.0, longest) : longest;
  return std::llround(bounded * ticks_per_second);
}

[[noreturn]] void unknown(const char* what) {
  throw DeviceError(error_invalid_handle, false,
                    std::string("this ") + what + " does not exist, or no longer");
}

}  // namespace

Timeline::Timeline() { streams_[0]; }

Timeline::Stream& Timeline::stream(StreamId id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) unknown("stream");
  return found->second;
}

void Timeline::check(StreamId stream) const {
  if (!streams_.contains(stream)) unknown("stream");
}

Timeline::Ticks Timeline::start_of(StreamId id, const Stream& stream) const {
  Ticks start = std::max({stream.ready, host_, earliest_});
  if (id == 0) return std::max(start, blocking_end_);
  if (!stream.non_blocking) start = std::max(start, streams_.at(0).ready);
  return start;
}

void Timeline::advance(StreamId id, Stream& stream, Ticks to) {
  stream.ready = to;
  stream.after_kernel = false;
  idle_ = std::max(idle_, to);
  if (id != 0 && !stream.non_blocking) blocking_end_ = std::max(blocking_end_, to);
}

Timeline::Interval Timeline::place(StreamId id, Engine engine, double seconds, double share) {
  Stream& used = stream(id);
  const Ticks ticks = ticks_of(seconds);
  Ticks start = start_of(id, used);
  if (engine == Engine::compute) {
    start = kernels_.place(start, ticks, share);
  } else {
    Ticks& engine_ready = engine_ready_[static_cast<std::size_t>(engine)];
    start = std::max(start, engine_ready);
    engine_ready = start + ticks;
  }
  advance(id, used, start + ticks);
  return {static_cast<double>(start) / ticks_per_second,
          static_cast<double>(ticks) / ticks_per_second};
}

Timeline::Interval Timeline::place_launch(StreamId id, double seconds, LaunchCost cost,
                                          double share) {
  Stream& used = stream(id);
  const Ticks ticks = ticks_of(seconds);
  const Ticks prepared = std::min(ticks_of(cost.prepared_seconds), ticks);
  const Ticks others_over = start_of(id, used);
  const Ticks earliest =
      used.after_kernel ? std::max(others_over, host_ + prepared) : others_over + prepared;
  const Ticks end = kernels_.place(earliest, ticks - prepared, share) + ticks - prepared;
  host_ += ticks_of(cost.host_seconds);
  advance(id, used, end);
  used.after_kernel = true;
  return {static_cast<double>(end - ticks) / ticks_per_second,
          static_cast<double>(ticks) / ticks_per_second};
}

StreamId Timeline::create_stream(bool non_blocking) {
  if (streams_.size() >= most_handles) {
    throw DeviceError(error_memory_allocation, false, "there are 32,768 streams already");
  }
  streams_[next_id_] = {.ready = 0, .non_blocking = non_blocking};
  return next_id_++;
}

void Timeline::destroy_stream(StreamId id) {
  if (id == 0 || streams_.erase(id) == 0) unknown("stream");
}

EventId Timeline::create_event() {
  if (events_.size() >= most_handles) {
    throw DeviceError(error_memory_allocation, false, "there are 32,768 events already");
  }
  events_[next_id_] = std::nullopt;
  return next_id_++;
}

void Timeline::destroy_event(EventId event) {
  if (events_.erase(event) == 0) unknown("event");
}

void Timeline::record(EventId event, StreamId id) {
  const auto found = events_.find(event);
  if (found == events_.end()) unknown("event");
  found->second = start_of(id, stream(id));
  stream(id).after_kernel = false;
}

void Timeline::wait(StreamId id, EventId event) {
  const auto found = events_.find(event);
  if (found == events_.end()) unknown("event");
  Stream& waiting = stream(id);
  if (found->second) advance(id, waiting, std::max(start_of(id, waiting), *found->second));
}

double Timeline::elapsed(EventId from, EventId to) const {
  const auto first = events_.find(from), second = events_.find(to);
  if (first == events_.end() || second == events_.end()) unknown("event");
  if (!first->second || !second->second) {
    throw DeviceError(error_invalid_handle, false, "an event that was never recorded has no time");
  }
  return static_cast<double>(*second->second - *first->second) / ticks_per_second;
}

void Timeline::synchronize(std::optional<StreamId> id) {
  host_ = id ? start_of(*id, stream(*id)) : std::max(host_, idle_);
}

void Timeline::begin_behind(double seconds) {
  earliest_ = mark();
  host_ = earliest_ - ticks_of(seconds);
}

double Timeline::idle() const { return seconds_since(0); }

double Timeline::seconds_since(std::int64_t mark) const {
  return static_cast<double>(std::max<Ticks>(idle_ - mark, 0)) / ticks_per_second;
}

}  // namespace gridstride::sim

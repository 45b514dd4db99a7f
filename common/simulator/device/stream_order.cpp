// Clocks of streams, events and the host, while a graded call is under way.
#include "common/simulator/device/stream_order.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace gridstride::sim {
namespace {

const char* const advice =
    " All work goes to the stream that the call is given: kernel<<<grid, block, shared, stream>>>, "
    "cudaMemsetAsync(..., stream), cudaMemcpyAsync(..., stream). A further stream has to wait for "
    "an "
    "event of the given one first (cudaEventRecord, cudaStreamWaitEvent), and the given one for an "
    "event of the further one at the end.";

}  // namespace

void StreamOrder::join(Clock& into, const Clock& other) {
  for (const auto& [stream, operations] : other) {
    std::uint64_t& known = into[stream];
    known = std::max(known, operations);
  }
}

bool StreamOrder::covers(const Clock& clock, StreamId id, std::uint64_t operations) {
  const auto known = clock.find(id);
  return operations == 0 || (known != clock.end() && known->second >= operations);
}

void StreamOrder::give(StreamId stream) {
  if (!given_ && streams_.contains(stream)) given_ = stream;
}

void StreamOrder::exempt(StreamId stream) {
  if (streams_.contains(stream)) exempt_ = stream;
}

void StreamOrder::create_stream(StreamId stream, bool non_blocking) {
  streams_[stream].non_blocking = non_blocking;
}

void StreamOrder::destroy_stream(StreamId stream) {
  const auto found = streams_.find(stream);
  if (found != streams_.end()) found->second.destroyed = true;
}

StreamOrder::Clock StreamOrder::position(StreamId id) const {
  const Stream& own = streams_.at(id);
  Clock clock = own.before;
  join(clock, host_);
  clock[id] = own.operations;
  if (own.non_blocking) return clock;
  // The legacy default stream: it waits for all blocking streams, and they for it.
  const auto behind = [&](StreamId other, const Stream& stream) {
    join(clock, stream.before);
    std::uint64_t& known = clock[other];
    known = std::max(known, stream.operations);
  };
  if (id != 0) {
    behind(0, streams_.at(0));
    return clock;
  }
  for (const auto& [other, stream] : streams_) {
    if (!stream.non_blocking) behind(other, stream);
  }
  return clock;
}

void StreamOrder::record(EventId event, StreamId stream) {
  if (in_call_ && streams_.contains(stream)) events_[event] = position(stream);
}

void StreamOrder::wait(StreamId stream, EventId event) {
  const auto recorded = events_.find(event);
  const auto waiting = streams_.find(stream);
  if (!in_call_ || recorded == events_.end() || waiting == streams_.end()) return;
  join(waiting->second.before, recorded->second);
}

void StreamOrder::synchronize(std::optional<StreamId> stream) {
  if (!in_call_) return;
  if (stream) {
    if (streams_.contains(*stream)) join(host_, position(*stream));
    return;
  }
  for (const auto& [id, each] : streams_) {
    if (each.operations > 0) host_[id] = each.operations;
  }
}

void StreamOrder::begin_call() {
  std::erase_if(streams_, [](const auto& each) { return each.second.destroyed; });
  in_call_ = given_ && streams_.contains(*given_);
  told_ = false;
  host_.clear();
  events_.clear();
  for (auto& [id, stream] : streams_) {
    stream.before.clear();
    stream.operations = 0;
    stream.last.clear();
  }
  // What the stream did before, and has still to be waited for.
  if (in_call_) streams_.at(*given_).operations = 1;
}

std::string StreamOrder::title(const Stream& stream, StreamId id) const {
  const char* const where =
      id == 0 ? " runs in the default stream" : " runs in another stream than the given one";
  return stream.last + where;
}

std::string StreamOrder::add(StreamId id, const std::string& what) {
  const auto found = streams_.find(id);
  if (!in_call_ || told_ || found == streams_.end() || id == exempt_) return {};
  Stream& stream = found->second;
  const Clock clock = position(id);
  stream.before = clock;
  ++stream.operations;
  stream.last = what;
  if (covers(clock, *given_, 1)) return {};
  told_ = true;
  return title(stream, id) +
         ", and nothing orders it behind the work that stands in the given stream before the call: "
         "on hardware it may run earlier." +
         advice;
}

std::string StreamOrder::end_call() {
  if (!in_call_) return {};
  in_call_ = false;
  if (told_) return {};
  const Clock clock = position(*given_);
  for (const auto& [id, stream] : streams_) {
    if (stream.last.empty() || covers(clock, id, stream.operations)) continue;
    return title(stream, id) +
           ", and nothing that follows the call in the given stream waits for it: on hardware the "
           "result may be used before it is there." +
           advice;
  }
  return {};
}

}  // namespace gridstride::sim

// Whether the work of a graded call keeps to the stream that the call was given.
//
// A stage must work when its stream still carries what came before the call, and when more follows
// there. So each operation has to be ordered behind the stream's position at the call's begin, and
// the stream, or the host before it returns, behind each operation. Further streams may take part:
// events, and waiting on the host, order as they do on hardware. The simulated device executes work
// in the order of the calls, so what is not ordered gives no wrong result here; it is found by vector
// clocks (Mattern, Virtual time and global states of distributed systems, 1989): of each stream, event
// and the host, how many operations of each stream are over by then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/simulator/base/handles.h"

namespace gridstride::sim {

class StreamOrder {
 public:
  /// What a call is given from now on; the first one that is said counts.
  void give(StreamId stream);
  bool knows_given() const { return given_.has_value(); }
  /// What happens in `stream` is the device's own business, such as the way of managed pages.
  void exempt(StreamId stream);

  void create_stream(StreamId stream, bool non_blocking);
  void destroy_stream(StreamId stream);  ///< its work still counts
  void record(EventId event, StreamId stream);
  void wait(StreamId stream, EventId event);
  void destroy_event(EventId event) { events_.erase(event); }
  /// The host waits for a stream, or for everything.
  void synchronize(std::optional<StreamId> stream);

  /// A call that is graded begins, ends. All work is over at its begin.
  void begin_call();
  /// Returns what is to be said of work that nothing waits for, or nothing.
  std::string end_call();
  /// An operation of `stream`; `what`: "the kernel k()", "a copy to the device". Returns what is to
  /// be said of it, once a call, or nothing.
  std::string add(StreamId stream, const std::string& what);

 private:
  /// Operations of each stream that are over; none of those that are not named.
  using Clock = std::map<StreamId, std::uint64_t>;
  struct Stream {
    bool non_blocking = false, destroyed = false;
    Clock before;                  ///< what the next operation is ordered behind
    std::uint64_t operations = 0;  ///< of this call
    std::string last;              ///< of them
  };
  static void join(Clock& into, const Clock& other);
  static bool covers(const Clock& clock, StreamId id, std::uint64_t operations);
  /// What an operation that is added to `id` now comes behind.
  Clock position(StreamId id) const;
  std::string title(const Stream& stream, StreamId id) const;

  std::map<StreamId, Stream> streams_{{0, {}}};  ///< also those destroyed in this call
  std::map<EventId, Clock> events_;
  Clock host_;
  std::optional<StreamId> given_, exempt_;
  bool in_call_ = false, told_ = false;
};

}  // namespace gridstride::sim

// When things happen on the simulated GPU: streams, events and the host's clock, in modelled time.
//
// Work is executed in the order of the calls; here it is only placed. An operation starts when all
// of these are over: what the stream did before, what it was told to wait for, what the host waited
// for, what the legacy default stream demands (an operation of stream 0 waits for all blocking
// streams, and theirs wait for it), and what the engine it needs was given before. There is one
// engine for copies in each direction, which takes one after another, and one for kernels, which
// takes as many as leave room for each other (kernel_overlap.h). Copies overlap with kernels.
//
// Time is counted in whole picoseconds, so that the same work takes exactly as long at any moment.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "common/simulator/device/device.h"
#include "common/simulator/device/kernel_overlap.h"

namespace gridstride::sim {

enum class Engine : std::uint8_t { compute, to_device, to_host };

class Timeline {
 public:
  Timeline();

  struct Interval {
    double start = 0, seconds = 0;
  };
  /// Appends an operation to `stream`; `share`: of the device, what a kernel uses of it. Negative
  /// or absurd durations are clamped to [0, 10^5 s].
  Interval place(StreamId stream, Engine engine, double seconds, double share = 1);

  /// What a launch by the host takes: of the host, until it can make the next call; and of the device,
  /// before the kernel begins, which is done while a kernel before it in the stream still runs.
  struct LaunchCost {
    double host_seconds = 0, prepared_seconds = 0;
  };
  /// A kernel that takes `seconds`, preparation included, where nothing runs before it.
  Interval place_launch(StreamId stream, double seconds, LaunchCost cost, double share = 1);

  /// All of the following throw DeviceError(cudaErrorInvalidResourceHandle) for a handle that is
  /// not there, create_* cudaErrorMemoryAllocation when there are 32,768 already.
  StreamId create_stream(bool non_blocking);
  void destroy_stream(StreamId stream);  ///< its work still completes
  EventId create_event();
  void destroy_event(EventId event);
  void record(EventId event, StreamId stream);
  void wait(StreamId stream, EventId event);  ///< nothing to wait for while it was never recorded
  /// Also cudaErrorInvalidResourceHandle when one was never recorded.
  double elapsed(EventId from, EventId to) const;

  /// The host's clock moves to the end of the stream's work, or of all work.
  void synchronize(std::optional<StreamId> stream);
  /// Work begins when all that has been given is over, and the host is so far ahead of that.
  void begin_behind(double seconds);
  /// Throws for an unknown stream.
  void check(StreamId stream) const;
  /// When all work is over, in seconds.
  double idle() const;
  /// From when on the next work may begin, in picoseconds; and seconds from then until all work is over, which
  /// do not depend on what was before, not even in the last digit.
  std::int64_t mark() const { return std::max(host_, idle_); }
  double seconds_since(std::int64_t mark) const;

 private:
  using Ticks = std::int64_t;  // picoseconds

  struct Stream {
    Ticks ready = 0;
    bool non_blocking = false;
    bool after_kernel = false;  ///< nothing since the last kernel
  };
  Stream& stream(StreamId id);
  Ticks start_of(StreamId id, const Stream& stream) const;
  void advance(StreamId id, Stream& stream, Ticks to);

  std::map<StreamId, Stream> streams_;
  std::map<EventId, std::optional<Ticks>> events_;
  std::uint64_t next_id_ = 1;
  std::array<Ticks, 3> engine_ready_{};  ///< of the engines for copies
  KernelOverlap kernels_;
  Ticks host_ = 0, idle_ = 0;
  Ticks earliest_ = 0;      ///< that work may begin, though the host was there before
  Ticks blocking_end_ = 0;  ///< of all blocking streams, those destroyed included
};

}  // namespace gridstride::sim

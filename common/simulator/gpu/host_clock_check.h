// Holds a GPU's timestamps against the host's clock.
//
// A call is timed by events, and what they say stands in memory of the context that the call's kernels
// run in. A kernel that finds it there could write another time. So the opening of a turn's gate, and an
// event before it and one behind the turn, are on the host's clock too, which no kernel reaches:
//
//     GPU    ─ reference ──────── gate, lead ┤ turn ├─ next reference ─
//     host     before ┤├ after         │ opened         before ┤├ after
//
// A start that lies later behind the reference than gate and lead explain was moved: by so much the turn
// took longer. And when from one reference to the next less time has gone by on the GPU than on the
// host, the first was moved as well: then what the host's clock says is added.
//
// The two clocks are two crystals. What they may differ by is added too, so that nobody gains by
// waiting until it is much.
#pragma once

#include <cuda.h>

#include <chrono>

#include "common/simulator/gpu/driver.h"

namespace gridstride::sim {

/// Of one context; used by one thread.
class HostClockCheck {
 public:
  using Seconds = std::chrono::duration<double>;
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  /// Gate and lead may take so much longer than once before. On an H200 none of 3111 turns did by more
  /// than 0.1 us, half of them lay 9 us below.
  static constexpr Seconds slack{5e-6};
  /// Two crystals of 100 parts in a million each.
  static constexpr double drift = 2e-4;

  explicit HostClockCheck(const Driver& driver);
  ~HostClockCheck();
  HostClockCheck(const HostClockCheck&) = delete;
  HostClockCheck& operator=(const HostClockCheck&) = delete;

  /// Begins to find out whether this GPU's timestamps go with the host's clock. The GPU is idle.
  void calibrate();
  /// Some milliseconds later. Where they do not (a simulated GPU has a time of its own), nothing is
  /// checked from here on.
  void calibrated();
  bool checks() const { return checks_; }

  /// A call begins. The GPU is idle.
  void begin();
  /// Makes room for refresh(), after calibrated().
  void prepare_to_refresh();
  /// Whatever waits on the GPU, and while nothing runs there: a new reference, so that the two clocks are compared over
  /// no more than a turn. Where the GPU does not get to it within a moment, the one before stays.
  void refresh();
  /// By how much the event `start`, behind a gate that was `opened` and work that takes `lead`, lies
  /// later than it can; 0 when it does not.
  Seconds beyond(CUevent start, Time opened, Seconds lead) const;
  /// The GPU is idle, a turn is over and another one may begin. What is to be added to the time that
  /// events say.
  Seconds next();

 private:
  struct Moment {
    CUevent event = nullptr;
    Time before, after;  ///< the event lies between
  };
  Moment made() const;
  void record(Moment& moment) const;
  Seconds between(CUevent from, CUevent to) const;

  const Driver& driver_;
  Moment reference_, next_;
  CUstream own_ = nullptr;  ///< of refresh(); waits for no other
  bool checks_ = false;
};

}  // namespace gridstride::sim

// How long a call takes on a real GPU, as the CUDA runtime would have made it.
//
// What a program queues reaches the GPU through a socket, and that must not be in the time. So what a
// call queues on an idle GPU stands behind a gate: the stream waits for a word in host memory. The gate
// opens when the program waits for the GPU, when so much is queued that the driver would block, and
// after a moment in any case; then all of it runs without a gap, between an event behind the gate and
// one behind the last operation of each stream. That is one turn. A program that waits, looks at a
// result and queues more gets another. The time of the call is that of all turns, and of what is
// between two:
//
//     GPU       ─ gate, lead ┤ turn 1 ├──────────────── gate, lead ┤ turn 2 ├─
//     program   queues, waits         │ thinks │ queues, waits
//     counted                └────────┴─ what it thought ──────────┴────────┘   and, for each time that
//                                                      it waited, what the driver needs to say so
//
// A GPU that has just passed a gate is not awake yet: the next commands have to be fetched from the
// host. Where nothing stands between a program and its GPU, that goes on while earlier work runs. So a
// lead runs first, some work of the device's own.
//
// Before the first gate opens the program knows nothing of its inputs, which only the GPU holds: what it
// computes meanwhile is not in the time, as it would not be while a GPU is busy with the launches
// before. Later it does know something. So what it thinks between two requests of a later turn counts
// where the GPU is not busy for as long.
//
// A program elsewhere asks over a network, whose pauses are in no time either. Its gate stays closed until it
// waits, however long that takes. Where a gate must open earlier, because the driver would block, the turn ends with
// what is queued by then, and goes on as another one, between which nothing is counted. What such a
// program thinks only the other end of the network sees, and thought() tells.
//
// The events are held against the host's clock: see host_clock_check.h.
#pragma once

#include <cuda.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "common/simulator/gpu/driver.h"
#include "common/simulator/gpu/host_clock_check.h"

namespace gridstride::sim {

/// Of one context. Its functions are called by one thread; all but begin() do nothing outside a call.
class CallClock {
 public:
  using Seconds = std::chrono::duration<double>;
  enum class Turn { first, later };
  /// Queues the lead of a turn on the stream: it must not wait.
  using Lead = std::function<void(CUstream, Turn)>;

  /// What a request takes on its way through the socket and the answer on its way back, between
  /// requests that do `work`.
  using Transport = std::function<Seconds(const std::function<void()>& work)>;

  /// Whose time events tell: the host's as well, or that of a GPU that is simulated.
  enum class Timestamps { of_hardware, of_their_own };

  /// Where the program is: at a socket of this host, or behind a network.
  enum class Program { here, elsewhere };

  /// `transport` is called once; empty where nothing goes through a socket. The GPU is idle.
  CallClock(const Driver& driver, const Transport& transport,
            Timestamps timestamps = Timestamps::of_hardware, Program program = Program::here);
  ~CallClock();
  CallClock(const CallClock&) = delete;
  CallClock& operator=(const CallClock&) = delete;

  /// A call begins; the GPU is idle. `lead` is called until the call ends.
  void begin(Lead lead);
  /// Before an operation is queued on `stream`.
  void queue(CUstream stream);
  /// Of a program elsewhere, before what it asks for: what it thought since its last answer, the way from it and to it
  /// taken off.
  void thought(Seconds seconds) { told_ += seconds; }
  /// A request of the program's is about to be served, or has been: meanwhile a call of the driver may block.
  void serving(bool begins);
  /// The program is about to hear that what it asked for is queued.
  void queued();
  /// Before the program waits, behind all that it queued. Nothing may wait for the GPU before this.
  void wait();
  /// The program is about to hear that what it waited for is over.
  void answer();
  /// Before `stream` is destroyed.
  void forget(CUstream stream);
  /// Opens the gate, so that a call of the driver may block.
  void open();
  /// Ends the call: waits, and returns its seconds. Throws DeviceError.
  double end();
  bool running() const { return running_; }

 private:
  using Time = std::chrono::steady_clock::time_point;

  struct Stop {
    CUevent event = nullptr;
    bool used = false;      ///< in this turn
    bool recorded = false;  ///< behind the stream's last operation
  };
  /// From the end of an operation to the begin of another that is queued when the first is over.
  Seconds measured_turnaround() const;
  bool all_idle() const;
  Seconds beyond_transport(Seconds seconds) const;
  /// The program asks for something.
  void asked();
  /// What the program thought beyond what the GPU was `busy` meanwhile, and forgets it.
  Seconds take_thought(Seconds busy);
  void begin_turn(CUstream stream, Turn lead);
  /// Adds this turn's time. The GPU is idle.
  void end_turn();
  /// The turn's operations were over at `until`: what the program thought for longer than that counts.
  void count_thoughts(Time until);
  /// Of a program elsewhere: the turn is over, and the GPU idle.
  void finish_turn();
  void open_now();
  bool gate_is_open();
  double seconds_until(const Stop& stop) const;
  /// Seconds of work before a turn's clock starts, on an idle GPU.
  Seconds measured_lead(Turn turn) const;
  Turn turn() const { return first_turn_ ? Turn::first : Turn::later; }
  void record_stops();
  /// With `mutex_` held.
  void open_gate();
  void open_after_a_moment();

  const Driver& driver_;
  const Program program_;
  HostClockCheck host_clock_;
  Seconds transport_{0}, turnaround_{0};
  std::map<Turn, Seconds> lead_seconds_;  ///< of the first call on; empty where nothing is checked
  CUevent start_ = nullptr;               ///< behind this turn's gate
  std::uint32_t* gate_ = nullptr;         ///< in host memory; open when it has come to `turns_`
  CUdeviceptr gate_address_ = 0;
  std::uint32_t turns_ = 0;         ///< of all calls
  std::map<CUstream, Stop> stops_;  ///< of streams that the call used
  bool running_ = false, started_ = false;
  bool first_turn_ = true;
  Turn led_ = Turn::first;  ///< the lead of this turn
  Lead lead_;
  int queued_ = 0;      ///< in this turn
  double longest_ = 0;  ///< seconds of this turn, until the ends of streams that are gone
  Seconds total_{0};    ///< of the turns before, and of what was between them
  Time asked_;
  std::optional<Time> served_;    ///< the program has heard that something is queued
  std::optional<Time> answered_;  ///< it has heard that the GPU is idle
  bool idle_ = false;             ///< it has heard so, and queued nothing since
  Seconds thought_{0};         ///< what it took since then, or between the requests of a later turn
  int trips_ = 0;              ///< requests of an idle GPU until something was queued
  Seconds told_{0};            ///< by thought(), since the last request
  bool in_turn_ = false;       ///< of a program elsewhere: finish_turn() is still to come
  bool in_operation_ = false;  ///< of the same: between queue() and queued()

  std::mutex mutex_;  ///< of what the thread below uses
  std::condition_variable changed_;
  std::optional<Time> opens_at_;  ///< the gate is closed
  Time opened_;
  bool gated_ = false;  ///< this turn stood behind a gate
  bool ending_ = false;
  std::thread opener_;
};

/// The stream of an operation. The clock knows of it from here to the end of the request.
class QueuedOperation {
 public:
  QueuedOperation(CallClock& clock, CUstream stream) : clock_(clock), stream_(stream) {
    clock_.queue(stream);
  }
  ~QueuedOperation() { clock_.queued(); }
  QueuedOperation(const QueuedOperation&) = delete;
  QueuedOperation& operator=(const QueuedOperation&) = delete;

  operator CUstream() const { return stream_; }

 private:
  CallClock& clock_;
  CUstream stream_;
};

}  // namespace gridstride::sim

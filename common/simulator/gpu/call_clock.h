// How long a call takes on a real GPU, as the CUDA runtime would have made it.
//
// What a program queues reaches the GPU through a socket, and that must not be in the time. So the
// first thing that a call queues stands behind a gate: the stream waits for a word in host memory.
// The gate opens when the program waits for the GPU, when so much is queued that the driver would
// block, and after a moment in any case; then all of it runs without a gap, between an event behind
// the gate and one behind the last operation of each stream.
//
// Until the gate is open the program knows nothing of its inputs, which only the GPU holds: what it
// computes meanwhile is not in the time, as it would not be while a GPU is busy with the launches
// before. From then on the clock runs, whatever the host does. When the program has waited and the
// GPU was idle until it asked for something again, `transport` of that is our socket's and not counted.
#pragma once

#include <cuda.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "common/simulator/gpu/driver.h"

namespace gridstride::sim {

/// Of one context. Its functions are called by one thread; all but begin() do nothing outside a call.
class CallClock {
 public:
  using Seconds = std::chrono::duration<double>;

  /// `transport`: seconds that a request takes through the socket, and its answer.
  CallClock(const Driver& driver, Seconds transport);
  ~CallClock();
  CallClock(const CallClock&) = delete;
  CallClock& operator=(const CallClock&) = delete;

  /// A call begins; the GPU is idle.
  void begin();
  /// Before an operation is queued on `stream`.
  void queue(CUstream stream);
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
  struct Stop {
    CUevent event = nullptr;
    bool recorded = false;  ///< behind the stream's last operation
  };
  bool all_idle() const;
  /// The program asks for something again, after it may have heard that the GPU is idle.
  void asked_again();
  void open_after_a_moment();

  const Driver& driver_;
  Seconds transport_;
  CUevent start_ = nullptr;
  std::uint32_t* gate_ = nullptr;  ///< in host memory; open when it has come to `calls_`
  CUdeviceptr gate_address_ = 0;
  std::uint32_t calls_ = 0;
  std::map<CUstream, Stop> stops_;  ///< of streams that the call used
  bool running_ = false, started_ = false, opened_ = false;
  int queued_ = 0;
  std::optional<std::chrono::steady_clock::time_point> answered_;  ///< with an idle GPU
  /// Of transport while the GPU was idle: what is in the time, and what will be when something is
  /// queued behind it.
  Seconds not_counted_{0}, idle_{0};
  double longest_ = 0;  ///< seconds from start_ to the ends of streams that are gone

  std::mutex mutex_;  ///< of what the thread below reads
  std::condition_variable changed_;
  std::optional<std::chrono::steady_clock::time_point> opens_at_;
  bool ending_ = false;
  std::thread opener_;
};

}  // namespace gridstride::sim

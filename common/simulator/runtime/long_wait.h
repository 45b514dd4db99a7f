// Tells somebody who waits for a program what it is that takes so long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

namespace gridstride::sim {

/// Says once that no kernel has been launched, and of a kernel that it is still running: after `first`, after twice
/// that, and so on. A thread of its own says it, which runs until the process ends: so an object is never destroyed,
/// and what it is told may be told by any thread, for one kernel at a time.
class LongWait {
 public:
  using Say = std::function<void(const std::string&)>;

  LongWait(std::chrono::milliseconds first, Say say);
  LongWait(const LongWait&) = delete;
  LongWait& operator=(const LongWait&) = delete;
  ~LongWait() = delete;

  void begins(const std::string& kernel);
  void ended();

  /// The host's call that launches: with it a kernel has ended, if one began.
  class Launch {
   public:
    explicit Launch(LongWait* wait) : wait_(wait) {}
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;
    ~Launch() {
      if (wait_ != nullptr) wait_->ended();
    }

   private:
    LongWait* wait_;
  };

 private:
  using Clock = std::chrono::steady_clock;

  void watch();
  std::string words() const;

  const std::chrono::milliseconds first_;
  const Say say_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string kernel_;             ///< that runs; empty: none
  bool any_ = false;               ///< whether one was launched
  Clock::time_point since_;        ///< when it was, or when the program began
  std::chrono::milliseconds due_;  ///< after since_, when there is something to say
};

/// The one of this process, made by the first call; null where `lab` does not wait for the program.
LongWait* long_wait();

}  // namespace gridstride::sim

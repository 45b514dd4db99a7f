// The program's own threads get its signals, as they would without this one.
#include "common/simulator/runtime/long_wait.h"

#include <fmt/core.h>
#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace gridstride::sim {

LongWait::LongWait(std::chrono::milliseconds first, Say say)
    : first_(first), say_(std::move(say)), since_(Clock::now()), due_(first) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([this] { watch(); }).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void LongWait::begins(const std::string& kernel) {
  const std::scoped_lock lock(mutex_);
  kernel_ = kernel;
  any_ = true;
  since_ = Clock::now();
  due_ = first_;
  changed_.notify_one();
}

void LongWait::ended() {
  const std::scoped_lock lock(mutex_);
  kernel_.clear();
}

void LongWait::watch() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const bool nothing_to_wait_for = any_ && kernel_.empty();
    if (nothing_to_wait_for) {
      changed_.wait(lock);
    } else if (Clock::now() < since_ + due_) {
      changed_.wait_until(lock, since_ + due_);
    } else {
      say_(words());
      due_ *= 2;
      if (!any_) changed_.wait(lock);
    }
  }
}

std::string LongWait::words() const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(due_).count();
  if (!any_) return fmt::format("{} s have passed, and no kernel has been launched yet", seconds);
  return fmt::format("{} has been running for {} s; a real GPU is much faster than a simulated one",
                     kernel_, seconds);
}

LongWait* long_wait() {
  using namespace std::chrono_literals;
  static LongWait* const wait =
      std::getenv("GRIDSTRIDE_SIM_REPORT") == nullptr
          ? nullptr
          : new LongWait(10s, [](const std::string& text) {
              std::fprintf(stderr, "gridstride: note: %s.\n", text.c_str());
            });
  return wait;
}

}  // namespace gridstride::sim

// With times of milliseconds in place of seconds: what is said, and that it is said no more often.
#include "common/simulator/runtime/long_wait.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gridstride::sim {
namespace {

using namespace std::chrono_literals;

/// What was said, for those who wait until it is. The watching thread outlives a test.
struct Said {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> words;

  LongWait::Say listener() {
    return [this](const std::string& text) {
      const std::scoped_lock lock(mutex);
      words.push_back(text);
      changed.notify_all();
    };
  }
  bool wait_for(std::size_t count, std::chrono::milliseconds most) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, most, [&] { return words.size() >= count; });
  }
};

TEST(LongWait, SaysOnceThatNoKernelIsLaunched) {
  auto& said = *new Said;
  new LongWait(20ms, said.listener());
  ASSERT_TRUE(said.wait_for(1, 10s));
  EXPECT_EQ(said.words[0], "0 s have passed, and no kernel has been launched yet");
  EXPECT_FALSE(said.wait_for(2, 100ms));
}

TEST(LongWait, SaysOfAKernelThatItStillRunsLessAndLessOften) {
  auto& said = *new Said;
  auto& wait = *new LongWait(20ms, said.listener());
  wait.begins("spin(int*)");
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(said.wait_for(3, 10s));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 80ms) << "after 20, 40 and 80";
  EXPECT_EQ(said.words[2],
            "spin(int*) has been running for 0 s; a real GPU is much faster than a simulated one");
  wait.ended();
  const std::size_t until_then = said.words.size();
  EXPECT_FALSE(said.wait_for(until_then + 1, 400ms)) << "there is nothing to wait for";
}

TEST(LongWait, SaysNothingOfKernelsThatEnd) {
  auto& said = *new Said;
  auto& wait = *new LongWait(2s, said.listener());
  for (int i = 0; i < 100; ++i) {
    wait.begins("quick()");
    wait.ended();
  }
  EXPECT_FALSE(said.wait_for(1, 50ms));
}

}  // namespace
}  // namespace gridstride::sim

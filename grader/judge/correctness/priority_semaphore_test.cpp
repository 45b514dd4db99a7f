// Who may work, and when.
#include "grader/judge/correctness/priority_semaphore.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gridstride {
namespace {

constexpr auto moment = std::chrono::milliseconds(20);

TEST(PrioritySemaphore, NeverMoreAtOnceThanAllowed) {
  PrioritySemaphore semaphore(2);
  std::atomic<int> working = 0, most = 0;
  std::vector<std::future<void>> all;
  for (int i = 0; i < 12; ++i) {
    all.push_back(std::async(std::launch::async, [&] {
      semaphore.run(0, [&] {
        const int now = ++working;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
        std::this_thread::sleep_for(moment / 4);
        --working;
      });
    }));
  }
  for (auto& one : all) one.get();
  EXPECT_EQ(most, 2);
}

TEST(PrioritySemaphore, TheLowestRankComesFirst) {
  PrioritySemaphore semaphore(1);
  std::vector<int> order;  // written by one at a time
  std::vector<std::future<void>> all;
  std::promise<void> go;
  all.push_back(
      std::async(std::launch::async, [&] { semaphore.run(9, [&] { go.get_future().wait(); }); }));
  std::this_thread::sleep_for(moment);
  for (const int rank : {3, 1, 2, 1}) {
    all.push_back(std::async(std::launch::async,
                             [&, rank] { semaphore.run(rank, [&] { order.push_back(rank); }); }));
    std::this_thread::sleep_for(moment);
  }
  go.set_value();
  for (auto& one : all) one.get();
  EXPECT_EQ(order, (std::vector<int>{1, 1, 2, 3}));
}

TEST(PrioritySemaphore, APermitIsGivenBackAfterAnException) {
  PrioritySemaphore semaphore(1);
  EXPECT_THROW(semaphore.run(0, []() -> int { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_EQ(semaphore.run(0, [] { return 7; }), 7);
}

TEST(PrioritySemaphore, WhoWaitsWhenItIsCancelledDoesNotBegin) {
  PrioritySemaphore semaphore(1);
  std::promise<void> go;
  auto working = std::async(std::launch::async, [&] {
    return semaphore.run(0, [&] {
      go.get_future().wait();
      return true;
    });
  });
  std::this_thread::sleep_for(moment);
  auto waiting = std::async(std::launch::async, [&] { semaphore.run(0, [] {}); });
  std::this_thread::sleep_for(moment);
  semaphore.cancel();
  EXPECT_THROW(waiting.get(), Cancelled);
  EXPECT_THROW(semaphore.run(0, [] {}), Cancelled);
  go.set_value();
  EXPECT_TRUE(working.get()) << "what had begun is finished";
}

}  // namespace
}  // namespace gridstride

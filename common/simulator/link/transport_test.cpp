#include "common/simulator/link/transport.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace gridstride::sim {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

TEST(Transport, IsTheWayAloneAndNotTheWorkAtItsEnd) {
  int requests = 0;
  Seconds working{0};
  const auto begin = Clock::now();
  const Seconds transport = transport_seconds(
      [&] {
        ++requests;
        const auto from = Clock::now();
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        working += Clock::now() - from;
      },
      Waiting::busily);
  const Seconds all = Clock::now() - begin;
  EXPECT_GE(requests, 100) << "a median of few";
  EXPECT_GT(transport.count(), 0);
  // At least half of the ways take as long as the median or longer.
  EXPECT_LE(transport * (requests - 1) / 2, all - working);
}

}  // namespace
}  // namespace gridstride::sim

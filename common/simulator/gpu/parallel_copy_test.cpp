// Every byte, by any number of threads.
#include "common/simulator/gpu/parallel_copy.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gridstride::sim {
namespace {

class ParallelCopyTest : public testing::TestWithParam<std::size_t> {};

TEST_P(ParallelCopyTest, CopiesEveryByteAndNoOther) {
  ParallelCopy copies(GetParam());
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{1000}, (std::size_t{1} << 20) + 5,
        std::size_t{3} << 20, (std::size_t{8} << 20) - 1}) {
    std::vector<std::byte> from(bytes), to(bytes + 1, std::byte{0x5a});
    for (std::size_t i = 0; i < bytes; ++i)
      from[i] = static_cast<std::byte>(static_cast<std::uint8_t>(i * 31 + i / 251));
    copies.copy(to, from);
    EXPECT_EQ(to.back(), std::byte{0x5a}) << bytes;
    to.pop_back();
    EXPECT_TRUE(to == from) << bytes;
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelCopyTest, testing::Values(0, 1, 2, 3, 4, 7));

}  // namespace
}  // namespace gridstride::sim

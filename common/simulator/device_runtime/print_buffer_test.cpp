// The ring of what kernels print.
#include "common/simulator/device_runtime/print_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gridstride::sim {
namespace {

TEST(PrintBuffer, KeepsTheOrderOfTheCalls) {
  PrintBuffer buffer;
  EXPECT_EQ(buffer.capacity(), PrintBuffer::usual_bytes);
  buffer.add("one ");
  buffer.add("two");
  EXPECT_EQ(buffer.take(), "one two");
  EXPECT_EQ(buffer.take(), "");
}

TEST(PrintBuffer, TheNewestOverwritesTheOldest) {
  PrintBuffer buffer;
  buffer.set_capacity(2 * (PrintBuffer::call_bytes + 2));
  for (const char* text : {"a\n", "b\n", "c\n", "d\n"}) buffer.add(text);
  const std::string text = buffer.take();
  EXPECT_NE(text.find("36 bytes, was too small: the first 2 calls"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(")\nc\nd\n")) << text;
  buffer.add("e\n");  // there is room again
  EXPECT_EQ(buffer.take(), "e\n");
}

TEST(PrintBuffer, ACallThatDoesNotFitAtAllIsLost) {
  PrintBuffer buffer;
  buffer.set_capacity(20);
  buffer.add("twelve bytes");
  EXPECT_NE(buffer.take().find("the first 1 calls"), std::string::npos);
}

TEST(PrintBuffer, CannotBeGivenAnyAmount) {
  PrintBuffer buffer;
  buffer.set_capacity(~std::uint64_t{0});
  EXPECT_EQ(buffer.capacity(), PrintBuffer::most_bytes);
}

}  // namespace
}  // namespace gridstride::sim

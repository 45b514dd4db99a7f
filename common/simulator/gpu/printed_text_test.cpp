#include "common/simulator/gpu/printed_text.h"

#include <gtest/gtest.h>

#include <string>

namespace gridstride::sim {
namespace {

TEST(ShorterAssertions, KeepWhatWasAssertedAndWhere) {
  EXPECT_EQ(
      shorter_assertions(
          "/home/me/my course/x.cu:9: void k(const float *, long) [with T = A::B]: block: [0,0,0], "
          "thread: [3,0,0] Assertion `a[i] < 1 && \"a `b` c\"` failed.\n"),
      "x.cu:9: block [0,0,0], thread [3,0,0]: the assertion `a[i] < 1 && \"a `b` c\"` fails\n");
  EXPECT_EQ(
      shorter_assertions("x.cu:12: k: block: [1,2,3], thread: [31,0,0] Assertion `0` failed."),
      "x.cu:12: block [1,2,3], thread [31,0,0]: the assertion `0` fails\n");
}

TEST(ShorterAssertions, LeaveOtherLinesAlone) {
  EXPECT_EQ(shorter_assertions(""), "");
  EXPECT_EQ(shorter_assertions("warning: something\n\nelse: Assertion failed.\n"),
            "warning: something\n\nelse: Assertion failed.\n");
  const std::string long_line = "x.cu:1: " + std::string(100000, 'a') + "\n";
  EXPECT_EQ(shorter_assertions(long_line), long_line);
}

}  // namespace
}  // namespace gridstride::sim

// Keys as terminals send them, several in one read, whole and broken.
#include "grader/cli/watch/keys.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gridstride::cli {
namespace {

using Keys = std::vector<std::string>;

TEST(Keys, AreTakenOneByOne) {
  EXPECT_EQ(keys_in(""), Keys{});
  EXPECT_EQ(keys_in("hq"), (Keys{"h", "q"}));
  EXPECT_EQ(keys_in("\x1b[Ah\x1b[6~q"), (Keys{"\x1b[A", "h", "\x1b[6~", "q"}));
  EXPECT_EQ(keys_in("\x1bOA"), Keys{"\x1b[A"}) << "application mode";
  EXPECT_EQ(keys_in("\x1b[1;5Cq"), (Keys{"\x1b[1;5C", "q"})) << "with Ctrl held";
  EXPECT_EQ(keys_in("\x1b"), Keys{"\x1b"}) << "Escape";
  EXPECT_EQ(keys_in("\x1b["), Keys{"\x1b["}) << "the rest is missing";
  EXPECT_EQ(keys_in("\x1b[5"), Keys{"\x1b[5"});
}

}  // namespace
}  // namespace gridstride::cli

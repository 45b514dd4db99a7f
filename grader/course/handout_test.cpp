// Which counters a handout speaks of.
#include "grader/course/handout.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/files.h"

namespace gridstride {
namespace {

TEST(Handout, NamesItsCountersInItsOrder) {
  const TemporaryFolder folder;
  write_file(folder.path() / "README.md",
             "All barriers and `branches` of the `kernel`.\n"
             "| `bank_conflicts` | some `x` flops |\n"
             "`bank_conflicts = 0`, `device_to_host_bytes`, `my_bank_conflicts_2`\n");
  EXPECT_EQ(handout_counters(folder.path()),
            (std::vector<std::string>{"branches", "bank_conflicts", "device_to_host_bytes"}));
}

TEST(Handout, MayBeMissing) {
  const TemporaryFolder folder;
  EXPECT_TRUE(handout_counters(folder.path()).empty());
}

}  // namespace
}  // namespace gridstride

// The machine's memory, or what a control group leaves of it.
#include "common/host_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>

#include "common/files.h"

namespace gridstride {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

class HostMemory : public testing::Test {
 protected:
  HostMemory() {
    fs::create_directories(folder_.path() / "proc/self");
    write_file(folder_.path() / "proc/meminfo", "MemTotal: 8388608 kB\nMemFree: 5 kB\n");
  }
  void limit(const std::string& group, const std::string& most) {
    fs::create_directories(folder_.path() / "sys/fs/cgroup" / group);
    write_file(folder_.path() / "sys/fs/cgroup" / group / "memory.max", most + "\n");
  }
  std::uint64_t memory() const { return host_memory(folder_.path()); }

  TemporaryFolder folder_;
};

TEST_F(HostMemory, IsTheMachines) { EXPECT_EQ(memory(), 8 * gib); }

TEST_F(HostMemory, IsWhatTheControlGroupsAroundUsLeave) {
  write_file(folder_.path() / "proc/self/cgroup", "4:memory:/old\n0::/a/b\n");
  limit("a/b", "max");
  EXPECT_EQ(memory(), 8 * gib);
  limit("a", "4294967296");
  EXPECT_EQ(memory(), 4 * gib);
  limit("a/b", "2147483648");
  EXPECT_EQ(memory(), 2 * gib);
  limit("a/b", "99999999999999");
  EXPECT_EQ(memory(), 4 * gib);
}

TEST_F(HostMemory, IsNothingWhereTheKernelSaysNothing) {
  fs::remove_all(folder_.path() / "proc");
  EXPECT_EQ(memory(), 0u);
}

TEST(HostMemoryHere, IsKnown) { EXPECT_GT(host_memory(), gib / 4); }

}  // namespace
}  // namespace gridstride

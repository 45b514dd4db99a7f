// What the kernel's counters say, and when a kill is held against the machine.
#include "grader/compile/memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>

#include "common/files.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

constexpr std::uint64_t promised = std::uint64_t{3} << 30;

TEST(Memory, IsReadFromTheKernelsFiles) {
  const TemporaryFolder root;
  fs::create_directories(root.path() / "proc/self");
  write_file(root.path() / "proc/vmstat", "nr_free_pages 12\noom_kill 7\n");
  write_file(root.path() / "proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    2048 kB\n");
  write_file(root.path() / "proc/self/cgroup", "4:memory:/old\n0::/user.slice/x.scope\n");
  MemoryState state = memory_state(root.path());
  EXPECT_EQ(state.kills, 7u);
  EXPECT_EQ(state.available_bytes, std::uint64_t{2} << 20);
  EXPECT_FALSE(state.kills_here) << "the group has no memory controller";
  const fs::path group = root.path() / "sys/fs/cgroup/user.slice/x.scope";
  fs::create_directories(group);
  write_file(group / "memory.events", "low 0\noom 3\noom_kill 2\noom_group_kill 1\n");
  state = memory_state(root.path());
  EXPECT_EQ(state.kills_here, 2u);
}

TEST(Memory, AMachineThatSaysNothingCountsAsNoKill) {
  const TemporaryFolder root;
  const MemoryState state = memory_state(root.path());
  EXPECT_EQ(state.kills, 0u);
  EXPECT_FALSE(ran_out_of_memory(state, state, promised));
}

TEST(Memory, AKillInOurGroupIsOurs) {
  MemoryState before{0, 5, promised * 4}, after{1, 6, promised * 4};
  EXPECT_TRUE(ran_out_of_memory(before, after, promised));
  after.kills_here = 0;
  EXPECT_FALSE(ran_out_of_memory(before, after, promised)) << "it was somebody else's";
}

TEST(Memory, WithoutAGroupAKillCountsWhereMemoryWasShort) {
  const MemoryState before{{}, 5, promised / 2}, after{{}, 6, promised / 2};
  EXPECT_TRUE(ran_out_of_memory(before, after, promised));
  EXPECT_FALSE(ran_out_of_memory(before, before, promised));
  const MemoryState plenty{{}, 5, promised * 2};
  EXPECT_FALSE(ran_out_of_memory(plenty, after, promised));
}

}  // namespace
}  // namespace gridstride

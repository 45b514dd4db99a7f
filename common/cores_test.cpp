// Affinity and cgroup quotas bound what is taken for available.
#include "common/cores.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <thread>

#include "common/files.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

TEST(Cores, AreThoseOfTheAffinityMask) {
  std::thread([] {  // the mask is a thread's own
    cpu_set_t mask;
    ASSERT_EQ(::sched_getaffinity(0, sizeof mask, &mask), 0);
    EXPECT_GE(available_cores(), 1);
    EXPECT_LE(available_cores(), CPU_COUNT(&mask));
    int first = 0;
    while (!CPU_ISSET(first, &mask)) ++first;
    CPU_ZERO(&mask);
    CPU_SET(first, &mask);
    ASSERT_EQ(::sched_setaffinity(0, sizeof mask, &mask), 0);
    EXPECT_EQ(available_cores(), 1);
  })
      .join();
}

TEST(Cores, AreNoMoreThanAnyGroupGrants) {
  const TemporaryFolder folder;
  const fs::path root = folder.path(), membership = root / "membership";
  fs::create_directories(root / "class/student");
  write_file(membership, "1:name=old:/\n0::/class/student\n");
  EXPECT_FALSE(cgroup_cores(membership, root));
  write_file(root / "class/student/cpu.max", "max 100000\n");
  EXPECT_FALSE(cgroup_cores(membership, root));
  write_file(root / "class/cpu.max", "350000 100000\n");
  EXPECT_EQ(cgroup_cores(membership, root), 4) << "a part of one is one more";
  write_file(root / "class/student/cpu.max", "50000 100000\n");
  EXPECT_EQ(cgroup_cores(membership, root), 1);
  EXPECT_FALSE(cgroup_cores(root / "none", root / "none"));
}

}  // namespace
}  // namespace gridstride

// Two that want the same file at once.
#include "common/file_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "common/files.h"

namespace gridstride {
namespace {

TEST(FileLock, WaitsForWhoeverHasIt) {
  const TemporaryFolder folder;
  UniqueFd first = lock_file(folder.path() / "lock");
  std::atomic<bool> second_has_it = false;
  std::jthread second([&] {
    const UniqueFd held = lock_file(folder.path() / "lock");
    second_has_it = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(second_has_it);
  first.reset();
  second.join();
  EXPECT_TRUE(second_has_it);
}

TEST(FileLock, SaysThatItWaits) {
  const TemporaryFolder folder;
  int waits = 0;
  const auto count = [&] { ++waits; };
  UniqueFd first = lock_file(folder.path() / "lock", count);
  EXPECT_EQ(waits, 0);
  const UniqueFd second = lock_file(folder.path() / "lock", [&] {
    count();
    first.reset();
  });
  EXPECT_EQ(waits, 1);
}

TEST(FileLock, SaysWhyThereIsNone) {
  const TemporaryFolder folder;
  EXPECT_THROW(lock_file(folder.path() / "nowhere/lock"), std::system_error);
  std::filesystem::create_symlink("elsewhere", folder.path() / "link");
  EXPECT_THROW(lock_file(folder.path() / "link"), std::system_error) << "it may be anybody's";
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "elsewhere"));
}

}  // namespace
}  // namespace gridstride

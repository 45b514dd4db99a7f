// Processes that are ended while they hold a folder.
#include "common/removed_on_signal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "common/files.h"
#include "common/unique_fd.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

/// Runs in a process of its own, in which it must end.
int status_of(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
    work();
    ::_exit(9);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

class RemovedOnSignalTest : public testing::Test {
 protected:
  RemovedOnSignalTest() { fs::create_directories(folder()); }
  fs::path folder() const { return scratch_.path() / "folder"; }
  static void fill(const fs::path& folder) {
    fs::create_directories(folder / "a/b/c");
    for (int i = 0; i < 300; ++i)
      std::ofstream(folder / "a/b" / ("a file with a long name " + std::to_string(i))) << "x";
  }
  TemporaryFolder scratch_;
};

TEST_F(RemovedOnSignalTest, TheFolderGoesAndTheSignalEndsTheProcess) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
    const int status = status_of([&] {
      const TemporaryFolder own;
      fill(own.path());
      fs::create_symlink(own.path(), scratch_.path() / "was");
      ::raise(signal);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal << " " << status;
    const fs::path was = fs::read_symlink(scratch_.path() / "was");
    EXPECT_FALSE(fs::exists(was)) << signal << " " << was;
    fs::remove(scratch_.path() / "was");
  }
}

/// Between the call that makes it and the list of what has to go.
TEST_F(RemovedOnSignalTest, ASignalWhileItIsMadeLeavesNothing) {
  for (int i = 0; i < 150; ++i) {
    const int status = status_of([&] {
      ::setenv("TMPDIR", folder().c_str(), 1);
      const TemporaryFolder first;  // from now on a signal removes what is listed
      const pid_t self = ::getpid();
      if (::fork() == 0) {
        ::usleep(static_cast<useconds_t>(2000 + 37 * i));
        ::kill(self, SIGTERM);
        ::_exit(0);
      }
      for (;;) const TemporaryFolder another;
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
    ASSERT_TRUE(fs::is_empty(folder())) << i << " " << *fs::directory_iterator(folder());
  }
}

TEST_F(RemovedOnSignalTest, AnAbortIsAnEndToo) {
  const int status = status_of([&] {
    remove_on_signal(folder().string());
    fill(folder());
    std::abort();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(RemovedOnSignalTest, LinksAreRemovedAndNotFollowed) {
  const TemporaryFolder other;
  write_file(other.path() / "stays", "x");
  status_of([&] {
    remove_on_signal(folder().string());
    fs::create_directory_symlink(other.path(), folder() / "link");
    ::raise(SIGTERM);
  });
  EXPECT_FALSE(fs::exists(folder()));
  EXPECT_TRUE(fs::exists(other.path() / "stays"));
}

TEST_F(RemovedOnSignalTest, WhatIsHeldNoLongerStays) {
  status_of([&] {
    remove_on_signal(folder().string());
    removed_otherwise(folder().string());
    ::raise(SIGTERM);
  });
  EXPECT_TRUE(fs::exists(folder()));
}

TEST_F(RemovedOnSignalTest, AnotherProcessRemovesNothing) {
  remove_on_signal(folder().string());
  const pid_t child = ::fork();
  if (child == 0) {
    ::raise(SIGTERM);
    ::_exit(9);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_TRUE(fs::exists(folder())) << "its parent's";
  removed_otherwise(folder().string());
}

TEST_F(RemovedOnSignalTest, AnIgnoredSignalStaysIgnored) {
  const int status = status_of([&] {
    ::signal(SIGTERM, SIG_IGN);
    remove_on_signal(folder().string());
    ::raise(SIGTERM);
    ::_exit(fs::exists(folder()) ? 5 : 6);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

TEST_F(RemovedOnSignalTest, WhatAKilledProcessLeftIsRemovedADayLater) {
  const auto make = [&](const std::string& name, std::chrono::hours age) {
    const fs::path made = scratch_.path() / name;
    fill(made);
    fs::last_write_time(made, fs::file_time_type::clock::now() - age);
    return made;
  };
  using std::chrono::hours;
  const fs::path left = make("gridstride-abcdef", hours(25)),
                 of_class = make("gridstride-class-abcdef", hours(25)),
                 young = make("gridstride-fedcba", hours(23)),
                 not_ours = make("gridstride-notes", hours(25)),
                 held = make("gridstride-locked", hours(25));
  const UniqueFd owner(::open(held.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(owner.get(), LOCK_SH), 0);
  // This process has looked already, so another one does.
  status_of([&] {
    ::setenv("TMPDIR", scratch_.path().c_str(), 1);
    ::execl("/proc/self/exe", "common_test", "--gtest_filter=*MakesATemporaryFolder",
            static_cast<char*>(nullptr));
  });
  EXPECT_FALSE(fs::exists(left));
  EXPECT_FALSE(fs::exists(of_class));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_TRUE(fs::exists(not_ours));
  EXPECT_TRUE(fs::exists(held));
}

TEST(TemporaryFolderTest, MakesATemporaryFolder) {
  const TemporaryFolder folder;
  EXPECT_TRUE(fs::is_directory(folder.path()));
}

}  // namespace
}  // namespace gridstride

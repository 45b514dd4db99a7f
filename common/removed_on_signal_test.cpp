// Processes that are ended while they hold a folder.
#include "common/removed_on_signal.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "common/files.h"

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

}  // namespace
}  // namespace gridstride

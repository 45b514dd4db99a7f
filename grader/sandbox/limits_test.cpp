// What student code may hold and ask of the system: by filter, by Landlock and by counting, each
// with bubblewrap and without. Where a machine has not what a limit is made of, the test says so.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "common/files.h"
#include "grader/sandbox/control_group.h"
#include "grader/sandbox/landlock.h"
#include "grader/sandbox/sandbox.h"
#include "grader/sandbox/system_calls.h"

namespace gridstride {
namespace {

namespace fs = std::filesystem;
using End = ChildOutcome::End;

class Limits : public testing::TestWithParam<SandboxPolicy> {
 protected:
  void SetUp() override {
    if (GetParam() == SandboxPolicy::required && !sandbox_status().available)
      GTEST_SKIP() << "needs bubblewrap: " << sandbox_status().reason;
  }
  static void needs_filter() {
    if (!why_no_system_call_filter().empty()) GTEST_SKIP() << why_no_system_call_filter();
  }
  ChildOptions hoarder(const std::string& kind, SystemCalls calls = SystemCalls::few) const {
    ChildOptions options;
    options.command = {GRIDSTRIDE_HOARDER, kind};
    options.readable = {GRIDSTRIDE_HOARDER};
    options.system_calls = calls;
    options.limits.wall_seconds = 30;
    options.limits.memory_bytes = std::uint64_t{200} << 20;
    options.limits.file_bytes = std::uint64_t{100} << 20;
    options.policy = GetParam();
    return options;
  }
  ChildOutcome run(const std::string& kind, SystemCalls calls = SystemCalls::few) const {
    return run_child(hoarder(kind, calls));
  }
  void expect_refused(const std::string& kind, const std::string& words) const {
    const ChildOutcome outcome = run(kind);
    EXPECT_EQ(outcome.end, End::exited) << outcome.describe({});
    EXPECT_EQ(outcome.output, words + ": Operation not permitted\n") << outcome.errors;
  }
};

TEST_P(Limits, RefusesMemoryThatBelongsToNoProcess) {
  needs_filter();
  if (IsSkipped()) return;
  expect_refused("memfd", "memfd_create");
  expect_refused("sysv", "shmget");
  expect_refused("messages", "msgget");
  expect_refused("queue", "mq_open");
  expect_refused("sockets", "socketpair");
  expect_refused("huge", "mmap");
}

TEST_P(Limits, RefusesWaysAroundTheSandbox) {
  needs_filter();
  if (IsSkipped()) return;
  expect_refused("ring", "io_uring_setup");
  expect_refused("namespace", "unshare");
  expect_refused("hidden", "prctl");
}

/// Where nothing refuses them.
TEST_P(Limits, CountsFilesWithoutANameThatNobodyMaps) {
  EXPECT_EQ(run("memfd", SystemCalls::all).end, End::memory);
}

TEST_P(Limits, CountsSharedPagesThatNobodyMaps) { EXPECT_EQ(run("unmapped").end, End::memory); }

TEST_P(Limits, CountsWhatIsAttached) { EXPECT_EQ(run("sysv", SystemCalls::all).end, End::memory); }

TEST_P(Limits, BoundsPosixSharedMemory) {
  if (GetParam() == SandboxPolicy::off && !has_landlock())
    GTEST_SKIP() << "needs Landlock or bubblewrap";
  const ChildOutcome outcome = run("shm");
  EXPECT_EQ(outcome.end, End::exited) << outcome.describe({});
  EXPECT_EQ(outcome.output, GetParam() == SandboxPolicy::off ? "open: Permission denied\n"
                                                             : "write: No space left on device\n");
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/dev/shm", ignored))
    EXPECT_NE(entry.path().filename().string().rfind("gridstride.", 0), 0u) << entry.path();
}

TEST_P(Limits, BoundsFilesAltogether) {
  const ChildOptions options = hoarder("files");
  const ChildOutcome outcome = run_child(options);
  if (GetParam() == SandboxPolicy::off) {
    EXPECT_EQ(outcome.end, End::files) << outcome.output;
    EXPECT_EQ(outcome.describe(options.limits), "wrote more than 100 MiB of files");
  } else {
    EXPECT_EQ(outcome.output, "write: No space left on device\n");
  }
}

TEST_P(Limits, BoundsFilesThatLostTheirName) {
  const ChildOutcome outcome = run("nameless");
  if (GetParam() == SandboxPolicy::off) {
    EXPECT_EQ(outcome.end, End::memory) << outcome.output;
  } else {
    EXPECT_EQ(outcome.output, "write: No space left on device\n");
  }
}

TEST_P(Limits, BoundsOpenFiles) {
  ChildOptions options = hoarder("pipes");
  options.limits.open_files = 64;
  EXPECT_EQ(run_child(options).output, "pipe: Too many open files\n");
}

TEST_P(Limits, WritesWhereItIsToldAndNowhereElse) {
  if (GetParam() == SandboxPolicy::off && !has_landlock())
    GTEST_SKIP() << "needs Landlock or bubblewrap";
  const TemporaryFolder writable, other;
  fs::permissions(other.path(), fs::perms::all);
  ChildOptions options = hoarder("");
  options.command = {"/usr/bin/bash", "-c",
                     "echo a > " + (writable.path() / "a").string() + "; echo b > " +
                         (other.path() / "b").string() +
                         "; echo c > $TMPDIR/c && cat $TMPDIR/c; echo gone > /dev/null || echo no"};
  options.writable = {writable.path()};
  const ChildOutcome outcome = run_child(options);
  EXPECT_EQ(outcome.output, "c\n") << outcome.errors;
  EXPECT_EQ(read_file(writable.path() / "a"), "a\n");
  EXPECT_FALSE(fs::exists(other.path() / "b"));
}

/// Faster than anybody who looks now and then.
TEST_P(Limits, AreTheKernelsWhereItHasControlGroups) {
  if (!control_group_status().available()) GTEST_SKIP() << control_group_status().reason;
  ChildOptions options = hoarder("plain");
  const ChildOutcome outcome = run_child(options);
  EXPECT_EQ(outcome.end, End::memory) << outcome.describe({}) << outcome.errors;
  EXPECT_LE(outcome.peak_memory_bytes, options.limits.memory_bytes / 16 * 17);

  options.command = {"/usr/bin/bash", "-c", "for i in {1..60}; do sleep 30 & done; wait"};
  options.limits.processes = 40;
  EXPECT_EQ(run_child(options).end, End::processes);
  for (const auto& entry : fs::directory_iterator(control_group_status().parent))
    EXPECT_NE(entry.path().filename().string().rfind("gridstride-", 0), 0u) << entry.path();
}

TEST(ControlGroups, SayWhyNotAndTheRepair) {
  const ControlGroupStatus& status = control_group_status();
  EXPECT_EQ(status.available(), status.reason.empty());
  EXPECT_EQ(status.available(), status.repair.empty());
}

TEST_P(Limits, LetsProgramsRunThatNeedNothingOfThis) {
  ChildOptions options = hoarder("");
  options.command = {"/usr/bin/bash", "-c", "seq 5 | sort -r | head -n 1; (sleep 0.1 & wait); :"};
  EXPECT_EQ(run_child(options).output, "5\n");
}

INSTANTIATE_TEST_SUITE_P(Policy, Limits,
                         testing::Values(SandboxPolicy::required, SandboxPolicy::off),
                         [](const auto& instance) {
                           return instance.param == SandboxPolicy::off ? "Off" : "Bubblewrap";
                         });

}  // namespace
}  // namespace gridstride

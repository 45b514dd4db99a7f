// What holds of a program that nobody trusts, with bubblewrap around it and without.
#include "grader/sandbox/sandbox.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "common/files.h"
#include "common/unique_fd.h"
#include "grader/sandbox/held_memory.h"
#include "grader/sandbox/process_tree.h"
#include "grader/sandbox/stop_children.h"

namespace gridstride {
namespace {

using End = ChildOutcome::End;

/// Every test runs under both policies; the first is not run, and says why, where bubblewrap
/// cannot.
class Sandbox : public testing::TestWithParam<SandboxPolicy> {
 protected:
  void SetUp() override {
    if (GetParam() == SandboxPolicy::required && !sandbox_status().available)
      GTEST_SKIP() << "needs bubblewrap: " << sandbox_status().reason;
  }
  ChildOptions shell(const std::string& script) const {
    ChildOptions options;
    options.command = {"/usr/bin/bash", "-c", script};
    options.environment = {{"PATH", "/usr/bin:/bin"}};
    options.policy = GetParam();
    return options;
  }
};

/// Processes on this machine whose command line holds `mark`.
int count_processes_with(const std::string& mark) {
  int count = 0;
  for (const ProcessInfo& process : list_processes()) {
    std::ifstream file("/proc/" + std::to_string(process.id) + "/cmdline");
    const std::string line((std::istreambuf_iterator<char>(file)), {});
    count += line.find(mark) != std::string::npos;
  }
  return count;
}

TEST_P(Sandbox, ReportsOutputAndExitCode) {
  const ChildOutcome outcome = run_child(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(outcome.end, End::exited);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.output, "out\n");
  EXPECT_EQ(outcome.errors, "err\n");
  EXPECT_FALSE(outcome.output_truncated);
}

TEST_P(Sandbox, NamesTheSignal) {
  const ChildOutcome outcome = run_child(shell("kill -SEGV $$"));
  EXPECT_EQ(outcome.end, End::signalled);
  EXPECT_EQ(outcome.signal, SIGSEGV);
  EXPECT_EQ(outcome.describe({}), "was ended by signal 11 (Segmentation fault)");
}

TEST_P(Sandbox, InheritsNoEnvironment) {
  ::setenv("GRIDSTRIDE_TEST_SECRET", "s3cret", 1);
  const ChildOutcome outcome = run_child(shell("env"));
  EXPECT_EQ(outcome.output.find("s3cret"), std::string::npos) << outcome.output;
}

TEST_P(Sandbox, PassesTheDescriptorsItIsGivenAndNoOther) {
  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  const UniqueFd ours(pair[0]), theirs(pair[1]);
  const UniqueFd leak(::dup2(ours.get(), 77));  // not close-on-exec
  ChildOptions options =
      shell("echo hello >&3; for fd in /proc/self/fd/*; do echo ${fd##*/}; done");
  options.inherit = {theirs.get()};
  const ChildOutcome outcome = run_child(options);
  char text[16] = {};
  EXPECT_EQ(::recv(ours.get(), text, sizeof text, MSG_DONTWAIT), 6);
  EXPECT_STREQ(text, "hello\n");
  EXPECT_EQ(outcome.output.find("77"), std::string::npos) << outcome.output;
}

TEST_P(Sandbox, KeepsOnlyTheFirstOfAFlood) {
  ChildOptions options = shell("head -c 50000000 /dev/zero; echo done >&2");
  options.limits.output_bytes = 1000;
  const ChildOutcome outcome = run_child(options);
  EXPECT_TRUE(outcome.succeeded());
  EXPECT_EQ(outcome.output.size(), 1000u);
  EXPECT_TRUE(outcome.output_truncated);
  EXPECT_EQ(outcome.errors, "done\n");
}

TEST_P(Sandbox, StopsWhatTakesTooLong) {
  ChildOptions options = shell("trap '' TERM INT HUP; while :; do :; done");
  options.limits.wall_seconds = 0.3;
  const ChildOutcome outcome = run_child(options);
  EXPECT_EQ(outcome.end, End::wall_clock);
  EXPECT_LT(outcome.wall_seconds, 5);
  EXPECT_EQ(outcome.describe(options.limits), "took longer than 0.3 s");
}

TEST_P(Sandbox, StopsWhatUsesTooMuchProcessorTime) {
  ChildOptions options = shell("while :; do :; done");
  options.limits.cpu_seconds = 1;
  options.limits.wall_seconds = 30;
  EXPECT_EQ(run_child(options).end, End::cpu_time);
}

TEST_P(Sandbox, StopsWhatUsesTooMuchMemory) {
  ChildOptions options = shell("x=$(head -c 400000000 /dev/zero | tr '\\0' x); sleep 20");
  options.limits.memory_bytes = 100u << 20;
  options.limits.wall_seconds = 30;
  const ChildOutcome outcome = run_child(options);
  EXPECT_EQ(outcome.end, End::memory) << outcome.describe(options.limits);
  EXPECT_EQ(outcome.describe(options.limits), "used more than 100 MiB of memory");
}

TEST_P(Sandbox, LeavesWhatStaysWithinItsLimitsAlone) {
  ChildOptions options =
      shell("x=$(head -c 4000000 /dev/zero | tr '\\0' x); sleep 0.3; echo ${#x}");
  options.limits.memory_bytes = 100u << 20;
  options.limits.processes = 10;
  options.limits.cpu_seconds = 10;
  const ChildOutcome outcome = run_child(options);
  EXPECT_EQ(outcome.output, "4000000\n") << outcome.describe(options.limits);
  EXPECT_GT(outcome.peak_memory_bytes, 4000000u);
}

TEST_P(Sandbox, StopsAForkBomb) {
  ChildOptions options = shell("bomb() { sleep 987.1 & bomb & }; bomb; sleep 987.1");
  options.limits.processes = 40;
  options.limits.wall_seconds = 30;
  const ChildOutcome outcome = run_child(options);
  EXPECT_EQ(outcome.end, End::processes) << outcome.describe(options.limits);
  EXPECT_EQ(count_processes_with("987.1"), 0);
}

TEST_P(Sandbox, StopsAForkBombThatDoubles) {
  ChildOptions options = shell("bomb() { while :; do bomb & done; }; bomb");
  options.limits.processes = 40;
  options.limits.wall_seconds = 30;
  const ChildOutcome outcome = run_child(options);
  EXPECT_EQ(outcome.end, End::processes) << outcome.describe(options.limits);
  EXPECT_LT(outcome.wall_seconds, 25);
}

TEST_P(Sandbox, LeavesNoDaemonBehind) {
  const ChildOutcome outcome =
      run_child(shell("trap '' HUP TERM; (setsid sleep 986.2 >/dev/null 2>&1 &) ; exit 0"));
  EXPECT_TRUE(outcome.succeeded());
  EXPECT_EQ(count_processes_with("986.2"), 0);
}

TEST_P(Sandbox, KillsWhenTheOwnerGoesAway) {
  {
    const ChildProcess child(shell("sleep 985.3"));
    EXPECT_TRUE(child.running());
  }
  EXPECT_EQ(count_processes_with("985.3"), 0);
}

TEST_P(Sandbox, DiesWithTheGrader) {
  const pid_t grader = ::fork();
  if (grader == 0) {
    const ChildProcess child(shell("sleep 984.4"));
    while (count_processes_with("sleep") == 0) std::this_thread::yield();
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(grader, &status, 0), grader);
  ASSERT_TRUE(WIFSIGNALED(status));
  for (int tries = 0; tries < 200 && count_processes_with("984.4") != 0; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(count_processes_with("984.4"), 0);
}

/// Who cleans up afterwards would leave behind what one of them writes yet.
TEST_P(Sandbox, ASignalEndsAllOfThemBeforeTheOwnerGoesOn) {
  const TemporaryFolder scratch;
  ChildOptions options = shell(
      "for i in 1 2 3 4; do (trap '' TERM INT; while :; do head -c 3000000 /dev/zero > $i; done) & "
      "done; wait");
  options.writable = {scratch.path()};
  options.working_folder = scratch.path();
  const StopChildrenOnSignal stop;
  std::thread sender([&scratch] {
    while (!std::filesystem::exists(scratch.path() / "4"))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::kill(::getpid(), SIGINT);
  });
  const ChildOutcome outcome = run_child(options);
  std::filesystem::remove_all(scratch.path());
  sender.join();
  EXPECT_EQ(stop.caught(), SIGINT);
  EXPECT_EQ(outcome.end, End::signalled);
  EXPECT_EQ(outcome.signal, SIGTERM);
  EXPECT_FALSE(std::filesystem::exists(scratch.path()));
}

TEST_P(Sandbox, LimitsTheSizeOfFiles) {
  ChildOptions options =
      shell("head -c 3000000 /dev/zero > \"$TMPDIR/big\"; stat -c %s \"$TMPDIR/big\"");
  options.limits.file_bytes = 1u << 20;
  const ChildOutcome outcome = run_child(options);
  EXPECT_EQ(outcome.output, "1048576\n") << outcome.errors;
}

TEST_P(Sandbox, SaysWhenTheProgramDoesNotExist) {
  ChildOptions options = shell("");
  options.command = {"/no/such/program"};
  std::string words;
  try {
    const ChildOutcome outcome = run_child(options);
    EXPECT_FALSE(outcome.succeeded());
    words = outcome.errors;
  } catch (const SandboxError& error) {
    words = error.what();
  }
  EXPECT_NE(words.find("/no/such/program"), std::string::npos);
}

/// Whether this process is root and may become somebody else.
bool can_change_users() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::setresuid(61000, 61000, 61000) == 0 ? 0 : 1);
  int status = 1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

TEST_P(Sandbox, DoesNotLetRootsProgramsTouchRootsFiles) {
  if (GetParam() == SandboxPolicy::off && !can_change_users())
    GTEST_SKIP() << "needs root: without bubblewrap a user's programs are that user's";
  const TemporaryFolder folder;
  write_file(folder.path() / "mine", "text");
  ChildOptions options = shell("echo x > " + (folder.path() / "mine").string() + "; kill -0 " +
                               std::to_string(::getpid()) + " && echo reached; touch here");
  EXPECT_EQ(run_child(options).output.find("reached"), std::string::npos);
  EXPECT_EQ(read_file(folder.path() / "mine"), "text");
}

INSTANTIATE_TEST_SUITE_P(Policy, Sandbox,
                         testing::Values(SandboxPolicy::required, SandboxPolicy::off),
                         [](const auto& instance) {
                           return instance.param == SandboxPolicy::off ? "Off" : "Bubblewrap";
                         });

/// What only bubblewrap gives.
class Bubblewrap : public Sandbox {};

TEST_P(Bubblewrap, ShowsNothingButTheSystem) {
  const TemporaryFolder folder;
  write_file(folder.path() / "secret", "expected values");
  const ChildOutcome outcome =
      run_child(shell("cat /etc/passwd " + (folder.path() / "secret").string() +
                      "; ls /; ls /proc | grep -c ^[0-9]"));
  EXPECT_EQ(outcome.output.find("root:"), std::string::npos);
  EXPECT_EQ(outcome.output.find("expected values"), std::string::npos);
  EXPECT_EQ(outcome.output.find("home"), std::string::npos) << outcome.output;
}

TEST_P(Bubblewrap, ShowsWhatItIsToldReadOnly) {
  const TemporaryFolder folder;
  write_file(folder.path() / "given", "text");
  ChildOptions options = shell("cat given; echo x > given; echo x > /usr/lib/x");
  options.readable = {folder.path()};
  options.working_folder = folder.path();
  const ChildOutcome outcome = run_child(options);
  EXPECT_EQ(outcome.output, "text");
  EXPECT_EQ(read_file(folder.path() / "given"), "text");
  EXPECT_NE(outcome.errors.find("Read-only"), std::string::npos) << outcome.errors;
}

/// Toolkits are reached through symbolic links below /usr/local.
TEST_P(Bubblewrap, TakesSystemPathsThroughLinks) {
  const auto folder = std::filesystem::path("/usr/lib64/../lib");
  ChildOptions options = shell("test -d " + folder.string());
  options.readable = {folder};
  EXPECT_TRUE(run_child(options).succeeded());
}

TEST_P(Bubblewrap, WritesWhereItIsTold) {
  const TemporaryFolder folder;
  ChildOptions options = shell("echo made > " + folder.path().string() + "/new");
  options.writable = {folder.path()};
  EXPECT_TRUE(run_child(options).succeeded());
  EXPECT_EQ(read_file(folder.path() / "new"), "made\n");
}

TEST_P(Bubblewrap, LimitsFilesInMemoryAltogether) {
  ChildOptions options = shell(
      "for place in / /dev /dev/shm /tmp; do for i in 1 2 3 4; do head -c 700000 /dev/zero > "
      "$place/f$i; done; done 2>/dev/null; cat /f? /dev/f? /dev/shm/f? /tmp/f? | wc -c");
  options.limits.file_bytes = 1u << 20;
  const ChildOutcome outcome = run_child(options);
  EXPECT_LE(std::stol(outcome.output), 2 << 20) << outcome.errors;
  EXPECT_GE(std::stol(outcome.output), 700000) << outcome.errors;
}

TEST_P(Bubblewrap, HidesWhatItIsTold) {
  ChildOptions options = shell("ls /usr/include | wc -l");
  options.hidden = {"/usr/include"};
  EXPECT_EQ(run_child(options).output, "0\n");
}

TEST_P(Bubblewrap, HasNoNetworkAndNoCapability) {
  const ChildOutcome outcome = run_child(shell(
      "cat /proc/net/dev | grep -c : ; grep CapEff /proc/self/status; "
      "(exec 9<>/dev/tcp/127.0.0.1/22) 2>/dev/null && echo connected; unshare -U true 2>/dev/null "
      "&& echo nested"));
  EXPECT_EQ(outcome.output.substr(0, 2), "1\n") << outcome.output;  // lo alone
  EXPECT_NE(outcome.output.find("CapEff:\t0000000000000000"), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find("connected"), std::string::npos);
  EXPECT_EQ(outcome.output.find("nested"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Policy, Bubblewrap, testing::Values(SandboxPolicy::required),
                         [](const auto&) { return "Bubblewrap"; });

TEST(ProcessTree, SeesOrphansThatComeBehindTheFirstLook) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  ProcessTree tree(::getpid());
  ASSERT_EQ(tree.look().size(), 1u);
  FILE* const shell = ::popen("sleep 100 > /dev/null & echo $!", "r");
  ASSERT_NE(shell, nullptr);
  pid_t orphan = 0;
  EXPECT_EQ(std::fscanf(shell, "%d", &orphan), 1);
  ::pclose(shell);
  for (int looks = 0; looks < 2; ++looks) {
    const std::vector<ProcessInfo> seen = tree.look();
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_TRUE(std::ranges::any_of(
        seen, [orphan](const ProcessInfo& process) { return process.id == orphan; }));
  }
  ::kill(orphan, SIGKILL);
  EXPECT_EQ(::waitpid(orphan, nullptr, 0), orphan);
  EXPECT_EQ(tree.look().size(), 1u);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(HeldMemory, KnowsSharedMemoryByWhateverItIsCalled) {
  const std::string mapping =
      "7f193d320000-7f193d420000 rw-s 00000000 00:01 88437                      ";
  EXPECT_TRUE(is_shared_memory(mapping + "/dev/zero (deleted)\n"));
  EXPECT_TRUE(is_shared_memory(mapping + "[anon_shmem:mine]\n"));  // prctl(PR_SET_VMA) names it so
  EXPECT_TRUE(is_shared_memory(mapping + "/memfd:mine (deleted)\n"));
  EXPECT_TRUE(is_shared_memory(mapping + "/SYSV00000000 (deleted)\n"));
  EXPECT_FALSE(is_shared_memory(mapping + "/usr/lib/libc.so.6\n"));
  EXPECT_FALSE(is_shared_memory(mapping + "[heap]\n"));
  EXPECT_FALSE(is_shared_memory(mapping));
}

TEST(SandboxStatus, SaysWhyNotAndTheRepair) {
  const SandboxStatus& status = sandbox_status();
  EXPECT_EQ(status.available, status.reason.empty());
  EXPECT_EQ(status.available, status.repair.empty());
}

}  // namespace
}  // namespace gridstride

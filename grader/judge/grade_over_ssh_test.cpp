// The device on another host, reached by ssh: grades are those of this host's, and what happens to the
// connection is nobody's fault.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "grader/judge/grading_program.h"
#include "grader/judge/test_sshd.h"

namespace gridstride {
namespace {

using namespace std::chrono_literals;

class OverSsh : public Grader {
 protected:
  void SetUp() override {
    if (TestSshd::program().empty())
      GTEST_SKIP() << "there is no sshd (apt-get install openssh-server)";
  }
  void connect(const fs::path& cache = {}) {
    sshd_ = std::make_unique<TestSshd>(cache);
    device_ = "ssh:gpu1,sim";
  }
  ChildOutcome grade_all(std::vector<std::string> arguments = {}) const {
    for (const char* stage : {"1_first", "2_second"}) arguments.push_back(source(stage, stage));
    return run_there(arguments);
  }
  static std::string source(const std::string& stage, const std::string& file) {
    return "--source=" + stage + "=" + (sources / file).string() + ".cu";
  }
  ChildOutcome run_there(const std::vector<std::string>& arguments) const {
    ChildOptions options = command(arguments, GRIDSTRIDE_TEST_FOLDER);
    if (sshd_) options.environment["PATH"] = sshd_->bin().string() + ":/usr/bin:/bin";
    return run_child(options);
  }
  /// Whether the device programs are on the other host.
  bool copied() const {
    std::error_code none;
    for (const auto& copy : fs::directory_iterator(sshd_->cache() / "gridstride", none))
      if (copy.path().filename().string()[0] != '.' &&  // those are being written
          fs::exists(copy.path() / "bin/gridstride-link"))
        return true;
    return false;
  }
  std::string graded_here() {
    device_ = "sim";
    EXPECT_EQ(grade_all().exit_code, exit_pass);
    return read_file(json_);
  }
  void expect_not_graded(const std::string& words) {
    const ChildOutcome outcome = grade_all();
    EXPECT_EQ(outcome.exit_code, exit_infrastructure) << outcome.errors;
    const Results all = results();
    for (const StageResult& stage : all.labs.at(0).stages) {
      EXPECT_EQ(stage.verdict, Verdict::infrastructure) << stage.message;
      EXPECT_NE(stage.message.find(words), std::string::npos) << stage.message;
    }
  }

  std::unique_ptr<TestSshd> sshd_;
};

TEST_F(OverSsh, GivesTheGradesOfThisHost) {
  const std::string here = graded_here();
  connect();
  const ChildOutcome first = grade_all();
  EXPECT_EQ(first.exit_code, exit_pass) << first.output << first.errors;
  EXPECT_EQ(read_file(json_), here);
  EXPECT_NE(first.errors.find("the simulated GPU of gpu1"), std::string::npos) << first.errors;

  const auto copies = fs::directory_iterator(sshd_->cache() / "gridstride");
  const fs::path copy = copies->path() / "bin/gridstride-link";
  const auto made = fs::last_write_time(copy.parent_path());
  EXPECT_EQ(grade_all({"--jobs", "1"}).exit_code, exit_pass);
  EXPECT_EQ(read_file(json_), here);
  EXPECT_EQ(fs::last_write_time(copy.parent_path()), made) << "it is copied once";

  const fs::path explained = folder_.path() / "explained.json";
  EXPECT_EQ(grade_all({"1_first", "--explain", explained.string()}).exit_code, exit_pass);
  const std::string there = read_file(explained);
  device_ = "sim";
  EXPECT_EQ(grade_all({"1_first", "--explain", explained.string()}).exit_code, exit_pass);
  EXPECT_EQ(read_file(explained), there);
}

/// Of a driver for tests, whose GPU is the simulated one. Where the host has a GPU, that is what grades.
TEST_F(OverSsh, GradesOnAGpuOfThatHost) {
  sshd_ = std::make_unique<TestSshd>(fs::path(), "LD_LIBRARY_PATH=" GRIDSTRIDE_TEST_DRIVER
                                                 " GRIDSTRIDE_TEST_NVML=\"1980 3201 41 0 0\"");
  device_ = "ssh:gpu1";
  const ChildOutcome outcome = run_there({"1_first", source("1_first", "1_first")});
  EXPECT_NE(outcome.errors.find("a GPU of gpu1"), std::string::npos) << outcome.errors;
  const Results all = results();
  EXPECT_EQ(all.device.kind, "gpu");
  const StageResult& stage = all.labs.at(0).stages.at(0);
  EXPECT_EQ(stage.cases.passed, stage.cases.total) << stage.message;
  EXPECT_NE(stage.verdict, Verdict::infrastructure) << stage.message;
  ASSERT_TRUE(stage.conditions) << "that host says what its GPU is like";
  EXPECT_EQ(stage.conditions->highest_clock, 1980);
}

TEST_F(OverSsh, SaysWhyNoGpuOfThatHostAnswers) {
  connect();
  device_ = "ssh:gpu1,gpu";
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a GPU";
  expect_not_graded("No GPU of gpu1 answers: ");
  expect_not_graded("--device ssh:gpu1,sim");
}

TEST_F(OverSsh, GoesOnWhereItWasWhenTheConnectionIsLost) {
  const std::string here = graded_here();
  connect();
  auto outcome = std::async(std::launch::async, [this] { return grade_all({"--jobs", "1"}); });
  int dropped = 0;
  for (int drops = 0; drops < 2 && outcome.wait_for(0s) != std::future_status::ready;) {
    const bool at_work = copied();
    std::this_thread::sleep_for(at_work ? 200ms : 10ms);
    if (!at_work) continue;
    dropped += sshd_->drop_connections();
    ++drops;
  }
  const ChildOutcome ended = outcome.get();
  EXPECT_GE(dropped, 1);
  EXPECT_EQ(ended.exit_code, exit_pass) << ended.output << ended.errors;
  EXPECT_EQ(read_file(json_), here);
}

TEST_F(OverSsh, SaysThatTheConnectionIsLostForGood) {
  connect();
  auto outcome = std::async(std::launch::async, [this] {  // at work when the connection is lost
    const std::string slow = "sleeps_each_time";
    return run_there({"1_first", source("1_first", slow),
                      "--library=1_first=" + (libraries / (slow + ".so")).string()});
  });
  while (!copied() && outcome.wait_for(10ms) != std::future_status::ready) continue;
  std::this_thread::sleep_for(400ms);
  sshd_->stop();
  EXPECT_EQ(outcome.get().exit_code, exit_infrastructure);
  const StageResult stage = results().labs.at(0).stages.at(0);
  EXPECT_EQ(stage.verdict, Verdict::infrastructure) << stage.message;
  EXPECT_TRUE(stage.message.find("The connection to gpu1 was lost.") != std::string::npos ||
              stage.message.find("gpu1 cannot be reached") != std::string::npos)
      << stage.message;
}

TEST_F(OverSsh, SaysWhyTheHostWillNotDo) {
  connect("/proc/none");
  expect_not_graded("could not be copied to ~/.cache/gridstride on gpu1");

  connect();
  device_ = "ssh:none.invalid";
  expect_not_graded("none.invalid cannot be reached: what ssh says stands above.");

  device_ = "ssh:gpu1,sim";
  ASSERT_NE(grade_all({"1_first", "--gtest_filter=*n=33"}).exit_code, exit_infrastructure);
  const fs::path copy = fs::directory_iterator(sshd_->cache() / "gridstride")->path();
  write_file(copy / "bin/gridstride-link", "#!/bin/sh\necho 'GLIBC_2.99 not found' >&2\nexit 1\n");
  fs::permissions(copy / "bin/gridstride-link", fs::perms(0755));
  expect_not_graded("The device programs do not run on gpu1");

  sshd_.reset();
  ChildOptions options = command({"1_first"}, GRIDSTRIDE_TEST_FOLDER);
  fs::create_directories(folder_.path() / "bin");
  for (const char* name : {"bash", "cat", "sha256sum"})
    fs::create_symlink(find_program(name), folder_.path() / "bin" / name);
  options.environment["PATH"] = (folder_.path() / "bin").string();
  EXPECT_EQ(run_child(options).exit_code, exit_infrastructure);
  EXPECT_NE(results().labs.at(0).stages.at(0).message.find("apt-get install openssh-client"),
            std::string::npos);
}

TEST_F(OverSsh, TakesNoOptionForAHost) {
  for (const char* device : {"ssh:", "ssh:-oProxyCommand=true", "ssh:a b", "gpu1"}) {
    device_ = device;
    EXPECT_EQ(grade_all().exit_code, exit_usage) << device;
  }
}

}  // namespace
}  // namespace gridstride

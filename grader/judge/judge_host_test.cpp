// The judge against stages that do anything to their own process, on host memory in place of a GPU.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "common/files.h"
#include "grader/judge/correctness/outcome.h"
#include "grader/judge/runners/runner_client.h"
#include "grader/judge/runners/stage_clock.h"
#include "grader/judge/testlab/cases.h"
#include "grader/judge/testlab/testlab.h"
#include "grader/judge/timing/timers.h"
#include "grader/judge/verdict/stage_result.h"
#include "grader/sandbox/process_tree.h"
#include "grader/sandbox/sandbox.h"
#include "grader/sandbox/system_calls.h"

namespace gridstride {
namespace {

namespace fs = std::filesystem;

class HostJudge : public testing::Test {
 protected:
  HostJudge() {
    const fs::path build = GRIDSTRIDE_TEST_BUILD;
    grading_.installation.runner = GRIDSTRIDE_TEST_RUNNER;
    grading_.installation.cuda = {build / "host_cudart"};
    grading_.installation.tree = GRIDSTRIDE_TEST_TREE;
    grading_.installation.runner_memory = 300u << 20;
    grading_.real_call_limit = 1;
    grading_.gpu = true;
    grading_.hardware.l2_bytes = 1 << 20;
    grading_.hardware.bytes_per_second = 1e12;
    grading_.lab.name = "testlab";
    grading_.lab.timing_size = {{"gpu", 400000}};
    contract_.function = "twice";
    contract_.arguments = {std::begin(Signature<decltype(twice)>::arguments),
                           std::end(Signature<decltype(twice)>::arguments)};
    Suite<decltype(twice)> suite(contract_.suite);
    testlab::define(suite);
    config_.name = "stage";
    config_.function = "twice";
    config_.correctness_points = 8;
    config_.speed_points = 4;
  }

  StageTask task(const std::string& stage) const {
    StageTask task;
    task.config = &config_;
    task.contract = &contract_;
    task.library = library(stage);
    task.source = fs::path(GRIDSTRIDE_TEST_TREE) / "grader/judge/testlab/host" / (stage + ".cpp");
    task.baseline = library("slower");
    if (stage_seconds_ != 0)
      task.clock = std::make_shared<StageClock>(StageClock::Seconds(stage_seconds_));
    return task;
  }
  static fs::path library(const std::string& stage) {
    return fs::path(GRIDSTRIDE_TEST_BUILD) / (stage + ".so");
  }

  /// Runs all cases of a stage, as the grader does.
  StageResult grade(const std::string& stage) {
    StageState state;
    state.task = task(stage);
    state.result.name = stage;
    decide_by_files(grading_, state);
    if (state.decided) return state.result;
    state.correctness = std::make_unique<Correctness>(grading_, state.task);
    for (std::size_t i = 0; i < contract_.suite.cases.size(); ++i) state.correctness->run(i);
    decide_by_cases(state);
    if (!state.decided) state.result.verdict = Verdict::pass;
    return state.result;
  }

  void expect(const std::string& stage, Verdict verdict, const std::string& words) {
    const StageResult result = grade(stage);
    EXPECT_STREQ(name_of(result.verdict), name_of(verdict)) << result.message;
    EXPECT_NE(result.message.find(words), std::string::npos) << result.message;
  }

  /// Times a stage; the verdict and message of what went wrong.
  std::pair<Verdict, std::string> time(const std::string& stage, Measurement& measured,
                                       const std::string& baseline = "slower") {
    StageTask timed = task(stage);
    timed.baseline = library(baseline);
    MeasuringTimer timer(grading_, timed, required_);
    try {
      timer.start();
      for (int i = 0; i < timer.pairs(); ++i) timer.next();
      measured = timer.finish();
    } catch (const TimingFailure& failure) {
      return {failure.verdict(), failure.what()};
    }
    return {Verdict::pass, ""};
  }

  Grading grading_;
  Contract contract_;
  StageConfig config_;
  double required_ = 0;
  double stage_seconds_ = 0;
};

TEST_F(HostJudge, PassesWhatIsRight) {
  const StageResult result = grade("good");
  EXPECT_EQ(result.verdict, Verdict::pass) << result.message;
  EXPECT_EQ(result.cases.passed, result.cases.total);
  EXPECT_GE(result.cases.total, 10);
}

TEST_F(HostJudge, TimesWhatWorksInPlace) {
  contract_ = {};
  contract_.function = config_.function = "twice_in_place";
  contract_.arguments = {std::begin(Signature<decltype(twice_in_place)>::arguments),
                         std::end(Signature<decltype(twice_in_place)>::arguments)};
  Suite<decltype(twice_in_place)> suite(contract_.suite);
  suite.timing([](Rng& rng, std::int64_t n) {
    auto values = rng.uniform<float>(static_cast<std::size_t>(n), 1, 2);
    auto right = testlab::doubled(values);
    Timed timed;
    timed.call = Suite<decltype(twice_in_place)>::call(
        exactly(std::move(right)).initially(std::move(values)), n);
    return timed;
  });
  Measurement measured;
  const auto [verdict, message] = time("in_place", measured, "in_place");
  EXPECT_EQ(verdict, Verdict::pass) << message;
}

TEST_F(HostJudge, KnowsAnUntouchedSkeleton) {
  const StageResult result = grade("writes_nothing");
  EXPECT_EQ(result.verdict, Verdict::todo) << result.message;
  EXPECT_EQ(result.score, 0);
}

TEST_F(HostJudge, FailsNotANumber) { expect("not_a_number", Verdict::wrong, "out[0] is nan"); }

TEST_F(HostJudge, SeesARaggedTail) {
  expect("drops_the_tail", Verdict::wrong, "Every size that is not a multiple of 32 fails");
}

TEST_F(HostJudge, SeesAShiftByOne) {
  expect("off_by_one", Verdict::wrong, "what belongs one place further on");
}

TEST_F(HostJudge, SeesWritesPastTheEnd) {
  expect("writes_past_the_end", Verdict::wrong, "4 bytes past its last");
}

TEST_F(HostJudge, SeesWritesBeforeTheBeginning) {
  expect("writes_before_the_beginning", Verdict::wrong, "4 bytes before its first");
}

TEST_F(HostJudge, PoisonsWhatLiesBehindAnInput) {
  expect("reads_past_the_end", Verdict::wrong, "is nan");
}

TEST_F(HostJudge, PoisonsScratch) {
  expect("uses_scratch_uninitialised", Verdict::wrong, "is nan");
}

TEST_F(HostJudge, SeesChangedInputs) {
  expect("changes_its_input", Verdict::wrong, "changed its input: in[0]");
}

TEST_F(HostJudge, SeesResultsThatDiffer) {
  expect("different_each_time", Verdict::wrong, "second of two equal calls");
}

TEST_F(HostJudge, ReportsExceptionsWithoutTheirControlCharacters) {
  expect("throws", Verdict::crash,
         "threw an exception, in its own words: \"no idea\\x1b[31m how\"");
}

TEST_F(HostJudge, ReportsCrashes) {
  expect("segmentation_fault", Verdict::crash, "signal 11 (Segmentation fault) during the call");
  expect("segmentation_fault", Verdict::crash, "address that is not the host's");
}

TEST_F(HostJudge, IsNotFooledByASuccessfulExit) {
  expect("exits_in_a_constructor", Verdict::crash,
         "exit code 0 while the stage's library was being loaded");
}

TEST_F(HostJudge, IsNotFooledByForgedAnswers) {
  expect("forges_answers", Verdict::suspicious, "wrote into the grader's connection");
}

TEST_F(HostJudge, EndsEndlessLoops) {
  expect("endless_loop", Verdict::timeout, "no answer within");
}

TEST_F(HostJudge, IsNotHeldUpByFloods) { expect("floods", Verdict::pass, ""); }

TEST_F(HostJudge, EndsForkBombs) {
  grading_.real_call_limit = 10;
  expect("fork_bomb", Verdict::crash, "processes");
}

TEST_F(HostJudge, EndsMemoryHogs) {
  grading_.real_call_limit = 10;
  expect("uses_up_memory", Verdict::out_of_memory, "300 MiB");
}

TEST_F(HostJudge, EndsWhatStops) { expect("stops_itself", Verdict::timeout, "no answer within"); }

TEST_F(HostJudge, EndsStagesThatStayBelowTheLimitOfEachCall) {
  stage_seconds_ = 2;
  const auto begin = std::chrono::steady_clock::now();
  expect("sleeps_each_time", Verdict::timeout,
         "the stage's calls took more than 2 s together, all that lab.toml gives a stage "
         "(stage_seconds); it ended during the call");
  const std::chrono::duration<double> age = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(age.count(), 8);  // of which are 2 s of calls; all of them would take 14 s
  expect("good", Verdict::pass, "");
}

TEST_F(HostJudge, EndsTimingThatStaysBelowTheLimitOfEachCall) {
  stage_seconds_ = 3;
  Measurement measured;
  try {
    time("sleeps_each_time", measured);
    ADD_FAILURE() << "was timed";
  } catch (const RunnerError& error) {
    EXPECT_EQ(outcome_of(error, "").verdict, Verdict::timeout);
    EXPECT_NE(std::string(error.what()).find("more than 3 s together"), std::string::npos)
        << error.what();
  }
}

TEST_F(HostJudge, EndsHoardsOfMemoryThatBelongsToNoProcess) {
  grading_.real_call_limit = 10;
  for (const SandboxPolicy policy : {SandboxPolicy::when_available, SandboxPolicy::off}) {
    grading_.installation.sandbox = policy;
    expect("hoards_nameless_files", Verdict::out_of_memory, "300 MiB");
    if (why_no_system_call_filter().empty())
      expect("hoards_segments", Verdict::crash, "no segment");
  }
}

TEST_F(HostJudge, EndsFloodsOfFiles) {
  grading_.real_call_limit = 10;
  if (sandbox_status().available) expect("fills_the_disk", Verdict::pass, "");
  grading_.installation.sandbox = SandboxPolicy::off;
  expect("fills_the_disk", Verdict::crash, "wrote more than 64 MiB of files");
}

TEST_F(HostJudge, SaysWhichFunctionIsMissing) {
  expect("defines_nothing", Verdict::compile_error, "does not define twice()");
}

TEST_F(HostJudge, ShowsNothingToStages) {
  if (!sandbox_status().available) GTEST_SKIP() << "needs bubblewrap: " << sandbox_status().reason;
  expect("looks_around", Verdict::pass, "");
}

TEST_F(HostJudge, LeavesNothingRunning) {
  expect("other_process_lives_on", Verdict::pass, "");
  for (const ProcessInfo& process : list_processes()) {
    std::ifstream file("/proc/" + std::to_string(process.id) + "/cmdline");
    const std::string line((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(line.find("983.7"), std::string::npos);
  }
}

/// Without bubblewrap what is left still holds.
TEST_F(HostJudge, HoldsWithoutASandbox) {
  grading_.installation.sandbox = SandboxPolicy::off;
  grading_.real_call_limit = 10;
  expect("good", Verdict::pass, "");
  expect("forges_answers", Verdict::suspicious, "");
  expect("segmentation_fault", Verdict::crash, "signal 11");
  expect("fork_bomb", Verdict::crash, "processes");
  expect("uses_up_memory", Verdict::out_of_memory, "300 MiB");
  expect("other_process_lives_on", Verdict::pass, "");
  for (const ProcessInfo& process : list_processes()) {
    std::ifstream file("/proc/" + std::to_string(process.id) + "/cmdline");
    const std::string line((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(line.find("983.7"), std::string::npos);
  }
}

TEST_F(HostJudge, RefusesSourcesThatAreNoPlainFiles) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "folder.cu");
  fs::create_symlink("/etc/passwd", folder.path() / "link.cu");
  for (const char* name : {"folder.cu", "link.cu", "missing.cu"}) {
    StageState state;
    state.task = task("good");
    state.task.source = folder.path() / name;
    decide_by_files(grading_, state);
    EXPECT_EQ(state.result.verdict, Verdict::compile_error) << name;
    EXPECT_TRUE(state.decided);
  }
}

TEST_F(HostJudge, NeedsABuiltStage) {
  StageState state;
  state.task = task("good");
  state.task.library = "/no/such/library.so";
  decide_by_files(grading_, state);
  EXPECT_EQ(state.result.verdict, Verdict::infrastructure);
  EXPECT_NE(state.result.message.find("Repair"), std::string::npos);
}

TEST_F(HostJudge, AStageThatCompilesAndIsMissingIsNotTheStudentsFault) {
  const TemporaryFolder folder;
  StageState state;
  state.task = task("good");
  state.task.library = folder.path() / "good.so";
  std::ofstream(folder.path() / "good.log") << "\n";
  decide_by_files(grading_, state);
  EXPECT_EQ(state.result.verdict, Verdict::infrastructure);
  EXPECT_NE(state.result.message.find("good.cpp compiles, but good.so is missing"),
            std::string::npos)
      << state.result.message;
}

TEST_F(HostJudge, NeedsTheSandboxWhereItIsDemanded) {
  grading_.installation.sandbox = SandboxPolicy::required;
  if (sandbox_status().available) {
    EXPECT_EQ(grade("good").verdict, Verdict::pass);
  } else {
    EXPECT_EQ(grade("good").verdict, Verdict::infrastructure);
  }
}

TEST_F(HostJudge, MeasuresRatios) {
  Measurement measured;
  const auto [verdict, message] = time("good", measured);
  EXPECT_EQ(verdict, Verdict::pass) << message;
  EXPECT_GT(measured.speedup.value, 1.5);
  EXPECT_LE(measured.speedup.low, measured.speedup.value);
  EXPECT_GE(measured.speedup.high, measured.speedup.value);
  EXPECT_GT(measured.seconds.student, 0);
}

TEST_F(HostJudge, IsNotFooledByReplays) {
  expect("replays", Verdict::pass, "");
  Measurement measured;
  const auto [verdict, message] = time("replays", measured);
  EXPECT_EQ(verdict, Verdict::wrong);
  EXPECT_NE(message.find("timed call"), std::string::npos) << message;
}

TEST_F(HostJudge, LooksAtAnswersThatNobodyCanForesee) {
  grading_.seed = 1;
  Measurement measured;
  const auto [verdict, message] = time("skips_half", measured);
  EXPECT_EQ(verdict, Verdict::wrong);
  EXPECT_NE(message.find("timed call"), std::string::npos) << message;
}

TEST_F(HostJudge, IsNotFooledByWorkAfterTheClock) {
  Measurement measured;
  EXPECT_EQ(time("finishes_later", measured).first, Verdict::wrong);
}

TEST_F(HostJudge, HoldsClaimsAgainstItsOwnClock) {
  Measurement measured;
  const auto [verdict, message] = time("tampers_with_the_clock", measured);
  EXPECT_EQ(verdict, Verdict::suspicious);
  EXPECT_NE(message.find("on the grader's own clock"), std::string::npos) << message;
}

TEST_F(HostJudge, HoldsClaimsAgainstTheHardware) {
  Measurement measured;
  const auto [verdict, message] = time("stops_the_clock", measured);
  EXPECT_EQ(verdict, Verdict::suspicious);
  EXPECT_NE(message.find("claims 0 us, but moving 3.2 MB"), std::string::npos) << message;
}

}  // namespace
}  // namespace gridstride

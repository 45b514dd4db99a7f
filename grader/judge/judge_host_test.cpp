// The judge on a real GPU, against stages that do anything to their own process: every case.
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
#include <vector>

#include "common/files.h"
#include "grader/judge/host_judge.h"
#include "grader/judge/timing/timers.h"
#include "grader/sandbox/process_tree.h"
#include "grader/sandbox/sandbox.h"
#include "grader/sandbox/system_calls.h"

namespace gridstride {
namespace {

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
  expect("past_the_end", Verdict::wrong, "past its last");  // by a kernel
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

TEST_F(HostJudge, AnExceptionInOneCaseCostsNoOther) {
  const StageResult result = grade("throws_without_elements");
  EXPECT_STREQ(name_of(result.verdict), name_of(Verdict::crash));
  EXPECT_TRUE(result.message.starts_with("n=0: ")) << result.message;
  EXPECT_EQ(result.cases.passed, result.cases.total - 1);
}

TEST_F(HostJudge, CrashesBetweenRightCasesCostNothingButThemselves) {
  const StageResult result = grade("stops_where_odd");
  EXPECT_STREQ(name_of(result.verdict), name_of(Verdict::crash));
  EXPECT_EQ(result.cases.total, 11);
  EXPECT_EQ(result.cases.passed, 7) << "n = 1, 31, 33 and 1025 are odd";
}

/// Two commands in one tree: the second builds its text in the place of the first one's library.
TEST_F(HostJudge, NobodyIsGradedByWhatIsBuiltMeanwhile) {
  const fs::path copy = folder_.path() / "off_by_one.so";
  for (const char* ending : {".so", ".text", ".headers"})
    fs::copy_file(library("off_by_one").replace_extension(ending),
                  fs::path(copy).replace_extension(ending));
  for (const bool removed : {false, true}) {
    StageState state;
    state.task = task("off_by_one");
    state.task.library = copy;
    state.result.name = "off_by_one";
    state.result.max_score = 12;
    decide_by_files(grading_, state);
    ASSERT_FALSE(state.decided) << state.result.message;
    fs::remove(copy);
    if (!removed) fs::copy_file(library("segmentation_fault"), copy);
    state.correctness = std::make_unique<Correctness>(grading_, state.task);
    state.correctness->run(0);
    decide_by_cases(state);
    EXPECT_STREQ(name_of(state.result.verdict), name_of(Verdict::infrastructure));
    EXPECT_NE(state.result.message.find("was built anew or removed"), std::string::npos)
        << state.result.message;
    EXPECT_EQ(state.result.max_score, 12);
  }
}

TEST_F(HostJudge, ReportsCrashes) {
  expect("segmentation_fault", Verdict::crash, "signal 11 (Segmentation fault) during the call");
  expect("segmentation_fault", Verdict::crash, "pointer to device memory");
  expect("calls_itself", Verdict::crash, "a function which calls itself without end");
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
  expect_timed("sleeps_each_time", Verdict::timeout, "more than 3 s together");
}

TEST_F(HostJudge, EndsHoardsOfMemoryThatBelongsToNoProcess) {
  grading_.real_call_limit = 10;
  for (const SandboxPolicy policy : {SandboxPolicy::when_available, SandboxPolicy::off}) {
    grading_.installation.sandbox = policy;
    if (!why_no_system_call_filter().empty()) {
      expect("hoards_nameless_files", Verdict::out_of_memory, "300 MiB");
    } else {
      expect("hoards_nameless_files", Verdict::crash, "no file without a name");
      expect("hoards_segments", Verdict::crash, "no segment");
    }
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

}  // namespace
}  // namespace gridstride

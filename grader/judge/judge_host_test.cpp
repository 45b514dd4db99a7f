// The judge on a real GPU, against stages that do anything to their own process. The GPU's part is
// played by the simulated one, which is told to look for no mistakes: it sees what a real one does.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/files.h"
#include "grader/judge/cases/random.h"
#include "grader/judge/cases/suite.h"
#include "grader/judge/runners/device_choice.h"
#include "grader/judge/runners/session.h"
#include "grader/judge/runners/stage_clock.h"
#include "grader/judge/testlab/cases.h"
#include "grader/judge/testlab/testlab.h"
#include "grader/judge/timing/google_benchmarks.h"
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
    write_program("gpu", std::string("exec ") + GRIDSTRIDE_TEST_DEVICE + " --check none \"$@\"");
    grading_.installation.runner = GRIDSTRIDE_TEST_RUNNER;
    grading_.installation.device = GRIDSTRIDE_TEST_DEVICE;
    grading_.installation.gpu_device = folder_.path() / "gpu";
    grading_.installation.simulated_cuda = GRIDSTRIDE_TEST_CUDART;
    grading_.installation.tree = GRIDSTRIDE_TEST_TREE;
    grading_.installation.runner_memory = 300u << 20;
    grading_.real_call_limit = 1;
    grading_.gpu = true;
    grading_.lab.name = "testlab";
    grading_.lab.timing_size = {{"gpu", 400000}, {"sim", 10000}};
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
    task.source = source(stage);
    task.baseline = library("0_baseline");
    if (stage_seconds_ != 0)
      task.clock = std::make_shared<StageClock>(StageClock::Seconds(stage_seconds_));
    return task;
  }
  static fs::path source(const std::string& stage) {
    const fs::path testlab = fs::path(GRIDSTRIDE_TEST_TREE) / "grader/judge/testlab";
    const fs::path host = testlab / "host" / (stage + ".cpp");
    return fs::exists(host) ? host : testlab / "device" / (stage + ".cu");
  }
  static fs::path library(const std::string& stage) {
    const bool host = source(stage).extension() == ".cpp";
    return fs::path(GRIDSTRIDE_TEST_BUILD) / (host ? "" : "device") / (stage + ".so");
  }
  /// A script for the shell, where installation.gpu_device can point.
  void write_program(const std::string& name, const std::string& text) {
    write_file(folder_.path() / name, "#!/bin/sh\n" + text + "\n");
    fs::permissions(folder_.path() / name, fs::perms::owner_all);
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
                                       const std::string& baseline = "0_baseline") {
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

  void expect_timed(const std::string& stage, Verdict verdict, const std::string& words) {
    Measurement measured;
    const auto [seen, message] = time(stage, measured);
    EXPECT_STREQ(name_of(seen), name_of(verdict)) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
  }

  /// A session of a stage, with its timed call made ready.
  Session session(const std::string& stage, Timed& timed) {
    SessionOptions options;
    options.installation = &grading_.installation;
    options.gpu = true;
    options.library = library(stage);
    options.function = contract_.function;
    options.arguments = contract_.arguments;
    Rng rng(RandomKey::derived(1, "session"));
    timed = contract_.suite.timing(rng, 1000);
    Session session(options);
    session.prepare(timed.call);
    return session;
  }

  TemporaryFolder folder_;
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

TEST_F(HostJudge, MeasuresRatios) {
  Measurement measured;
  const auto [verdict, message] = time("1_first", measured);
  EXPECT_EQ(verdict, Verdict::pass) << message;
  EXPECT_GT(measured.speedup.value, 1.5);
  EXPECT_LE(measured.speedup.low, measured.speedup.value);
  EXPECT_GE(measured.speedup.high, measured.speedup.value);
  EXPECT_GT(measured.seconds.student, 0);
  EXPECT_EQ(measured.device_to_host_bytes, 0u);
}

TEST_F(HostJudge, NamesTheErrorThatEndedADevice) {
  expect("far_address", Verdict::crash,
         "cudaErrorIllegalAddress (an illegal memory access was encountered) during the call");
  expect_timed("far_address", Verdict::crash, "cudaErrorIllegalAddress (");
  expect("1_first", Verdict::pass, "");
}

/// The runner is told nothing of inputs, and what it says of errors is compared with the device.
TEST_F(HostJudge, AsksTheDeviceForErrorsAndNotTheRunner) {
  expect("hides_an_error", Verdict::crash, "cudaErrorIllegalAddress (");
}

TEST_F(HostJudge, GivesNothingForListeningToTheJudge) {
  expect_timed("speaks_the_protocol", Verdict::suspicious, "bytes of input were copied");
}

TEST_F(HostJudge, GivesNothingForLookingWhereTheInputWillBe) {
  grading_.lab.timing_size["gpu"] = 65536;  // which is what it waits for
  expect_timed("reads_ahead", Verdict::suspicious, "bytes of input were copied");
}

TEST_F(HostJudge, TakesTheOutputsWhenTheCallIsSaidToHaveReturned) {
  const StageResult result = grade("returns_early");
  EXPECT_NE(result.verdict, Verdict::pass) << result.message;
  EXPECT_NE(result.verdict, Verdict::infrastructure) << result.message;
}

TEST_F(HostJudge, SeesWorkOnTheHost) {
  expect("good", Verdict::pass, "");
  expect_timed("good", Verdict::suspicious, "no kernel was launched");
}

TEST_F(HostJudge, IsNotFooledByReplays) {
  expect("replays", Verdict::pass, "");
  expect_timed("replays", Verdict::wrong, "timed call");
}

TEST_F(HostJudge, LooksAtAnswersThatNobodyCanForesee) {
  grading_.seed = 1;
  expect_timed("skips_half", Verdict::wrong, "timed call");
}

TEST_F(HostJudge, IsNotFooledByWorkAfterTheClock) {
  expect_timed("finishes_later", Verdict::wrong, "timed call");
}

TEST_F(HostJudge, HoldsTimesAgainstTheHardware) {
  grading_.hardware.memory_clock_khz = 1000;
  grading_.hardware.memory_bus_bits = 8;
  expect_timed("1_first", Verdict::suspicious,
               "by the device's clock, but moving 3.2 MB takes this device's memory at least");
}

/// Contents lie in the shared memory from the first call on: what changes, a redraw says.
TEST_F(HostJudge, ChangesOnlyWhatARedrawSays) {
  Timed timed;
  Session twice = session("1_first", timed);
  const std::span<const std::byte> given = timed.call.arguments.at(0).data();
  auto* const values = const_cast<float*>(reinterpret_cast<const float*>(given.data()));
  values[3] = 16, values[4] = 32;
  Redraw redraw;
  redraw.write(0, 4, std::vector<float>{32});
  twice.apply(timed.call, redraw);
  const CallResult result = twice.run(timed.call, Session::Seconds(10));
  ASSERT_FALSE(result.error) << result.error->what();
  const auto* const out = reinterpret_cast<const float*>(result.outputs.at(1).data());
  EXPECT_LT(out[3], 8) << "nobody said so";
  EXPECT_EQ(out[4], 64);
  redraw.write(1, 0, std::vector<float>{1});
  EXPECT_THROW(twice.apply(timed.call, redraw), std::logic_error) << "an output";
}

TEST_F(HostJudge, LooksAtNoMoreThanItIsTold) {
  Timed timed;
  Session twice = session("changes_its_input_on_the_device", timed);
  const auto first_out = [](const CallResult& result) {
    return *reinterpret_cast<const float*>(result.outputs.at(1).data());
  };
  const float in = *reinterpret_cast<const float*>(timed.call.arguments.at(0).data().data());
  const CallResult nothing = twice.run(timed.call, Session::Seconds(10), {false, false});
  ASSERT_FALSE(nothing.error) << nothing.error->what();
  EXPECT_TRUE(nothing.outputs.at(1).empty());
  EXPECT_TRUE(nothing.changed_inputs.empty());
  EXPECT_EQ(nothing.activity->launches.size(), 2u);
  const CallResult outputs = twice.run(timed.call, Session::Seconds(10), {true, false});
  EXPECT_EQ(first_out(outputs), 2 * in) << "each call has its inputs anew";
  EXPECT_TRUE(outputs.changed_inputs.empty());
  const CallResult all = twice.run(timed.call, Session::Seconds(10));
  EXPECT_EQ(first_out(all), 2 * in);
  EXPECT_EQ(all.changed_inputs.size(), 1u);
}

TEST_F(HostJudge, ComparesInputsInTheFirstTimedCall) {
  expect_timed("changes_its_input_on_the_device", Verdict::wrong, "changed its input: in[0]");
}

/// On the simulated device the call is smaller, and nothing leaves it.
TEST_F(HostJudge, HoldsWhatLeavesTheGpuAgainstTheLimit) {
  config_.limits = {{"device_to_host_bytes", 0}};
  const auto decided = [this](const std::string& stage) {
    StageState state;
    state.task = task(stage);
    state.result.name = stage;
    decide_by_files(grading_, state);
    TimedStage timed;
    Measurement measured;
    EXPECT_EQ(time(stage, measured).first, Verdict::pass);
    timed.result = measured;
    decide_by_times(grading_, state, &timed);
    return state.result;
  };
  const StageResult result = decided("copies_one_out");
  EXPECT_STREQ(name_of(result.verdict), "over_limit") << result.message;
  EXPECT_NE(result.message.find("device_to_host_bytes is 4, at most 0 is allowed"),
            std::string::npos)
      << result.message;
  EXPECT_EQ(decided("1_first").verdict, Verdict::pass);
}

TEST_F(HostJudge, GradesOnTheGpuThatAnswers) {
  for (const char* wanted : {"gpu", "auto"}) {
    grading_.gpu = false;
    choose_device(grading_, wanted);
    EXPECT_TRUE(grading_.gpu);
    EXPECT_EQ(grading_.device.kind, "gpu");
    EXPECT_NE(grading_.device.name.find("H200"), std::string::npos) << grading_.device.name;
    EXPECT_GT(grading_.hardware.memory_bus_bits, 0u);
  }
  choose_device(grading_, "sim");
  EXPECT_EQ(grading_.device.kind, "sim");
}

TEST_F(HostJudge, SaysWhyNoGpuAnswers) {
  write_program("gpu", "echo 'there is no NVIDIA driver.' >&2; exit 2");
  const auto refusal = [this] {
    try {
      testing::internal::CaptureStderr();
      choose_device(grading_, "gpu");
    } catch (const CannotGrade& error) {
      EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "it is said once";
      return std::string(error.what());
    }
    return std::string("it was chosen");
  };
  const std::string repair =
      ". Repair: check nvidia-smi and ./lab doctor, or grade with --device sim.";
  EXPECT_EQ(refusal(), "No GPU answers: there is no NVIDIA driver" + repair);
  write_program("gpu", "[ \"$1\" = --why-not ] || exit 2");
  EXPECT_EQ(refusal(), "No GPU answers: the device process ended with exit status 2" + repair);
  grading_.installation.gpu_device = "/no/such/gridstride-gpu-device";
  EXPECT_EQ(refusal(), "No GPU answers: gridstride-gpu-device is not built" + repair);
  grading_.gpu = false;
  choose_device(grading_, "auto");
  EXPECT_FALSE(grading_.gpu);
  EXPECT_EQ(grading_.device.kind, "sim");
}

}  // namespace
}  // namespace gridstride

// The judge on a real GPU, against stages that do anything to their own process: times, inputs and
// errors, and which GPU it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/files.h"
#include "grader/judge/cases/suite.h"
#include "grader/judge/host_judge.h"
#include "grader/judge/runners/device_choice.h"
#include "grader/judge/runners/session.h"
#include "grader/judge/timing/google_benchmarks.h"
#include "grader/judge/timing/timers.h"

namespace gridstride {
namespace {

TEST_F(HostJudge, MeasuresRatios) {
  Measurement measured;
  const auto [verdict, message] = time("1_first", measured);
  EXPECT_EQ(verdict, Verdict::pass) << message;
  EXPECT_GT(measured.speedup.value, 1.5);
  EXPECT_LE(measured.speedup.low, measured.speedup.value);
  EXPECT_GE(measured.speedup.high, measured.speedup.value);
  EXPECT_GT(measured.seconds.student, 0);
  const auto& [student, baseline, student_calls, baseline_calls] = measured.seconds;
  ASSERT_GE(student_calls.size(), 31u);
  ASSERT_EQ(student_calls.size(), baseline_calls.size());
  EXPECT_EQ(std::ranges::count_if(student_calls, [&](double call) { return call < student; }),
            std::ranges::count_if(student_calls, [&](double call) { return call > student; }));
  EXPECT_EQ(measured.device_to_host_bytes, 0u);
}

/// The program that drives a GPU, all of it but the driver: whose GPU is the simulated one.
TEST_F(HostJudge, GradesAndTimesThroughTheDriver) {
  write_program("driven", "LD_LIBRARY_PATH='" GRIDSTRIDE_TEST_DRIVER
                          "' exec '" GRIDSTRIDE_TEST_GPU_DEVICE "' \"$@\"");
  grading_.installation.gpu_device = folder_.path() / "driven";
  grading_.real_call_limit = 10;
  expect("1_first", Verdict::pass, "");
  expect("far_address", Verdict::crash, "cudaErrorIllegalAddress");
  expect("changes_its_input_on_the_device", Verdict::wrong, "changed its input: in[0]");
  Measurement measured;
  const auto [verdict, message] = time("1_first", measured);
  EXPECT_EQ(verdict, Verdict::pass) << message;
  EXPECT_GT(measured.seconds.student, 0);
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

/// NVML, whose answers the environment holds: clock, memory's clock, temperature, reasons, processes.
TEST_F(HostJudge, CallsNothingSlowThatAHotGpuHasDone) {
  const auto slow = [this](const char* nvml) {
    setenv("GRIDSTRIDE_TEST_NVML", nvml, 1);
    watch_ = GpuWatch::open("0000:17:00.0", GRIDSTRIDE_TEST_DRIVER "/libnvidia-ml.so.1");
    EXPECT_NE(watch_, nullptr);
    required_ = 1000;
    StageState state;
    state.task = task("1_first");
    decide_by_files(grading_, state);
    TimedStage timed;
    Measurement measured;
    EXPECT_EQ(time("1_first", measured).first, Verdict::pass);
    timed.result = measured;
    config_.min_speedup = {{"gpu", required_}};
    state.result.cases = {1, 1};
    decide_by_times(grading_, state, &timed);
    return state.result;
  };
  const StageResult hot = slow("1200 3201 88 32 0");
  EXPECT_STREQ(name_of(hot.verdict), "inconclusive") << hot.message;
  EXPECT_NE(hot.message.find("held down by heat"), std::string::npos) << hot.message;
  ASSERT_TRUE(hot.conditions);
  EXPECT_EQ(hot.conditions->temperature, 88);
  EXPECT_EQ(hot.score, 8) << "for what is right";
  const StageResult shared = slow("1980 3201 40 0 9");
  EXPECT_STREQ(name_of(shared.verdict), "inconclusive") << shared.message;
  EXPECT_NE(shared.message.find("other processes used this GPU"), std::string::npos);
  const StageResult well = slow("1980 3201 40 1 0");
  EXPECT_STREQ(name_of(well.verdict), "slow") << well.message;
  EXPECT_EQ(well.conditions->highest_clock, 1980);
}

TEST_F(HostJudge, TakesNoPointsForAGpuThatIsTooOld) {
  config_.compute_capability = 90;
  grading_.hardware.capability = 86;
  grading_.device.name = "an older GPU";
  StageState state;
  state.task = task("1_first");
  state.result.max_score = 12;
  decide_by_files(grading_, state);
  EXPECT_TRUE(state.decided);
  EXPECT_STREQ(name_of(state.result.verdict), "unsupported_here");
  EXPECT_EQ(state.result.max_score, 0);
  EXPECT_EQ(
      state.result.message,
      "It needs a GPU of compute capability 9.0, and an older GPU has 8.6. It counts for nothing "
      "here; `./lab grade testlab/stage --device sim` grades it.");
  grading_.hardware.capability = 90;
  EXPECT_NE(grade("1_first").verdict, Verdict::unsupported_here);
}

TEST_F(HostJudge, GoesByTheThresholdsOfItsGpu) {
  fs::create_directories(folder_.path() / "thresholds");
  write_file(folder_.path() / "thresholds/one.toml",
             "device = \"A GPU\"\nrates = { bandwidth = 1, arithmetic = 1, atomics = 1 }\n"
             "[[stage]]\nname = \"testlab/stage\"\nmin_speedup = 7\n");
  grading_.installation.tree = folder_.path();
  config_.min_speedup = {{"gpu", 3}};
  EXPECT_EQ(required_speedup(grading_, config_).value, 3) << "nothing was chosen yet";
  for (const auto& [name, estimated] : {std::pair("A GPU", false), std::pair("Another", true)}) {
    grading_.device.name = name;
    choose_thresholds_for(grading_);
    EXPECT_EQ(required_speedup(grading_, config_).value, 7);
    EXPECT_EQ(required_speedup(grading_, config_).estimated, estimated);
    EXPECT_EQ(grading_.device.thresholds.device, "A GPU");
  }
  config_.name = "unknown";
  EXPECT_EQ(required_speedup(grading_, config_).value, 3) << "the lab's author has a number";
  config_.min_speedup.clear();
  EXPECT_THROW(required_speedup(grading_, config_), CannotGrade);
  config_.speed_points = 0;
  EXPECT_EQ(required_speedup(grading_, config_).value, 0);
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

// Of tests: the judge on a real GPU, with a small lab. The GPU's part is played by the simulated one,
// which is told to look for no mistakes: it sees what a real one does.
#pragma once

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
#include "grader/judge/timing/gpu_record.h"
#include "grader/judge/timing/timers.h"
#include "grader/judge/verdict/stage_result.h"
#include "grader/sandbox/process_tree.h"
#include "grader/sandbox/sandbox.h"
#include "grader/sandbox/system_calls.h"

namespace gridstride {

namespace fs = std::filesystem;

class HostJudge : public testing::Test {
 protected:
  HostJudge() {
    write_program("gpu", "exec '" GRIDSTRIDE_TEST_DEVICE "' --check none \"$@\"");
    grading_.installation.runner = GRIDSTRIDE_TEST_RUNNER;
    grading_.installation.device = GRIDSTRIDE_TEST_DEVICE;
    grading_.installation.gpu_device = folder_.path() / "gpu";
    grading_.installation.simulated_cuda = GRIDSTRIDE_TEST_CUDART;
    grading_.installation.tree = GRIDSTRIDE_TEST_TREE;
    grading_.installation.runner_memory = 300u << 20;
    grading_.real_call_limit = 1;
    grading_.gpu = true;
    grading_.hardware.capability = 90;
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
    SharedByTimers shared(grading_, nullptr);
    shared.watch = std::move(watch_);
    MeasuringTimer timer(grading_, timed, required_, shared);
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
    session.load();
    session.prepare(timed.call);
    return session;
  }

  TemporaryFolder folder_;
  Grading grading_;
  Contract contract_;
  StageConfig config_;
  double required_ = 0;
  double stage_seconds_ = 0;
  std::unique_ptr<GpuWatch> watch_;  ///< of the next stage that is timed
};

}  // namespace gridstride

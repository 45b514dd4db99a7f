// Calibration with a grader that reports what a test wants, on a driver whose GPU is the simulated one.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/files.h"
#include "grader/cli/mini_course.h"
#include "grader/course/thresholds.h"
#include "grader/report/json.h"
#include "grader/report/results.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

class CalibrateTest : public testing::Test {
 protected:
  CalibrateTest() {
    for (const char* folder : {"solutions", "thresholds", "rounds/reduction", "rounds/scan"})
      fs::create_directories(course_.tree() / folder);
  }

  static StageResult stage(const std::string& name, double speedup) {
    StageResult out;
    out.name = name;
    out.verdict = Verdict::pass;
    out.speedup = Speedup{speedup, speedup * 0.99, speedup * 1.01, 0};
    return out;
  }
  /// What the lab's grader will report in round after round.
  void will_report(const std::string& lab, const std::vector<std::vector<StageResult>>& rounds) {
    int number = 0;
    for (const auto& stages : rounds) {
      Results results;
      results.device.kind = "gpu";
      results.device.name = "A new GPU";
      results.device.rates = {1000, 10000, 1};
      results.labs = {{lab, 0, 0, stages}};
      write_file(course_.tree() / "rounds" / lab / std::to_string(++number), to_json(results));
    }
    const std::string folder = (course_.tree() / "rounds" / lab).string();
    course_.set_grader(lab, "n=$(ls '" + folder + "' | head -n 1); mv '" + folder +
                                "'/$n \"$json\"; echo \"$0 $device\" >> '" +
                                (course_.tree() / "calls").string() + "'");
  }
  RunResult calibrate(const std::string& arguments) {
    return run_shell("LD_LIBRARY_PATH='" GRIDSTRIDE_TEST_DRIVER "' '" + course_.program().string() +
                     "' calibrate --no-build " + arguments);
  }
  fs::path file() const { return course_.tree() / "thresholds/a-new-gpu.toml"; }

  MiniCourse course_;
};

TEST_F(CalibrateTest, WritesTheRulesThresholdsOfThreeRounds) {
  will_report("reduction", {{stage("1_first", 16), stage("2_second", 64)},
                            {stage("1_first", 15.9), stage("2_second", 60)},
                            {stage("1_first", 16.2), stage("2_second", 70)}});
  will_report("scan", {{stage("1_first", 1.1)}, {stage("1_first", 1.1)}, {stage("1_first", 1.1)}});
  const RunResult result = calibrate("");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  const DeviceThresholds written = read_thresholds(file());
  EXPECT_EQ(written.device.name, "A new GPU");
  EXPECT_EQ(written.rounds, 3);
  EXPECT_EQ(written.command, "./lab calibrate");
  EXPECT_EQ(written.date.size(), 10u);
  const StageThreshold& first = written.stages.at("reduction/1_first");
  EXPECT_DOUBLE_EQ(first.speedup, 16);
  EXPECT_DOUBLE_EQ(first.low, 15.74);
  EXPECT_DOUBLE_EQ(first.required, 4);
  EXPECT_FALSE(first.earlier_passes);
  EXPECT_DOUBLE_EQ(written.stages.at("reduction/2_second").required, 32);
  // 1.1 is no gain that shows, and the baseline's code is fast enough.
  EXPECT_DOUBLE_EQ(written.stages.at("scan/1_first").required, 0.8);
  EXPECT_TRUE(written.stages.at("scan/1_first").earlier_passes);
  EXPECT_NE(result.output.find("scan/1_first: the baseline's code would pass, too."),
            std::string::npos)
      << result.output;
  EXPECT_EQ(result.output.find("reduction/2_second: reduction/1_first's"), std::string::npos);
}

TEST_F(CalibrateTest, KeepsWhatTheFileHoldsOfOtherLabs) {
  will_report("reduction", {{stage("1_first", 16), stage("2_second", 64)}});
  will_report("scan", {{stage("1_first", 9)}});
  EXPECT_EQ(calibrate("--rounds 1 reduction").exit_code, 0);
  const RunResult result = calibrate("--rounds 1 scan");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  const DeviceThresholds written = read_thresholds(file());
  EXPECT_EQ(written.stages.size(), 3u);
  EXPECT_DOUBLE_EQ(written.stages.at("scan/1_first").required, 3);
}

TEST_F(CalibrateTest, WritesNothingWhenASolutionDoesNotPass) {
  StageResult wrong = stage("2_second", 64);
  wrong.verdict = Verdict::wrong;
  wrong.message = "out[0] is 3";
  will_report("reduction", {{stage("1_first", 16), wrong}});
  const RunResult result = calibrate("--rounds 1 reduction");
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_NE(
      result.output.find("The solution of reduction/2_second does not pass on A new GPU (wrong)"),
      std::string::npos)
      << result.output;
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(CalibrateTest, SaysWhatVariesTooMuch) {
  StageResult loose = stage("1_first", 16);
  loose.speedup->low = 3;
  will_report("scan", {{loose}});
  const RunResult result = calibrate("--rounds 1 scan");
  EXPECT_NE(result.output.find("scan/1_first: the interval of 1 of 1 rounds reaches below"),
            std::string::npos)
      << result.output;
}

TEST_F(CalibrateTest, IsOnlyForWhomItIsFor) {
  EXPECT_EQ(calibrate("reduction/1_first").exit_code, 2);
  EXPECT_EQ(calibrate("--rounds 0").exit_code, 2);
  write_file(file(), "device = \"Another\"\n[[stage]]\nname = \"a/1\"\nmin_speedup = 2\n");
  will_report("scan", {{stage("1_first", 9)}});
  const RunResult other = calibrate("--rounds 1 scan");
  EXPECT_EQ(other.exit_code, 2) << other.output;
  EXPECT_NE(other.output.find("is of another GPU, Another"), std::string::npos);
  fs::remove_all(course_.tree() / "solutions");
  const RunResult without = calibrate("");
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_NE(without.output.find("Ask who gives the course"), std::string::npos) << without.output;
}

}  // namespace
}  // namespace gridstride::cli

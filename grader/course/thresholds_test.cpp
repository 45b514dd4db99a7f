#include "grader/course/thresholds.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/files.h"
#include "grader/course/lab_config.h"

namespace gridstride {
namespace {

namespace fs = std::filesystem;

TEST(ThresholdRule, LiesBetweenAStageThatGainsAndTheOneBefore) {
  EXPECT_DOUBLE_EQ(threshold_of(169, 1), 13);
  EXPECT_DOUBLE_EQ(threshold_of(1.7, 1.3), 1.48);  // the root is 1.4866: down
  EXPECT_DOUBLE_EQ(threshold_of(1300, 1000), 1140);
  EXPECT_DOUBLE_EQ(threshold_of(0.000169, 0.0001), 0.00013);
}

TEST(ThresholdRule, OnlyForbidsToBeSlowerWhereAStageGainsLittle) {
  EXPECT_DOUBLE_EQ(threshold_of(1.02, 1), 0.8);
  EXPECT_DOUBLE_EQ(threshold_of(300, 288.75), 231);
  EXPECT_DOUBLE_EQ(threshold_of(0.018, 1), 0.0144);  // slower than the one before, and meant to be
}

TEST(ThresholdsFile, IsNamedAfterTheDevice) {
  EXPECT_EQ(thresholds_file_name("NVIDIA H200"), "nvidia-h200.toml");
  EXPECT_EQ(thresholds_file_name("NVIDIA H100 80GB HBM3 MIG 1g.10gb"),
            "nvidia-h100-80gb-hbm3-mig-1g-10gb.toml");
  EXPECT_EQ(thresholds_file_name("../../etc/passwd"), "etc-passwd.toml");
  EXPECT_EQ(thresholds_file_name(""), "gpu.toml");
}

class ThresholdsTest : public testing::Test {
 protected:
  static DeviceThresholds of(const std::string& device, const DeviceRates& rates) {
    DeviceThresholds out;
    out.device.kind = "gpu";
    out.device.name = device;
    out.device.rates = rates;
    return out;
  }
  std::string error(const std::string& text) {
    const fs::path file = folder_.path() / "x.toml";
    write_file(file, text);
    try {
      read_thresholds(file);
    } catch (const ConfigError& thrown) {
      return thrown.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(ThresholdsTest, AreReadAsTheyWereWritten) {
  DeviceThresholds written = of("A \"GPU\" \\ one", {4917.1, 66900, 1.366});
  written.device.driver = "13.0";
  written.device.toolkit = "13.0";
  written.date = "2026-01-31";
  written.command = "./lab calibrate reduction";
  written.rounds = 3;
  written.stages["reduction/1_interleaved"] = {180.7, 180.1, 181.2, 13.4, false};
  written.stages["reduction/3_sequential"] = {0.0178, 0.0177, 0.018, 0.0142, true};
  const fs::path file = folder_.path() / "one.toml";
  write_file(file, to_toml(written));
  const DeviceThresholds read = read_thresholds(file);
  EXPECT_EQ(read.device.name, written.device.name);
  EXPECT_EQ(read.device.driver, "13.0");
  EXPECT_EQ(read.device.toolkit, "13.0");
  EXPECT_EQ(read.date, "2026-01-31");
  EXPECT_EQ(read.command, written.command);
  EXPECT_EQ(read.rounds, 3);
  EXPECT_DOUBLE_EQ(read.device.rates.bandwidth, 4917);  // four digits are kept
  ASSERT_EQ(read.stages.size(), 2u);
  const StageThreshold& first = read.stages.at("reduction/1_interleaved");
  EXPECT_DOUBLE_EQ(first.required, 13.4);
  EXPECT_DOUBLE_EQ(first.low, 180.1);
  EXPECT_FALSE(first.earlier_passes);
  EXPECT_TRUE(read.stages.at("reduction/3_sequential").earlier_passes);
  EXPECT_EQ(to_toml(read), to_toml(written));
}

TEST_F(ThresholdsTest, NameTheLineOfAMistake) {
  const std::string head = "device = \"A\"\n";
  EXPECT_EQ(error(head + "[[stage]]\nname = \"a/1\"\n"),
            "thresholds/x.toml:2:1: expected 'min_speedup' above 0");
  EXPECT_NE(error(head + "[[stage]]\nname = \"a/1\"\nmin_speed = 3\n").find("x.toml:"),
            std::string::npos);
  EXPECT_NE(error(head + "[[stage]]\nname = \"a/1\"\nmin_speedup = 2\n[[stage]]\nname = "
                         "\"a/1\"\nmin_speedup = 3\n")
                .find("each stage once, found 'a/1' again"),
            std::string::npos);
}

TEST_F(ThresholdsTest, OfADeviceAreItsOwn) {
  const std::vector<DeviceThresholds> all = {of("A", {1000, 10000, 1}), of("B", {1000, 20000, 1})};
  DeviceDescription device;
  device.name = "B";
  device.rates = {1000, 10000, 1};  // as A's: the name counts
  const auto own = choose_thresholds(all, device);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->thresholds.device.name, "B");
  EXPECT_FALSE(own->estimated);
  EXPECT_FALSE(choose_thresholds({}, device));
}

TEST_F(ThresholdsTest, OfAnUnknownDeviceAreTheNearestByRatio) {
  const std::vector<DeviceThresholds> all = {of("A", {1000, 10000, 1}), of("B", {1000, 40000, 1})};
  DeviceDescription device;
  device.name = "C";
  device.rates = {300, 10500, 0.3};  // a third of B in everything
  const auto chosen = choose_thresholds(all, device);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->thresholds.device.name, "B");
  EXPECT_TRUE(chosen->estimated);
  device.rates = {300, 3300, 0.3};
  EXPECT_EQ(choose_thresholds(all, device)->thresholds.device.name, "A");
  device.rates = {};  // whose driver says nothing
  EXPECT_TRUE(choose_thresholds(all, device)->estimated);
}

TEST_F(ThresholdsTest, AFolderIsReadByName) {
  EXPECT_TRUE(all_thresholds(folder_.path() / "none").empty());
  write_file(folder_.path() / "b.toml", to_toml([] {
               auto one = of("B", {1, 1, 1});
               one.stages["a/1_x"] = {2, 2, 2, 1, false};
               return one;
             }()));
  write_file(folder_.path() / "a.toml", to_toml([] {
               auto one = of("A", {1, 1, 1});
               one.stages["a/1_x"] = {2, 2, 2, 1, false};
               return one;
             }()));
  write_file(folder_.path() / "notes.txt", "not one of them");
  const auto all = all_thresholds(folder_.path());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].device.name, "A");
}

}  // namespace
}  // namespace gridstride

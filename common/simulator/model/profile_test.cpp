// The device profile: what is scaled, what is not, and what a broken file is told.
#include "common/simulator/model/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "common/simulator/model/profile_texts.h"

namespace gridstride::sim {
namespace {

constexpr double part_of_h200 = 1.0 / 33;

std::string replaced(const std::string& from, const std::string& to) {
  std::string text(h200_profile_toml);
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& toml) {
  try {
    parse_profile(toml, "broken.toml");
  } catch (const ProfileError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Profile, HasFourOfTheRealDevicesMultiprocessors) {
  const DeviceProfile profile = default_profile();
  EXPECT_EQ(profile.properties.multiprocessors, 4u);
  EXPECT_EQ(profile.properties.capability, 90u);
  EXPECT_EQ(profile.properties.warps_per_multiprocessor, 64u);
  EXPECT_EQ(profile.properties.clock_khz, 1'980'000u);
}

TEST(Profile, ScalesThroughputsAndTheCacheAlike) {
  const DeviceProfile profile = default_profile();
  EXPECT_NEAR(profile.throughput.dram_read, 4.60e12 * part_of_h200, 1e6);
  EXPECT_NEAR(static_cast<double>(profile.properties.l2_bytes), 62914560 * part_of_h200, 128);
  EXPECT_EQ(profile.properties.l2_bytes % 128, 0u);
  EXPECT_NEAR(static_cast<double>(profile.l2_held_bytes), 41943040 * part_of_h200, 128);
  EXPECT_NEAR(profile.throughput.special_issue, 0.5 * 132 * 1.98e9 * part_of_h200, 1e3);
}

TEST(Profile, CopyingReachesItsRate) {
  const Throughputs rate = default_profile().throughput;
  const double seconds = 1 / rate.dram_read + 1 / rate.dram_write;
  EXPECT_NEAR(2 / seconds, 4.45e12 * part_of_h200, 1e6);
}

TEST(Profile, LeavesWhatBelongsToOneMultiprocessorAlone) {
  const DeviceProfile profile = default_profile();
  EXPECT_EQ(profile.limits.shared_per_block, 48u * 1024);
  EXPECT_EQ(profile.limits.registers, 65536u);
  EXPECT_DOUBLE_EQ(profile.latency.arithmetic, 4);
}

TEST(Profile, NamesLineAndKeyOfAWrongValue) {
  EXPECT_EQ(error_of(replaced("capability = 90", "capability = \"9.0\"")),
            "broken.toml:16: expected capability to be a positive number");
  const std::string text(h200_profile_toml);
  const auto above = text.begin() + static_cast<std::ptrdiff_t>(text.find("l2 = 8.3e12"));
  const auto line = 1 + std::count(text.begin(), above, '\n');
  EXPECT_EQ(
      error_of(replaced("l2 = 8.3e12", "l2 = -1.0")),
      "broken.toml:" + std::to_string(line) + ": expected throughput.l2 to be a positive number");
}

TEST(Profile, EachNameIsADeviceInSmallAndInWhole) {
  for (const std::string& name : profile_names()) {
    const DeviceProfile small = profile_named(name), whole = profile_named(name + "-whole");
    EXPECT_EQ(small.properties.multiprocessors, 4u) << name;
    const double factor = whole.properties.multiprocessors / 4.0;
    EXPECT_NEAR(whole.throughput.dram_read, small.throughput.dram_read * factor, 1e6) << name;
    EXPECT_NEAR(whole.throughput.float_issue, small.throughput.float_issue * factor, 1e6) << name;
    EXPECT_EQ(whole.limits.shared_bytes, small.limits.shared_bytes) << name;
  }
  EXPECT_EQ(profile_named("t4").limits.threads, 1024u);
  EXPECT_EQ(profile_named("a100").properties.capability, 80u);
}

TEST(Profile, AnUnknownNameIsToldTheKnownOnes) {
  try {
    profile_named("h300");
    FAIL();
  } catch (const ProfileError& error) {
    EXPECT_NE(std::string(error.what()).find("h200 a100 t4"), std::string::npos) << error.what();
  }
}

TEST(Profile, NamesAMissingKey) {
  EXPECT_NE(error_of(replaced("special = 18.0", "")).find("latency.special, which is missing"),
            std::string::npos);
}

TEST(Profile, RefusesAnUnknownKey) {
  EXPECT_NE(error_of(replaced("special = 18.0", "special = 18.0\nspeical = 2.0"))
                .find("unknown key latency.speical"),
            std::string::npos);
}

TEST(Profile, SaysWhereTheFileIsNotToml) {
  EXPECT_EQ(error_of("name = \"x\"\ncapability = = 3").substr(0, 14), "broken.toml:2:");
}

TEST(Profile, SaysWhichFileCannotBeRead) {
  EXPECT_THROW(load_profile("/nowhere/h300.toml"), ProfileError);
}

}  // namespace
}  // namespace gridstride::sim

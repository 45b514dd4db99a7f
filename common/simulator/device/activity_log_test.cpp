// The log stays bounded whatever a program does, and loses no time and no finding.
#include "common/simulator/device/activity_log.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gridstride::sim {
namespace {

LaunchRecord record_of(const std::string& kernel, std::uint32_t line) {
  LaunchRecord record;
  record.kernel = kernel;
  record.seconds = 1;
  record.counters.warp_instructions = 10;
  LineCounters counted{.file = "a.cu", .line = line, .counters = record.counters};
  record.lines = {counted};
  Finding finding;
  finding.kind = FindingKind::shared_race;
  finding.where = {.file = "a.cu", .line = line};
  record.findings = {finding};
  return record;
}

TEST(ActivityLog, KeepsLaunchesApartWhileThereIsRoom) {
  ActivityLog log(4);
  for (int i = 0; i < 4; ++i) log.add(record_of("k", 1));
  EXPECT_EQ(log.activity().launches.size(), 4u);
}

TEST(ActivityLog, FoldsFurtherLaunchesIntoTheSameKernel) {
  ActivityLog log(2);
  log.add(record_of("a", 1));
  log.add(record_of("b", 1));
  for (std::uint32_t i = 0; i < 100; ++i) log.add(record_of("b", 1 + i % 2));
  const auto& launches = log.activity().launches;
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].launches, 1u);
  EXPECT_EQ(launches[1].launches, 101u);
  EXPECT_DOUBLE_EQ(launches[1].seconds, 101);
  EXPECT_EQ(launches[1].counters.warp_instructions, 1010u);
  ASSERT_EQ(launches[1].lines.size(), 2u);
  EXPECT_EQ(launches[1].lines[0].counters.warp_instructions, 510u);
  EXPECT_EQ(launches[1].lines[1].counters.warp_instructions, 500u);
  ASSERT_EQ(launches[1].findings.size(), 2u);
  EXPECT_EQ(launches[1].findings[0].occurrences, 51u);
}

TEST(ActivityLog, FoldsWhenLinesGetTooMany) {
  ActivityLog log(1000, 6);
  for (int i = 0; i < 10; ++i) log.add(record_of("k", 1));
  EXPECT_EQ(log.activity().launches.size(), 3u);
}

TEST(ActivityLog, AKernelThatIsNewIsNeverLost) {
  ActivityLog log(1);
  log.add(record_of("a", 1));
  log.add(record_of("b", 1));
  EXPECT_EQ(log.activity().launches.size(), 2u);
}

TEST(ActivityLog, SaysEachRefusalOnce) {
  ActivityLog log;
  for (int i = 0; i < 3; ++i) log.refuse("no textures");
  log.refuse("no surfaces");
  EXPECT_EQ(log.activity().refusals, (std::vector<std::string>{"no textures", "no surfaces"}));
}

TEST(Printed, KeepsTheBeginning) {
  Printed printed;
  for (int i = 0; i < 100; ++i) printed.add(std::string(99, 'a') + "\n");
  EXPECT_EQ(printed.bytes, 10'000u);
  EXPECT_EQ(printed.beginning.size(), Printed::most_bytes);
}

TEST(ActivityLog, ClearForgets) {
  ActivityLog log(1);
  log.add(record_of("a", 1));
  log.clear();
  log.add(record_of("a", 1));
  EXPECT_EQ(log.activity().launches.at(0).launches, 1u);
}

}  // namespace
}  // namespace gridstride::sim

// Reports: what stands in the JSON, what a reader sees, and that files are whole.
#include "common/simulator/report/report.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/simulator/report/explanation.h"
#include "common/simulator/report/formatting.h"

namespace gridstride::sim {
namespace {

Counters with_instructions(std::uint64_t count) {
  Counters counters;
  counters.warp_instructions = count;
  counters.sass_instructions = count;
  return counters;
}

LaunchRecord launch_of(const std::string& kernel) {
  LaunchRecord record;
  record.kernel = kernel;
  record.grid = {.x = 4};
  record.block = {.x = 64, .y = 2};
  record.seconds = 5e-6;
  record.limiter = "dram";
  record.bounds = {{.part = "dram", .seconds = 4e-6}};
  record.counters = with_instructions(100);
  record.lines = {{.file = "a/add.cu", .line = 3, .counters = with_instructions(25)},
                  {.file = "a/add.cu", .line = 4, .counters = with_instructions(75)}};
  return record;
}

Finding finding_at(std::uint32_t line) {
  Finding finding;
  finding.kind = FindingKind::out_of_bounds;
  finding.where = {.file = "a/add.cu", .line = line};
  finding.message = "thread 3 reads past the end.";
  return finding;
}

const DeviceProfile* device() {
  static const DeviceProfile profile = default_profile();
  return &profile;
}

TEST(Report, HoldsLaunchesLinesAndTotals) {
  Activity activity;
  activity.launches = {launch_of("add(int)"), launch_of("add(int)")};
  activity.launches[1].findings = {finding_at(4)};
  activity.findings = {finding_at(0)};
  activity.refusals = {"cudaFoo is not supported"};
  activity.notes = {"not all was checked"};
  const auto json = to_json(activity, device());
  EXPECT_EQ(json["counters"]["warp_instructions"], 200);
  EXPECT_EQ(json["launches"][0]["block"], (std::vector<int>{64, 2, 1}));
  EXPECT_DOUBLE_EQ(json["kernels"][0]["lines"][1]["share"].get<double>(), 0.75);
  EXPECT_EQ(json["launches"][1]["findings"][0]["kind"], "out_of_bounds");
  EXPECT_EQ(json["findings"].size(), 1u);
  EXPECT_NE(summary(json).find("\n  out_of_bounds: "), std::string::npos);
  EXPECT_EQ(json["refusals"][0], "cudaFoo is not supported");
  EXPECT_NE(summary(json).find("\n  note: not all was checked\n"), std::string::npos);
}

/// More than the L2 can give would be no news about the kernel.
TEST(Report, WhatTheL1HoldsDoesNotPassTheL2) {
  Activity activity;
  activity.launches = {launch_of("add")};
  Counters& counters = activity.launches[0].counters;
  counters.global_load_sectors = 1000;
  counters.l1_hit_sectors = 990;
  const auto bytes = [&activity] {
    return explain_kernels(activity, *device())[0]["achieved"]["l2_bytes"].get<double>();
  };
  EXPECT_EQ(bytes(), 10 * 32);
  counters.global_store_sectors = 8;
  EXPECT_EQ(bytes(), 10 * 32) << "the other direction";
  counters.global_store_sectors = 50;
  EXPECT_EQ(bytes(), 50 * 32);
}

TEST(Report, KernelsHaveTheirTemplatesArguments) {
  EXPECT_EQ(short_kernel("add"), "add");
  EXPECT_EQ(short_kernel("add(float const*, float*)"), "add");
  EXPECT_EQ(short_kernel("void k<256, float>(float*)"), "k<256, float>");
  EXPECT_EQ(short_kernel("void k<(Mode)1, unsigned int, (char)120>(void (*)(int))"),
            "k<(Mode)1, unsigned int, (char)120>");
  EXPECT_EQ(short_kernel("std::enable_if<(1)>::type lab::(anonymous namespace)::k<3u>()"),
            "lab::k<3u>");
  EXPECT_EQ(short_kernel("(odd"), "(odd");
  const std::string whole = "first_of_all<" + std::string(200, 'x') + "last>";
  const std::string cut = short_kernel("void " + whole + "(int)");
  EXPECT_EQ(cut.size(), 100u);
  EXPECT_TRUE(cut.starts_with("first_of_all<x")) << cut;
  EXPECT_TRUE(cut.ends_with("xlast>")) << cut;
}

TEST(Report, SummaryAddsUpTheLaunchesOfAKernel) {
  Activity activity;
  activity.seconds = 12e-6;
  activity.launches = {launch_of("add(int)"), launch_of("add(int)")};
  EXPECT_EQ(summary(to_json(activity, device())),
            "Gridstride simulated H200 (1/33): 12.00 us of modelled time, copies included\n"
            "  add                                   2 x     10.00 us  limited by dram\n"
            "       75.0 %  add.cu:4\n"
            "       25.0 %  add.cu:3\n");
}

TEST(Report, SummaryShowsAFindingOnce) {
  Activity activity;
  activity.launches = {launch_of("add(int)"), launch_of("add(int)")};
  for (LaunchRecord& record : activity.launches) record.findings = {finding_at(4)};
  const std::string text = summary(to_json(activity, device()));
  const auto first = text.find("out_of_bounds at add.cu:4: thread 3 reads past the end.");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("out_of_bounds", first + 1), std::string::npos);
}

TEST(Report, SummarySaysThatAProgramDidNotUseTheGpu) {
  EXPECT_EQ(summary(to_json({}, nullptr)), "The program did not use the simulated GPU.\n");
}

TEST(Report, SummaryKeepsTheTerminalSafe) {
  Activity activity;
  activity.launches = {launch_of("evil\x1b[2J(int)")};
  const std::string text = summary(to_json(activity, device()));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Report, FileIsWrittenWholeEvenWithBytesThatAreNoText) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "report.json";
  Activity activity;
  activity.launches = {launch_of("broken\xff name")};
  write_report_file(file, activity, device());
  std::ifstream in(file);
  EXPECT_EQ(nlohmann::json::parse(in)["launches"].size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".unfinished"));
}

TEST(Report, FileHoldsTheReportToTheLetter) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "report.json";
  Activity activity;
  for (const DeviceProfile* profile : {static_cast<const DeviceProfile*>(nullptr), device()}) {
    write_report_file(file, activity, profile);
    EXPECT_EQ(read_file(file), to_json(activity, profile).dump(1) + "\n");
    activity.launches = {launch_of("add(int)"), launch_of("line\nend(\"int\")")};
    activity.launches[0].findings = {finding_at(4)};
    activity.launches[1].lines.clear();
    Counters& counters = activity.launches[0].lines[0].counters;
    counters.branches = 999'999'999'999'999;
    counters.barriers = 1'000'000'000'000'000;
    counters.warp_instructions = 3;
    counters.thread_instructions = 92;
  }
}

TEST(Report, FileThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(write_report_file("/nowhere/report.json", {}, nullptr), std::runtime_error);
}

}  // namespace
}  // namespace gridstride::sim

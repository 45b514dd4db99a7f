// The checkers against a table of small kernels (testdata/precision.cu): every mistake is found, in
// its line, and nothing right is reported, whatever the schedule.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

constexpr std::size_t elements = 4096;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr std::string_view kernel_begins = "KERNEL(";

std::string kernel_named_in(const std::string& line) {
  return line.substr(kernel_begins.size(), line.find(')') - kernel_begins.size());
}

/// Lines of the source marked "here" in kernel `name`, and behind it up to the next one.
std::set<std::uint32_t> marked_lines(const std::string& name) {
  std::istringstream text(text_of(GRIDSTRIDE_PRECISION_SOURCE));
  std::set<std::uint32_t> lines;
  std::uint32_t number = 1;
  bool inside = false;
  for (std::string line; std::getline(text, line); ++number) {
    if (line.starts_with(kernel_begins)) inside = kernel_named_in(line) == name;
    if (inside && line.ends_with("// here")) lines.insert(number);
  }
  return lines;
}

std::vector<std::string> kernels() {
  std::istringstream text(text_of(GRIDSTRIDE_PRECISION_SOURCE));
  std::vector<std::string> names;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with(kernel_begins)) names.push_back(kernel_named_in(line));
  }
  return names;
}

class Precision : public testing::TestWithParam<std::string> {
 protected:
  /// Launches the kernel with arrays of its own.
  GridResult launch(std::uint64_t seed, const CheckOptions& checks = {}) {
    const std::vector<int> zeros(elements);
    const DeviceAddress data = gpu_.upload(zeros), flag = gpu_.upload(zeros);
    const DeviceAddress raw = gpu_.memory.allocate(elements * sizeof(int));
    gpu_.request.schedule_seed = seed;
    gpu_.request.checks = checks;
    return gpu_.launch_named(GetParam(), {4}, {64}, data, flag, raw);
  }

 private:
  TestGrid gpu_{text_of(GRIDSTRIDE_PRECISION_PTX)};
};

TEST_P(Precision, WrongIsFoundAndRightIsNotReported) {
  const std::string& name = GetParam();
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const GridResult result = launch(seed);
    if (name.starts_with("right_")) {
      EXPECT_TRUE(result.findings.empty()) << "seed " << seed << ": " << first_message(result);
      continue;
    }
    ASSERT_FALSE(result.findings.empty()) << "seed " << seed;
    const Finding& finding = result.findings.front();
    EXPECT_TRUE(name.starts_with(std::string("wrong_") + name_of(finding.kind))) << finding.message;
    EXPECT_TRUE(marked_lines(name).contains(finding.where.line))
        << finding.where.line << ": " << finding.message;
  }
}

/// The kind of mistake that a kernel's name says; empty for a right one.
std::string kind_in(const std::string& name) {
  for (auto kind = FindingKind::out_of_bounds; kind <= FindingKind::timeout;
       kind = static_cast<FindingKind>(static_cast<int>(kind) + 1)) {
    if (name.starts_with(std::string("wrong_") + name_of(kind))) return name_of(kind);
  }
  return "";
}

TEST_P(Precision, WhatIsSwitchedOffIsNotReported) {
  const GridResult nothing = launch(0, checks_named("none"));
  const std::string kind = kind_in(GetParam());
  if (kind == "invalid_instruction" || kind == "timeout") {
    EXPECT_EQ(nothing.findings.size(), 1u);
    return;
  }
  EXPECT_TRUE(nothing.findings.empty()) << first_message(nothing);
  // What stops a kernel is said with its error.
  EXPECT_EQ(nothing.error == 0, nothing.reason.empty()) << nothing.error;
  if (kind.empty()) return;
  const GridResult alone = launch(0, checks_named(kind));
  ASSERT_FALSE(alone.findings.empty());
  for (const Finding& finding : alone.findings) EXPECT_EQ(name_of(finding.kind), kind);
  for (const Finding& finding : launch(0, checks_named("all,-" + kind)).findings) {
    EXPECT_NE(name_of(finding.kind), kind) << finding.message;
  }
}

TEST(PrecisionTable, IsHalfWrong) {
  const std::vector<std::string> all = kernels();
  const auto wrong = std::ranges::count_if(
      all, [](const std::string& name) { return name.starts_with("wrong_"); });
  EXPECT_GE(all.size(), 60u);
  EXPECT_NEAR(static_cast<double>(wrong) / static_cast<double>(all.size()), 0.5, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Precision, testing::ValuesIn(kernels()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace gridstride::sim

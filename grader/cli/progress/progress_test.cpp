// What has passed is kept whole, by several commands at once, and never over what is not understood.
#include "grader/cli/progress/progress.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "common/files.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

Results results(const std::string& stage, Verdict verdict, double speedup) {
  Results all;
  all.device.kind = "sim";
  StageResult result;
  result.name = stage;
  result.verdict = verdict;
  if (speedup > 0) result.speedup = Speedup{speedup, speedup, speedup, 1};
  all.labs = {{"scan", 0, 0, {result}}};
  return all;
}

class ProgressTest : public testing::Test {
 protected:
  void pass(const std::string& stage, double speedup, const std::string& now) {
    remember_passes(state_.path(), results(stage, Verdict::pass, speedup), now);
  }
  std::string error() {
    try {
      read_progress(state_.path());
    } catch (const ProgressError& error) {
      return error.what();
    }
    return "no error";
  }
  /// `text` is refused with `why`, by those who read and those who add, and stays.
  void expect_refused(const std::string& text, const std::string& why) {
    write_file(file_, text);
    EXPECT_NE(error().find(why), std::string::npos) << error();
    EXPECT_NE(error().find(file_.string()), std::string::npos) << error();
    EXPECT_NE(error().find("Repair: "), std::string::npos) << error();
    EXPECT_THROW(pass("1_first", 2, "later"), ProgressError);
    EXPECT_EQ(read_file(file_), text);
  }

  TemporaryFolder state_;
  fs::path file_ = progress_file(state_.path());
};

TEST_F(ProgressTest, KeepsTheFirstPassAndTheBestSpeedup) {
  EXPECT_TRUE(read_progress(state_.path()).empty());
  pass("1_first", 3.5, "2026-01-31T10:00:00Z");
  pass("1_first", 3.25, "2026-02-01T10:00:00Z");
  pass("2_second", 0, "2026-02-02T10:00:00Z");
  Progress progress = read_progress(state_.path());
  EXPECT_EQ(progress.size(), 2u);
  EXPECT_EQ(progress["scan/1_first"].passed, "2026-01-31T10:00:00Z");
  EXPECT_EQ(progress["scan/1_first"].speedup["sim"], 3.5);
  EXPECT_TRUE(progress["scan/2_second"].speedup.empty()) << "nothing was timed";
  pass("1_first", 4, "2026-03-01T10:00:00Z");
  EXPECT_EQ(read_progress(state_.path())["scan/1_first"].speedup["sim"], 4);
}

TEST_F(ProgressTest, OnlyPassesAreKept) {
  for (const Verdict verdict : {Verdict::wrong, Verdict::slow, Verdict::inconclusive})
    remember_passes(state_.path(), results("1_first", verdict, 9), "now");
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(ProgressTest, WhatIsNotUnderstoodStays) {
  expect_refused("", "is not JSON");
  expect_refused(R"({"schema": 1, "stages": {"scan/1_first": {"pas)", "is not JSON");
  expect_refused("[]", "says no schema");
  expect_refused(R"({"schema": 2, "stages": {}})", "by another version of the course (schema 2");
  expect_refused(R"({"schema": 1})", "no object \"stages\"");
  expect_refused(R"({"schema": 1, "stages": {"scan/1_first": {"passed": 3}}})",
                 "does not say of \"scan/1_first\" when it passed");
  expect_refused(R"({"schema": 1, "stages": {"a": {"passed": "x", "speedup": {"sim": "9"}}}})",
                 "does not say");
}

TEST_F(ProgressTest, ALinkIsNotFollowed) {
  const fs::path other = state_.path() / "other";
  write_file(other, "somebody's");
  fs::create_symlink(other, file_);
  EXPECT_THROW(pass("1_first", 2, "now"), ProgressError);
  EXPECT_EQ(read_file(other), "somebody's");
}

TEST_F(ProgressTest, WhatALaterVersionAddsStays) {
  write_file(file_, R"({"schema": 1, "mood": "good", "stages": {"scan/1_first":
                       {"passed": "x", "tries": 7}}})");
  pass("1_first", 2, "now");
  const std::string text = read_file(file_);
  EXPECT_NE(text.find("\"mood\": \"good\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"tries\": 7"), std::string::npos) << text;
  EXPECT_EQ(read_progress(state_.path())["scan/1_first"].passed, "x");
}

TEST_F(ProgressTest, SeveralAtOnceLoseNothing) {
  constexpr int many = 8;
  std::vector<std::thread> threads;
  for (int i = 0; i < many; ++i)
    threads.emplace_back([&, i] { pass(std::to_string(i) + "_stage", i + 1, "now"); });
  for (std::thread& thread : threads) thread.join();
  Progress progress = read_progress(state_.path());
  EXPECT_EQ(progress.size(), static_cast<std::size_t>(many));
  EXPECT_EQ(progress["scan/7_stage"].speedup["sim"], 8);
}

TEST_F(ProgressTest, AFolderThatCannotBeWrittenToIsAnError) {
  EXPECT_THROW(remember_passes(state_.path() / "none", results("1_first", Verdict::pass, 1), "now"),
               std::runtime_error);
}

}  // namespace
}  // namespace gridstride::cli

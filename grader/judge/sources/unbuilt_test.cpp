// Whose fault a missing library is, by the files beside it.
#include "grader/judge/sources/unbuilt.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "common/files.h"
#include "grader/compile/stage_files.h"
#include "grader/judge/runners/installation.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

class UnbuiltTest : public testing::Test {
 protected:
  void expect(Verdict verdict, const std::string& words) const {
    const Unbuilt why = why_unbuilt("1_first.cu", library_, folder_.path());
    EXPECT_STREQ(name_of(why.verdict), name_of(verdict)) << why.message;
    EXPECT_NE(why.message.find(words), std::string::npos) << why.message;
  }
  std::string baseline_words() const {
    Grading grading;
    StageTask task;
    task.baseline = library_;
    try {
      need_baseline_library(grading, task);
    } catch (const CannotGrade& error) {
      return error.what();
    }
    return {};
  }

  TemporaryFolder folder_;
  fs::path library_ = folder_.path() / "1_first.so";
  fs::path log_ = folder_.path() / "1_first.log";
  fs::path infrastructure_ = folder_.path() / "1_first.infrastructure";
};

TEST_F(UnbuiltTest, OnlyTheCompilersWordsAboutTheSourceAreTheStudents) {
  expect(Verdict::infrastructure, "The stage has not been built: 1_first.so is missing");
  write_file(log_, "");
  expect(Verdict::infrastructure, "1_first.cu compiles, but 1_first.so is missing");
  write_file(log_, "1_first.cu(3): error: No space left on device\n");
  expect(Verdict::compile_error,
         "The compiler says:\n  | 1_first.cu(3): error: No space left on device");
  write_file(infrastructure_, "The toolchain fails. Repair: \x1b[1mdo something.");
  expect(Verdict::infrastructure, "The toolchain fails. Repair: do something.");
}

TEST_F(UnbuiltTest, WhatCannotBeReadIsNotTheStudents) {
  fs::create_directory(log_);
  expect(Verdict::infrastructure, "not a plain file");
}

TEST_F(UnbuiltTest, OnlyTheTextThatWasBuiltIsGraded) {
  const auto why = [&] {
    StageTask task;
    task.library = library_;
    task.source = folder_.path() / "1_first.cu";
    task.source_text = "int x;\n";
    return why_not_this(task, folder_.path());
  };
  const auto expect_not_graded = [&](const std::string& words) {
    const auto unbuilt = why();
    ASSERT_TRUE(unbuilt);
    EXPECT_STREQ(name_of(unbuilt->verdict), "infrastructure");
    EXPECT_NE(unbuilt->message.find(words), std::string::npos) << unbuilt->message;
  };
  expect_not_graded("has not been built");
  write_file(library_, "");
  expect_not_graded("From which text 1_first.so was built is not known");
  write_file(text_of(library_), "int y;\n");
  expect_not_graded("1_first.cu is not what was built: it has another text now");
  write_file(text_of(library_), "int x;\n");
  EXPECT_FALSE(why());
  // The same of what did not compile.
  fs::remove(library_);
  write_file(log_, "1_first.cu(3): error: of this text\n");
  EXPECT_STREQ(name_of(why()->verdict), "compile_error");
  write_file(text_of(library_), "int y;\n");
  expect_not_graded("is not what was built");
  write_file(infrastructure_, "The disk is full. Repair: make room.");
  expect_not_graded("The disk is full.");
}

TEST_F(UnbuiltTest, ABaselineWithoutALibrarySaysWhy) {
  write_file(log_, "0_baseline.cu(3): error: it was edited\n");
  EXPECT_NE(baseline_words().find("1_first.cu does not compile. Repair: put back the file"),
            std::string::npos)
      << baseline_words();
  EXPECT_NE(baseline_words().find("it was edited"), std::string::npos);
  write_file(infrastructure_, "The disk is full. Repair: make room.");
  EXPECT_NE(baseline_words().find("The disk is full."), std::string::npos) << baseline_words();
  write_file(library_, "");
  EXPECT_EQ(baseline_words(), "");
}

}  // namespace
}  // namespace gridstride

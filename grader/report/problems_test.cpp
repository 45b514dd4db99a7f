// Places for editors and for CI, each on one line, whatever the words are.
#include "grader/report/problems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gridstride {
namespace {

StageResult stage_with_remarks(Verdict verdict, std::vector<Remark> remarks) {
  StageResult result;
  result.name = "2_strided";
  result.verdict = verdict;
  result.remarks = std::move(remarks);
  return result;
}

Results results(const StageResult& stage) {
  Results all;
  all.labs = {{"reduction", 0, 0, {stage}}};
  return all;
}

std::string path(const Problem& problem) { return "labs/" + problem.lab + "/" + problem.file; }
std::string gcc(const StageResult& stage) { return to_gcc(problems_of(results(stage)), path); }
std::string github(const StageResult& stage) {
  return to_github(problems_of(results(stage)), path);
}

const Remark error{Remark::Kind::error, "2_strided.cu", 12, 5, "expected a \";\""};
const Remark warning{Remark::Kind::warning, "2_strided.cu", 9, 0, "\"y\" is unused"};
const Remark todo{Remark::Kind::todo, "2_strided.cu", 4, 6, "TODO(1): all"};
const Remark race{Remark::Kind::finding, "2_strided.cu", 23, 0, "2_strided.cu:23: a race\nMore."};

TEST(Problems, AreWrittenAsGccDoes) {
  EXPECT_EQ(gcc(stage_with_remarks(Verdict::compile_error, {todo, error, warning})),
            "labs/reduction/2_strided.cu:4:6: warning: still to do: TODO(1): all\n"
            "labs/reduction/2_strided.cu:12:5: error: expected a \";\"\n"
            "labs/reduction/2_strided.cu:9:1: warning: \"y\" is unused\n");
  EXPECT_EQ(gcc(stage_with_remarks(Verdict::wrong, {race})),
            "labs/reduction/2_strided.cu:23:1: error: 2_strided.cu:23: a race More.\n");
  EXPECT_EQ(gcc(stage_with_remarks(Verdict::pass, {})), "");
}

TEST(Problems, AreWrittenAsGithubWantsThem) {
  EXPECT_EQ(github(stage_with_remarks(Verdict::compile_error, {error, warning})),
            "::error file=labs/reduction/2_strided.cu,line=12,col=5,title=reduction/2_strided::"
            "expected a \";\"\n"
            "::warning file=labs/reduction/2_strided.cu,line=9,title=reduction/2_strided::"
            "\"y\" is unused\n");
  Remark odd = error;
  odd.file = "a,b:c%.cu";
  odd.text = "100% at 3:4,\r\n::error::x";
  const std::string text = github(stage_with_remarks(Verdict::compile_error, {odd}));
  EXPECT_NE(text.find("file=labs/reduction/a%2Cb%3Ac%25.cu,"), std::string::npos) << text;
  EXPECT_NE(text.find("::100%25 at 3:4, ::error::x\n"), std::string::npos) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
}

TEST(Problems, AnUntouchedSkeletonHasItsTodoAlone) {
  EXPECT_EQ(gcc(stage_with_remarks(Verdict::todo, {todo, warning})),
            "labs/reduction/2_strided.cu:4:6: warning: still to do: TODO(1): all\n");
}

TEST(Problems, LimitsHaveTheirLine) {
  StageResult beyond = stage_with_remarks(Verdict::over_limit, {});
  beyond.limits = {{"bank_conflicts", 0, 12, false, "2_strided.cu:9"},
                   {"barriers", 5, 4, true, "2_strided.cu:8"}};
  EXPECT_EQ(gcc(beyond),
            "labs/reduction/2_strided.cu:9:1: error: bank_conflicts is 12, at most 0 allowed\n");
  beyond.limits[0].where = "";
  EXPECT_EQ(gcc(beyond), "labs/reduction/2_strided.cu:1:1: error: over_limit\n");
}

TEST(Problems, WhatIsNobodysFaultIsAWarning) {
  StageResult broken = stage_with_remarks(Verdict::infrastructure, {});
  broken.message = "No room.";
  EXPECT_EQ(gcc(broken), "labs/reduction/2_strided.cu:1:1: warning: infrastructure: No room.\n");
}

TEST(Problems, WhatFallsShortHasAnErrorAtLeast) {
  StageResult wrong = stage_with_remarks(Verdict::wrong, {todo});
  wrong.message =
      "2_strided.cu:4 still has \"TODO(1): all\".\nFor n = 5 the result differs.\nMore.";
  EXPECT_EQ(gcc(wrong),
            "labs/reduction/2_strided.cu:4:6: warning: still to do: TODO(1): all\n"
            "labs/reduction/2_strided.cu:1:1: error: wrong: For n = 5 the result differs.\n");
  wrong.message = "\x1b[2J\n";
  EXPECT_EQ(gcc(wrong).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace gridstride

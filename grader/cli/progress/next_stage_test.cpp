// What comes next is what has not passed, from where one is.
#include "grader/cli/progress/next_stage.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gridstride::cli {
namespace {

const std::vector<CourseStage> stages = {{"reduction", "1_first", "T", "reduction/1"},
                                         {"reduction", "2_second", "T", "reduction/2"},
                                         {"scan", "1_first", "T", "scan/1"}};

std::string next(const std::vector<std::string>& passed, const std::string& after) {
  Progress progress;
  for (const std::string& name : passed) progress[name];
  const auto stage = next_stage(stages, progress, after);
  return stage ? stage->full_name() : "none";
}

TEST(NextStage, GoesOnFromWhereOneIs) {
  EXPECT_EQ(next({}, ""), "reduction/1_first");
  EXPECT_EQ(next({"reduction/1_first"}, "reduction/1_first"), "reduction/2_second");
  EXPECT_EQ(next({"reduction/2_second"}, "reduction/2_second"), "scan/1_first");
  EXPECT_EQ(next({"reduction/1_first", "reduction/2_second"}, "reduction/1_first"), "scan/1_first");
  EXPECT_EQ(next({"scan/1_first"}, "scan/1_first"), "reduction/1_first") << "what was left out";
  EXPECT_EQ(next({"scan/1_first"}, "no/stage"), "reduction/1_first");
  EXPECT_EQ(next({"reduction/1_first", "reduction/2_second", "scan/1_first"}, "scan/1_first"),
            "none");
  EXPECT_FALSE(next_stage({}, {}, "").has_value());
}

TEST(NextStage, TheLatestPassIsTheLastInTime) {
  Progress progress;
  EXPECT_EQ(latest_pass(progress), "");
  progress["a/1"].passed = "2026-01-02T00:00:00Z";
  progress["b/1"].passed = "2026-01-03T00:00:00Z";
  progress["c/1"].passed = "2026-01-01T00:00:00Z";
  EXPECT_EQ(latest_pass(progress), "b/1");
}

TEST(NextStage, IsNamedWithItsCommand) {
  EXPECT_EQ(words_about_next(stages[1]),
            "Next: labs/reduction/2_second.cu, “T”.\nGrade it: ./lab grade reduction/2");
  EXPECT_EQ(words_about_next(std::nullopt), "Every stage of the course has passed.");
}

}  // namespace
}  // namespace gridstride::cli

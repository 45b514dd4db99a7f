// The commands that a verdict prints, pasted: they show the very mistake that the verdict tells of.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>

#include "common/files.h"
#include "grader/handout/places.h"
#include "grader/handout/test_handout.h"

namespace gridstride {
namespace {

class SeeItInHandoutTest : public HandoutTest {
 protected:
  /// The solution of stage 3 with `right` made `wrong`, graded.
  RunResult graded(const std::string& right, const std::string& wrong) const {
    std::string text = read_file(source_tree / "solutions/reduction/3_sequential.cu");
    const std::size_t at = text.find(right);
    EXPECT_NE(at, std::string::npos);
    write_file(stage("3_sequential"), text.replace(at, right.size(), wrong));
    RunResult result = grade("reduction/3");
    EXPECT_EQ(result.exit_code, 1) << result.output;
    return result;
  }
  /// What stands behind `words` in their line.
  static std::string printed(const RunResult& result, const std::string& words) {
    const std::size_t at = result.output.find(words);
    if (at == std::string::npos) return "echo nothing is printed behind '" + words + "'";
    const std::size_t begin = at + words.size();
    return result.output.substr(begin, result.output.find('\n', begin) - begin);
  }
  /// In a shell in the course's folder.
  RunResult paste(const std::string& command, const std::string& input = "") const {
    const std::string path = fs::path(GRIDSTRIDE_NVCC).parent_path().string();
    return run({"env", "-u", "LAB_PRESET", "PATH=" + path + ":/usr/bin:/bin", "bash", "-c",
                "cd '" + tree_.string() + "' && printf '" + input + "' | " + command});
  }
};

TEST_F(SeeItInHandoutTest, OfARaceBothAccesses) {
  if (!has_solutions()) GTEST_SKIP() << "there are no solutions here";
  const RunResult verdict = graded("if (tid < s)", "if (tid + s < blockDim.x)");
  EXPECT_TRUE(contains(verdict, "Race in sums")) << verdict.output;
  const RunResult trace = paste(printed(verdict, "See it: "));
  EXPECT_EQ(trace.exit_code, 1) << trace.output;
  EXPECT_TRUE(contains(trace, "Race in sums")) << trace.output;
  EXPECT_NE(read_file(tree_ / "steps.html", std::size_t{1} << 28).find("Race in sums"),
            std::string::npos);
  const RunResult debug = paste(printed(verdict, "Step through it: "), "run\\n");
  EXPECT_EQ(debug.exit_code, 1) << debug.output;
  EXPECT_TRUE(contains(debug, "Finding: Race in sums")) << debug.output;
}

TEST_F(SeeItInHandoutTest, OfAWrongAnswerWhoWroteIt) {
  if (!has_solutions()) GTEST_SKIP() << "there are no solutions here";
  const RunResult verdict = graded("= sums[0]", "= sums[0] + 1");
  EXPECT_TRUE(contains(verdict, " wrong ")) << verdict.output;
  const RunResult trace = paste(printed(verdict, "See it: "));
  EXPECT_EQ(trace.exit_code, 1) << trace.output;
  EXPECT_TRUE(contains(trace, "\nWrong: ")) << trace.output;
  EXPECT_TRUE(contains(trace, "3_sequential.cu")) << trace.output;
  const RunResult debug =
      paste(printed(verdict, "Step through it: "), "break sum_sections\\nrun\\ninfo locals\\n");
  EXPECT_EQ(debug.exit_code, 1) << debug.output;
  EXPECT_TRUE(contains(debug, "Breakpoint 1\n")) << debug.output;
}

}  // namespace
}  // namespace gridstride

// What a verdict shows of the inside of a stage: what its kernels printed, and what they asserted.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "grader/judge/grading_program.h"

namespace gridstride {
namespace {

TEST_F(Grader, ShowsTheFirstLinesThatKernelsPrinted) {
  const StageResult result = grade("prints");
  EXPECT_EQ(result.verdict, Verdict::wrong);
  const std::string& words = result.message;
  EXPECT_NE(words.find("\nWhat the kernels printed:\n  | red\n  | \n  |   2_second: pass\n"
                       "  | thread 0 has 1"),
            std::string::npos)
      << words;
  EXPECT_EQ(words.find('\x1b'), std::string::npos) << words;
}

TEST_F(Grader, SaysHowMuchMoreWasPrinted) {
  // The first case of which most lines are left out is not the one that is told; any will do.
  const StageResult result = grade("prints_much");
  const std::string& words = result.message;
  EXPECT_NE(words.find("  | line 11 "), std::string::npos) << words;
  EXPECT_EQ(words.find("  | line 12 "), std::string::npos) << words;
  EXPECT_NE(words.find("\nThere is more: "), std::string::npos) << words;
  EXPECT_LT(words.size(), 2500u);
}

TEST_F(Grader, NamesTheAssertionThatFails) {
  const StageResult result = grade("asserts");
  EXPECT_EQ(result.verdict, Verdict::crash);
  const std::string& words = result.message;
  EXPECT_NE(words.find("asserts.cu:9: "), std::string::npos) << words;
  EXPECT_NE(words.find("fails the assertion 'in[0] * n < 1'"), std::string::npos) << words;
  EXPECT_NE(words.find("\n  | before the assertion"), std::string::npos) << words;
}

/// n = 0, 1 and 31 come first: nothing that was right was tried after them.
TEST_F(Grader, RefusedLaunchesOfNeighbouringSizesCostNoOtherCase) {
  const StageResult result = grade("empty_grid_where_small");
  EXPECT_STREQ(name_of(result.verdict), name_of(Verdict::crash));
  EXPECT_NE(result.message.find("n=0: cudaErrorInvalidValue"), std::string::npos) << result.message;
  EXPECT_EQ(result.cases.passed, result.cases.total - 3) << result.cases.total;
}

/// What Windows' editors and shells may save: gcc's words about it fill a page and do not say what it is.
TEST_F(Grader, SaysWhatATextInUtf16Is) {
  const fs::path source = folder_.path() / "wide.cu";
  write_file(source, std::string("\xff\xfe#\0i\0n\0", 8));
  write_file(folder_.path() / "wide.text", read_file(source));
  write_file(folder_.path() / "wide.log", "wide.cu:1:1: error: stray '\\377' in program\n");
  run_child(command({"1_first", "--library=1_first=" + (folder_.path() / "wide.so").string(),
                     "--source=1_first=" + source.string()},
                    GRIDSTRIDE_TEST_FOLDER));
  const StageResult result = results().labs.at(0).stages.at(0);
  EXPECT_EQ(result.verdict, Verdict::compile_error);
  EXPECT_TRUE(result.message.starts_with("wide.cu is no text that compilers read: "))
      << result.message;
}

TEST_F(Grader, SaysOfALimitOnce) {
  const ChildOutcome seen = run_child(
      command({"1_first", "--library=1_first=" + (libraries / "strided_stores.so").string(),
               "--source=1_first=" + (sources / "strided_stores.cu").string()},
              GRIDSTRIDE_TEST_FOLDER));
  const std::size_t first = seen.output.find("store_sectors_per_request");
  EXPECT_NE(first, std::string::npos) << seen.output;
  EXPECT_EQ(seen.output.find("store_sectors_per_request", first + 1), std::string::npos)
      << seen.output;
}

TEST_F(Grader, ExplainsWithinSecondsThatNothingIsLaunched) {
  const fs::path file = folder_.path() / "explained.json";
  const auto begin = std::chrono::steady_clock::now();
  run_child(command(
      {"1_first", "--library=1_first=" + (libraries / "never_launches.so").string(),
       "--source=1_first=" + (sources / "never_launches.cu").string(), "--explain", file.string()},
      GRIDSTRIDE_TEST_FOLDER));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  const std::string words = read_file(file);
  EXPECT_NE(words.find("no kernel was launched within 10 s"), std::string::npos) << words;
}

class Case : public Grader {
 protected:
  /// What is shown of a case of device/<file>.cu, and the exit code behind it.
  std::string look(const std::string& file, const std::string& name) {
    const ChildOutcome seen = run_child(
        command({"1_first", "--library=1_first=" + (libraries / (file + ".so")).string(),
                 "--source=1_first=" + (sources / (file + ".cu")).string(), "--case", name},
                GRIDSTRIDE_TEST_FOLDER));
    return seen.output + seen.errors + "exit code " + std::to_string(seen.exit_code);
  }
  void expect_words(const std::string& seen, const std::vector<std::string>& words) {
    for (const std::string& each : words)
      EXPECT_NE(seen.find(each), std::string::npos) << each << "\n" << seen;
  }
};

TEST_F(Case, ShowsInputsExpectedAndGotAroundTheFirstWrongElement) {
  const std::string seen = look("prints", "n=31");
  expect_words(seen, {"1_first: wrong", "n=31: out[", "n = 31", "in, 31 elements", "expected",
                      "got", "\n  > ", "it gives no points", "exit code 1"});
  EXPECT_FALSE(fs::exists(json_));
}

TEST_F(Case, OfARightStageIsRight) {
  expect_words(look("1_first", "n=33"),
               {"1_first: pass", "n=33: right.", "out, 33 elements, all right", "exit code 0"});
}

TEST_F(Case, ShowsWhatAKernelPrintedAndTheInputsOfACrash) {
  expect_words(look("asserts", "n=33"),
               {"1_first: crash", "fails the assertion", "  | before the assertion",
                "in, 33 elements", "exit code 1"});
}

TEST_F(Case, OfAnUnknownNameListsTheNames) {
  expect_words(look("1_first", "n=34"),
               {"no case 'n=34'", "\n  n=33\n", "\n  unaligned\n", "exit code 2"});
}

TEST_F(Case, OfAGpuAloneIsNotRunHere) {
  expect_words(look("1_first", "of real use"), {"too large for the simulated GPU", "exit code 3"});
}

}  // namespace
}  // namespace gridstride

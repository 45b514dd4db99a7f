// `lab watch` on a terminal: what a student sees between the first start and the next stage.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/text.h"
#include "grader/cli/cli_test_fixture.h"
#include "grader/cli/mini_course.h"
#include "grader/cli/progress/progress.h"
#include "grader/cli/watch/test_terminal.h"
#include "grader/report/json.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

class WatchTest : public CliTest {
 protected:
  /// A grader that passes a file that says "right", takes its time over one that says "slow", and
  /// finds all others wrong.
  WatchTest() {
    for (const std::string lab : {"reduction", "scan"}) {
      const std::string file = "'" + (course_.tree() / "labs" / lab).string() + "'/${stages# }.cu";
      course_.set_grader(lab, "if grep -q slow " + file + "; then exec sleep 60; fi\n" +
                                  "verdict=wrong; grep -q right " + file + " && verdict=pass\n" +
                                  "sed -e \"s/VERDICT/$verdict/\" -e \"s/STAGE/${stages# }/\" > "
                                  "\"$json\" <<'END'\n" +
                                  report(lab) + "END\n");
    }
  }
  static std::string report(const std::string& lab) {
    Results results;
    results.device = {"sim", "A simulated GPU", "", ""};
    StageResult stage;
    stage.name = "STAGE";
    stage.max_score = 10;
    stage.message = "It differs at index 7.";
    results.labs = {{lab, 0, 0, {stage}}};
    std::string text = to_json(results);
    const std::string verdict = name_of(stage.verdict);
    text.replace(text.find(verdict), verdict.size(), "VERDICT");
    return text;
  }

  std::vector<std::string> command() const {
    return {course_.program().string(), "watch", "--no-build"};
  }
  /// As some editors do it.
  void save_in_place(const std::string& lab, const std::string& stage, const std::string& text) {
    std::ofstream(course_.stage(lab, stage)) << text;
  }
  /// As others do it: a new file takes the name of the old one.
  void save_by_rename(const std::string& lab, const std::string& stage, const std::string& text) {
    write_file(course_.stage(lab, stage), text);
  }
  static void expect_fits(const TestTerminal& terminal, std::size_t columns, std::size_t rows) {
    EXPECT_EQ(terminal.lines().size(), rows) << terminal.page();
    for (const std::string& line : terminal.lines())
      EXPECT_LE(display_width(line), columns) << line;
  }
  /// The terminal is as it was before the program began.
  static void expect_given_back(const TestTerminal& terminal) {
    const termios now = terminal.keys(), &before = terminal.keys_before();
    EXPECT_EQ(now.c_lflag, before.c_lflag);
    EXPECT_EQ(now.c_iflag, before.c_iflag);
    EXPECT_EQ(now.c_oflag, before.c_oflag);
    EXPECT_EQ(now.c_cc[VMIN], before.c_cc[VMIN]);
    for (const auto& [on, off] : std::map<std::string, std::string>{{"\x1b[?1049h", "\x1b[?1049l"},
                                                                    {"\x1b[?25l", "\x1b[?25h"},
                                                                    {"\x1b[?7l", "\x1b[?7h"}}) {
      const std::size_t last = terminal.written().rfind(on);
      ASSERT_NE(last, std::string::npos);
      EXPECT_NE(terminal.written().find(off, last), std::string::npos) << off.substr(1);
    }
  }
};

class WatchSizes : public WatchTest, public testing::WithParamInterface<unsigned short> {};

TEST_P(WatchSizes, FromTheFirstStartToTheNextStage) {
  const unsigned short columns = GetParam();
  TestTerminal terminal(command(), columns, 24);
  ASSERT_TRUE(terminal.shows("q quit")) << terminal.written();
  EXPECT_TRUE(terminal.shows("reduction/1_first  Stage 1_first")) << terminal.page();
  EXPECT_TRUE(terminal.shows("0 of 3 stages passed"));
  EXPECT_TRUE(terminal.shows("\"TODO 1_first\""));
  expect_fits(terminal, columns, 24);

  save_in_place("reduction", "1_first", "no good\n");
  ASSERT_TRUE(terminal.shows("It differs at index 7.")) << terminal.page();
  EXPECT_TRUE(terminal.shows("`./lab hint reduction/1_first`"));
  expect_fits(terminal, columns, 24);

  save_by_rename("reduction", "1_first", "right\n");
  ASSERT_TRUE(terminal.shows("Next: labs/reduction/2_second.cu")) << terminal.page();
  EXPECT_TRUE(terminal.shows("1 of 3 stages passed"));
  EXPECT_TRUE(terminal.shows("has passed; n goes on to reduction/2"));
  expect_fits(terminal, columns, 24);

  terminal.press("n");
  ASSERT_TRUE(terminal.shows("reduction/2_second  Stage 2_second")) << terminal.page();
  terminal.press("\x03");
  EXPECT_EQ(terminal.ended(), 130);
  expect_given_back(terminal);
  EXPECT_TRUE(read_progress(course_.tree() / ".lab").contains("reduction/1_first"));
}

INSTANTIATE_TEST_SUITE_P(Columns, WatchSizes, testing::Values(80, 120));

TEST_F(WatchTest, BeginsWhereOneHasStopped) {
  fs::create_directories(course_.tree() / ".lab");
  write_file(
      progress_file(course_.tree() / ".lab"),
      R"({"schema": 1, "stages": {"reduction/1_first": {"passed": "2026-01-31T00:00:00Z"}}})");
  save_in_place("reduction", "2_second", "no good, and no mark that it is open\n");
  TestTerminal terminal(command(), 80, 24);
  EXPECT_TRUE(terminal.shows("reduction/2_second"));
  EXPECT_TRUE(terminal.shows("It differs at index 7.")) << "graded at once: " << terminal.page();
  terminal.press("q");
  EXPECT_EQ(terminal.ended(), 0);
  expect_given_back(terminal);
}

TEST_F(WatchTest, KeysShowHintExplanationAndList) {
  TestTerminal terminal(command(), 80, 24);
  ASSERT_TRUE(terminal.shows("q quit"));
  terminal.press("h");
  EXPECT_TRUE(terminal.shows("first hint"));
  terminal.press("h");
  EXPECT_TRUE(terminal.shows("second hint"));
  terminal.press("l");
  EXPECT_TRUE(terminal.shows("0 of 2  A lab")) << terminal.page();
  course_.set_grader("reduction", "exit 3");
  terminal.press("e");
  EXPECT_TRUE(terminal.shows("recorded nothing")) << terminal.page();
  terminal.press("\n");
  EXPECT_TRUE(terminal.shows("begin at line 1:")) << "back to the stage: " << terminal.page();
  terminal.press("zq");
  EXPECT_EQ(terminal.ended(), 0);
}

TEST_F(WatchTest, ResetAsksFirst) {
  TestTerminal terminal(command(), 80, 24);
  ASSERT_TRUE(terminal.shows("q quit"));
  save_in_place("reduction", "1_first", "no good\n");
  ASSERT_TRUE(terminal.shows("It differs at index 7."));
  terminal.press("r");
  ASSERT_TRUE(terminal.shows("y / n"));
  terminal.press("n");
  ASSERT_TRUE(terminal.shows("q quit"));
  EXPECT_EQ(read_file(course_.stage("reduction", "1_first")), "no good\n");
  terminal.press("ry");
  EXPECT_TRUE(terminal.shows("Your version is kept in")) << terminal.page();
  EXPECT_EQ(read_file(course_.stage("reduction", "1_first")), "// TODO 1_first\n")
      << "as it was before the first save";
  terminal.press("q");
  EXPECT_EQ(terminal.ended(), 0);
}

TEST_F(WatchTest, AnotherSaveEndsTheGradeOfTheOneBefore) {
  TestTerminal terminal(command(), 80, 24);
  ASSERT_TRUE(terminal.shows("q quit"));
  save_in_place("reduction", "1_first", "slow\n");
  ASSERT_TRUE(terminal.shows("saved, graded since"));
  save_in_place("reduction", "1_first", "right\n");
  EXPECT_TRUE(terminal.shows("Next: labs/reduction/2_second.cu")) << terminal.page();
  save_in_place("reduction", "1_first", "slow\n");
  ASSERT_TRUE(terminal.shows("saved, graded since"));
  terminal.press("q");
  EXPECT_EQ(terminal.ended(), 0) << "also while a grade runs";
}

TEST_F(WatchTest, AKeyCutsAGradeShortAndSaysSo) {
  TestTerminal terminal(command(), 80, 24);
  ASSERT_TRUE(terminal.shows("q quit"));
  save_in_place("reduction", "1_first", "slow\n");
  ASSERT_TRUE(terminal.shows("saved, graded since"));
  terminal.press("h");
  EXPECT_TRUE(terminal.shows("first hint")) << terminal.page();
  EXPECT_TRUE(terminal.shows("its grade cut short; g grades it")) << terminal.page();
  terminal.press("g");
  ASSERT_TRUE(terminal.shows("saved, graded since"));
  save_in_place("reduction", "1_first", "right\n");
  EXPECT_TRUE(terminal.shows("has passed; n goes on")) << terminal.page();
  terminal.press("q");
  EXPECT_EQ(terminal.ended(), 0);
}

TEST_F(WatchTest, GoesToTheStageThatIsSaved) {
  TestTerminal terminal(command(), 80, 24);
  ASSERT_TRUE(terminal.shows("q quit"));
  save_in_place("scan", "notes", "not a stage");
  save_by_rename("scan", "1_first", "right\n");
  EXPECT_TRUE(terminal.shows("scan/1_first  Stage 1_first")) << terminal.page();
  EXPECT_TRUE(terminal.shows("Next: labs/reduction/1_first.cu"));
  terminal.press("q");
  EXPECT_EQ(terminal.ended(), 0);
}

TEST_F(WatchTest, ScrollsWhatDoesNotFitAndFollowsTheWindow) {
  TestTerminal terminal(command(), 80, 12);
  ASSERT_TRUE(terminal.shows("q quit"));
  terminal.press("l");
  ASSERT_TRUE(terminal.shows("lines 1 to ")) << terminal.page();
  expect_fits(terminal, 80, 12);
  terminal.press("\x1b[B");
  EXPECT_TRUE(terminal.shows("lines 2 to ")) << terminal.page();
  terminal.press("\x1b[6~");
  EXPECT_TRUE(terminal.shows("Next: ")) << terminal.page();
  terminal.resize(60, 30);
  EXPECT_TRUE(terminal.shows("reduction  ░")) << "all of it: " << terminal.page();
  terminal.press("q");
  EXPECT_EQ(terminal.ended(), 0);
}

TEST_F(WatchTest, CtrlZGivesTheTerminalBackUntilItGoesOn) {
  TestTerminal terminal(command(), 80, 24);
  ASSERT_TRUE(terminal.shows("q quit"));
  terminal.press("\x1a");
  ASSERT_TRUE(terminal.stops());
  EXPECT_EQ(terminal.keys().c_lflag, terminal.keys_before().c_lflag);
  ::kill(terminal.pid(), SIGCONT);
  terminal.press("l");
  EXPECT_TRUE(terminal.shows("0 of 2  A lab"));
  terminal.press("q");
  EXPECT_EQ(terminal.ended(), 0);
  expect_given_back(terminal);
}

TEST_F(WatchTest, NeedsATerminal) {
  const RunResult result = course_.run("watch < /dev/null");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(contains(result, "watch needs a terminal")) << result.output;
}

}  // namespace
}  // namespace gridstride::cli

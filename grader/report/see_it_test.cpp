// What is printed is pasted: words must stay one word, and commands must show something.
#include "grader/report/see_it.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/subprocess.h"

namespace gridstride {
namespace {

TEST(ShellWord, IsOneWordToAShell) {
  EXPECT_EQ(shell_word("n=33"), "n=33");
  EXPECT_EQ(shell_word("n = 1025, mixed"), "\"n = 1025, mixed\"");
  for (const std::string text : {"n=33", "n = 1025, mixed", "", "it's", "$HOME `id` \\ \"x\" it's",
                                 "a!b", "*", "a;b", "~"}) {
    Subprocess shell;
    std::string said;
    shell.command = {"sh", "-c", "printf '[%s]' " + shell_word(text)};
    shell.on_line = [&said](std::string_view line) { said += line; };
    EXPECT_TRUE(run_process(shell).succeeded());
    EXPECT_EQ(said, "[" + text + "]");
  }
}

TEST(SeeIt, CommandsNameTheCase) {
  StageResult stage;
  stage.name = "2_strided";
  stage.failed_case = "n = 1025, mixed";
  const std::vector<std::string> commands = {
      "./lab trace reduction/2_strided --case \"n = 1025, mixed\" --html steps.html",
      "./lab debug reduction/2_strided --case \"n = 1025, mixed\""};
  for (const Verdict verdict : {Verdict::wrong, Verdict::crash, Verdict::timeout}) {
    stage.verdict = verdict;
    EXPECT_EQ(commands_that_show("reduction", stage), commands);
  }
}

TEST(SeeIt, NothingIsSaidWhereNothingWouldBeShown) {
  StageResult stage;
  stage.name = "2_strided";
  stage.verdict = Verdict::wrong;
  EXPECT_TRUE(commands_that_show("reduction", stage).empty()) << "no case failed: a header, say";
  stage.failed_case = "n = 1025, mixed";
  stage.case_too_large = true;
  EXPECT_TRUE(commands_that_show("reduction", stage).empty());
  stage.case_too_large = false;
  for (const Verdict verdict :
       {Verdict::pass, Verdict::slow, Verdict::todo, Verdict::infrastructure}) {
    stage.verdict = verdict;
    EXPECT_TRUE(commands_that_show("reduction", stage).empty()) << name_of(verdict);
  }
}

}  // namespace
}  // namespace gridstride

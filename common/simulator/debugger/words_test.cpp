// The command line's words, as a user types them.
#include "common/simulator/debugger/words.h"

#include <gtest/gtest.h>

#include <string>

#include "common/simulator/debugger/test_recording.h"

namespace gridstride::sim {
namespace {

class WordsTest : public testing::Test {
 protected:
  std::string say(const std::string& line) { return words_.say(line).text; }

  Playback playback_ = played(worked());
  Debugger debugger_{playback_};
  Words words_{debugger_};
};

TEST_F(WordsTest, ASessionReadsAsAnyDebuggers) {
  EXPECT_EQ(say("break 12"), "Breakpoint 1 at work.cu:12.\n");
  EXPECT_EQ(say("run"),
            "Breakpoint 1\n"
            "work (in=in (0xa0000000000), out=out (0xa0000000400), n=5, pair={first = 3, second = "
            "2}) at work.cu:12\n"
            "12\t  float d = twice(tile[0], s);\n");
  EXPECT_EQ(say("print s"), "s = 1\n");
  EXPECT_EQ(say("p/x n"), "n = 0x5\n");
  EXPECT_EQ(say("s"), "twice (p=tile (0x90000000000), i=1) at work.cu:3\n3\t  float v = p[i];\n");
  EXPECT_EQ(say("next"), "4\t  return v + v;\n");
  EXPECT_EQ(say("back"), "3\t  float v = p[i];\n");
  EXPECT_EQ(say("up"),
            "#1 work (in=in (0xa0000000000), out=out (0xa0000000400), n=5, pair={first = 3, second "
            "= 2}) at work.cu:12\n12\t  float d = twice(tile[0], s);\n");
  EXPECT_EQ(say("p s"), "s = 1\n");
  EXPECT_EQ(say("info args").substr(0, 3), "in ");
  EXPECT_EQ(say("down").substr(0, 8), "#0 twice");
  EXPECT_EQ(say("c"),
            "[block (1,0,0) thread (32,0,0)]\nBreakpoint 1\n"
            "work (in=in (0xa0000000000), out=out (0xa0000000400), n=5, pair={first = 3, second = "
            "2}) at work.cu:12\n"
            "12\t  float d = twice(tile[0], s);\n");
  EXPECT_EQ(say("delete 1"), "");
  EXPECT_EQ(say("c"), "The recorded blocks have ended.\n");
  EXPECT_TRUE(words_.say("quit").quit);
}

TEST_F(WordsTest, AnEmptyLineDoesTheLastAgain) {
  EXPECT_EQ(say(""), "");
  say("next");
  EXPECT_EQ(say(""), "10\t  __syncthreads();\n");
  EXPECT_EQ(say("  "), "12\t  float d = twice(tile[0], s);\n");
  say("back 3");
  EXPECT_EQ(debugger_.moment().position, 0u);
  say("break 9");
  EXPECT_EQ(say(""), "") << "a breakpoint is not set twice";
}

TEST_F(WordsTest, WordsMayBeShortenedAsLongAsOneBeginsSo) {
  EXPECT_EQ(say("rever"), "The beginning of the recording.\n" + words_.place(true));
  EXPECT_EQ(say("st"), "'st' can be step and stepi.\n");
  EXPECT_EQ(say("nxt"), "there is no word \"nxt\". Did you mean 'next'?\n");
  EXPECT_EQ(say("frobnicate").substr(0, 17), "there is no word ");
  EXPECT_FALSE(words_.knows("in[3]"));
  EXPECT_FALSE(words_.knows("in")) << "a parameter";
  EXPECT_TRUE(words_.knows("inf args"));
  EXPECT_TRUE(words_.knows("info warps"));
  EXPECT_TRUE(words_.knows("n")) << "a parameter too, and short for next";
}

TEST_F(WordsTest, AThreadIsNamedInSeveralWays) {
  for (const char* name : {"33", "1,33", "(33,0,0)", "(1,0,0) (33,0,0)", "1 thread 33",
                           "block (1,0,0) thread (33,0,0)", "block 1 thread 33"}) {
    debugger_.set_focus({0, 0});
    EXPECT_EQ(say(std::string("thread ") + name).substr(0, 32), "[block (1,0,0) thread (33,0,0)]\n")
        << name;
    EXPECT_EQ(debugger_.moment().focus, (Focus{1, 1})) << name;
  }
  EXPECT_EQ(say("thread 64"), "there is no thread 64: a block has threads 0 to 63.\n");
  EXPECT_EQ(say("thread 0,5"), "block (0,0,0) is not recorded; recorded is (1,0,0).\n");
  EXPECT_EQ(say("thread x").substr(0, 17), "expected a thread");
  EXPECT_EQ(say("thread 1,2,3,4").substr(0, 17), "expected a thread");
  EXPECT_EQ(say("block 1").substr(0, 31), "[block (1,0,0) thread (33,0,0)]");
  EXPECT_EQ(say("block 0"), "block (0,0,0) is not recorded; recorded is (1,0,0).\n");
  EXPECT_EQ(say("warp 0").substr(0, 29), "[block (1,0,0) thread (0,0,0)");
  EXPECT_EQ(say("warp 2"), "expected a warp of the block, 0 to 1.\n");
}

TEST_F(WordsTest, InfoTellsWhatThereIs) {
  EXPECT_EQ(say("info breakpoints"), "There are no breakpoints.\n");
  say("break 12 if d > 1");
  say("break 7");
  EXPECT_EQ(say("info b"),
            "1  work.cu:12 if d > 1\n"
            "2  work.cu:7  will not be reached: no recorded thread comes to line 7; the next that "
            "is run is 8\n");
  EXPECT_EQ(say("break 12 if m == 1").substr(0, 83),
            "Breakpoint 3 at work.cu:12; the condition has no value there: there is no 'm' here;");
  say("delete");
  while (debugger_.moment().position < 4) say("next");
  EXPECT_EQ(say("info warps"),
            "  warp  lanes                 stands at\n"
            "* 0     lanes 0-3             work.cu:12 in work\n"
            "  0     lanes 4-31            ended\n"
            "  1     lanes 0-3             work.cu:12 in work\n"
            "  1     lanes 4-31            ended\n");
  EXPECT_NE(say("info threads").find("* 0     (0,0,0)               work.cu:12 in work\n"),
            std::string::npos);
  EXPECT_EQ(say("info locals"), "s = 1\nd = not yet written\n");
  EXPECT_EQ(say("info shared").substr(0, 34), "tile = {{10, 11, 12, 13, ?, ?, ?, ");
  EXPECT_EQ(say("info finding"), "Nothing was found in the recorded launch.\n");
  EXPECT_EQ(say("info"),
            "info: of what? There is warps, threads, locals, args, shared, breakpoints and "
            "finding.\n");
}

TEST_F(WordsTest, AFindingIsSaidWithItsStep) {
  const Playback playback = played(worked_with_finding());
  Debugger debugger(playback);
  Words words(debugger);
  const std::string text = words.say("run").text;
  EXPECT_NE(text.find("[block (1,0,0) thread (33,0,0)]\nFinding: tile: thread (33, 0, 0)"),
            std::string::npos)
      << text;
  EXPECT_NE(words.say("info finding").text.find("(by step "), std::string::npos);
}

TEST_F(WordsTest, TheSourceIsListedPieceByPiece) {
  EXPECT_EQ(say("list").substr(0, 41), "  3\t  float v = p[i];\n  4\t  return v + v;");
  EXPECT_NE(say("l").find("  13\t  if (threadIdx.x < 2) {\n"), std::string::npos);
  EXPECT_EQ(say("list 1").substr(0, 10), "  1\tstruct");
  EXPECT_NE(say("list 8").find("->8\t  int s = 1;\n"), std::string::npos);
}

TEST_F(WordsTest, WhereListsTheFunctions) {
  say("break twice");
  say("run");
  EXPECT_EQ(
      say("bt"),
      "*#0 twice (p=tile (0x90000000000), i=1) at work.cu:3\n"
      " #1 work (in=in (0xa0000000000), out=out (0xa0000000400), n=5, pair={first = 3, second "
      "= 2}) at work.cu:12\n");
  EXPECT_EQ(say("frame 2"), "the thread is in functions #0 to #1.\n");
}

TEST_F(WordsTest, HelpNamesEachWord) {
  const std::string text = "\n" + say("help");
  for (const char* word :
       {"break", "delete", "run", "continue", "next", "step", "back", "finish", "stepi", "backi",
        "reverse-continue", "print", "info", "thread", "block", "where", "list", "help", "quit"})
    EXPECT_NE(text.find(std::string("\n") + word), std::string::npos) << word;
  EXPECT_EQ(say("help where"), "where, bt             the functions that the thread is in\n");
}

TEST_F(WordsTest, StepBlockTellsWhereItsWarpsStand) {
  const std::string text = say("step block");
  EXPECT_NE(text.find("* 0     lanes 0-3             a barrier, before work.cu:12 in work\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace gridstride::sim

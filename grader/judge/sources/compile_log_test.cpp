// Compilers' logs as students see them.
#include "grader/judge/sources/compile_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace gridstride {
namespace {

TEST(CompileLog, ShowsNvccsFirstErrorWithItsLineAndCaret) {
  EXPECT_EQ(first_error(
                "/home/x/tree/labs/scan/1_first.cu(12): warning #177-D: unused\n"
                "/home/x/tree/labs/scan/1_first.cu(21): error: identifier \"tid\" is undefined\n"
                "      if (tid < n) out[tid] = 0;\n"
                "          ^\n"
                "\n"
                "/home/x/tree/labs/scan/1_first.cu(30): error: expected a \";\"\n"
                "  }\n"
                "  ^\n"
                "2 errors detected in the compilation of \"/home/x/tree/labs/scan/1_first.cu\".\n",
                "/home/x/tree"),
            "  | labs/scan/1_first.cu(21): error: identifier \"tid\" is undefined\n"
            "  |       if (tid < n) out[tid] = 0;\n"
            "  |           ^\n"
            "(1 more error)");
}

TEST(CompileLog, KeepsDivisionsAndShortensOtherPaths) {
  EXPECT_EQ(first_error("/usr/include/c++/12/bits/stl.h:5:3: error: no match in a /b / c\n"
                        "    5 |   return a / b;\n",
                        "/home/x/tree"),
            "  | stl.h:5:3: error: no match in a /b / c\n  |     5 |   return a / b;");
}

/// Of what the student wrote, nothing is another word: not in the line that is shown, and not in the name
/// of a file that is not there.
TEST(CompileLog, LeavesPathsOfTheSourceAsTheyWereWritten) {
  EXPECT_EQ(
      first_error("/home/x/tree/labs/scan/1_first.cu:2:10: fatal error: /home/me/own.h: No such "
                  "file or directory\n"
                  "    2 | #include \"/home/me/own.h\"\n"
                  "      |          ^~~~~~~~~~~~~~~~\n",
                  "/home/x/tree"),
      "  | labs/scan/1_first.cu:2:10: fatal error: /home/me/own.h: No such file or directory\n"
      "  |     2 | #include \"/home/me/own.h\"\n"
      "  |       |          ^~~~~~~~~~~~~~~~");
  EXPECT_EQ(
      first_error("/home/x/tree/labs/scan/1_first.cu(3): error: identifier \"puts\" is undefined\n"
                  "    puts(\"/home/me/data.txt\");\n"
                  "    ^\n",
                  "/home/x/tree"),
      "  | labs/scan/1_first.cu(3): error: identifier \"puts\" is undefined\n"
      "  |     puts(\"/home/me/data.txt\");\n"
      "  |     ^");
}

/// Words that headers of CUDA define are seen as they stand in the file.
TEST(CompileLog, ShowsALineAsItWasWritten) {
  EXPECT_EQ(
      first_error("labs/scan/1_first.cu(9): error: identifier \"flaot\" is undefined\n"
                  "    __attribute__((shared)) int a[4]; __attribute__((shared)) flaot b[4];\n"
                  "                                                              ^\n",
                  "/t"),
      "  | labs/scan/1_first.cu(9): error: identifier \"flaot\" is undefined\n"
      "  |     __shared__ int a[4]; __shared__ flaot b[4];\n"
      "  |                                     ^");
  EXPECT_EQ(first_error("x.cu(2): error: an attribute of one's own\n"
                        "  __attribute__((noinline)) int f();\n"
                        "  ^\n",
                        "/t"),
            "  | x.cu(2): error: an attribute of one's own\n"
            "  |   __attribute__((noinline)) int f();\n"
            "  |   ^");
}

TEST(CompileLog, KnowsLinkersErrors) {
  EXPECT_EQ(first_error("/usr/bin/ld: x.o: in function `reduce':\n"
                        "x.cu:(.text+0x5): undefined reference to `helper(int)'\n"
                        "collect2: error: ld returned 1 exit status\n",
                        "/t"),
            "  | x.cu:(.text+0x5): undefined reference to `helper(int)'\n(1 more error)");
}

TEST(CompileLog, IsBoundedAndHarmless) {
  std::string log = "x.cu(1): error: \x1b[31mred\x1b[0m \x07" + std::string(10000, 'x') + "\n";
  for (int i = 0; i < 1000; ++i) log += "  note " + std::to_string(i) + "\n";
  const std::string text = first_error(log, "/t");
  EXPECT_LT(text.size(), 3000u);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 14);
}

}  // namespace
}  // namespace gridstride

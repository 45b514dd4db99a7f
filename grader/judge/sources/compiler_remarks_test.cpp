// Lines of compilers' logs as places in files.
#include "grader/judge/sources/compiler_remarks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gridstride {
namespace {

/// "error 1_first.cu:21:11 text"
std::string shown(const Remark& remark) {
  return std::string(name_of(remark.kind)) + " " + remark.file + ":" + std::to_string(remark.line) +
         ":" + std::to_string(remark.column) + " " + remark.text;
}

std::vector<std::string> remarks(const std::string& log, const std::string& source = "") {
  std::vector<std::string> all;
  for (const Remark& remark : compiler_remarks(log, "1_first.cu", source))
    all.push_back(shown(remark));
  return all;
}

using Lines = std::vector<std::string>;

TEST(CompilerRemarks, ReadsNvccsLinesAndItsCaret) {
  EXPECT_EQ(
      remarks("labs/scan/1_first.cu(2): error: identifier \"foo\" is undefined\n"
              "     foo = 3;\n"
              "     ^\n"
              "\n"
              "labs/scan/1_first.cu(3): warning #177-D: variable \"y\" was declared but never "
              "referenced\n"
              "   int y;\n"
              "       ^\n",
              "first\n   foo = 3;  \r\n\tint y;\n"),
      (Lines{"error 1_first.cu:2:4 identifier \"foo\" is undefined",
             "warning 1_first.cu:3:6 variable \"y\" was declared but never referenced"}));
}

TEST(CompilerRemarks, AColumnOfAnotherTextIsUnknown) {
  EXPECT_EQ(remarks("1_first.cu(1): warning #1-D: w\n  __attribute__((device)) int f;\n      ^\n",
                    "__device__ int f;\n"),
            Lines{"warning 1_first.cu:1:0 w"});
  EXPECT_EQ(remarks("1_first.cu(7): error: e\n  x\n  ^\n", "one line"),
            Lines{"error 1_first.cu:7:0 e"});
}

TEST(CompilerRemarks, ReadsGccsLines) {
  EXPECT_EQ(remarks("labs/scan/1_first.cu: In function ‘int f()’:\n"
                    "labs/scan/1_first.cu:12:45: warning: no return statement [-Wreturn-type]\n"
                    "   12 | int f() { }\n"
                    "/usr/include/x.h:5: error: no\n"
                    "1_first.cu:1:2: fatal error: none.h: No such file or directory\n"),
            (Lines{"warning 1_first.cu:12:45 no return statement [-Wreturn-type]",
                   "error x.h:5:0 no", "error 1_first.cu:1:2 none.h: No such file or directory"}));
}

TEST(CompilerRemarks, SaysOnceWhatIsSaidForHostAndDevice) {
  const std::string once = "1_first.cu(2): warning #940-D: missing return\n  x\n  ^\n";
  EXPECT_EQ(remarks(once + once).size(), 1u);
  EXPECT_EQ(remarks(once + "1_first.cu(3): warning #940-D: missing return\n").size(), 2u);
}

TEST(CompilerRemarks, OtherLinesSayNothing) {
  for (const char* line :
       {"", "(): error: x", "x.cu(0): error: x", "x.cu(-1): error: x", "x.cu(1: error: x",
        "): error", "x.cu(99999999999): error: x", "x.cu:12:error", "x.cu:1:2: note: here",
        "x.cu(1): remark: x", "x.cu:(.text+0x5): undefined reference to `f'", "ptxas error : x",
        "2 errors detected in the compilation of \"x.cu\".", "a(b): error: x", ":1: warning"})
    EXPECT_TRUE(remarks(line).empty()) << line;
}

TEST(CompilerRemarks, AreBoundedAndHarmless) {
  std::string log;
  for (int i = 1; i <= 1000; ++i)
    log += "x.cu(" + std::to_string(i) + "): error: \x1b[31mred" + std::string(5000, 'x') + "\n";
  const std::vector<std::string> all = remarks(log + "x.cu(1): warning: w\n");
  ASSERT_EQ(all.size(), 21u);
  EXPECT_LT(all[0].size(), 400u);
  EXPECT_EQ(all[0].find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace gridstride

// What gcc hands on that a compiler behind it would take for a directive.
#include "grader/compile/hidden_include.h"

#include <gtest/gtest.h>

#include <string>

namespace gridstride {
namespace {

TEST(HiddenInclude, IsFoundHoweverItIsSpelt) {
  for (const std::string line :
       {"# include </usr/local/cuda/include/mma.h>", "  %: include \"x\"", "#include_next <x>",
        "#import <x>", "#\tembed \"x\"", "#inc\\\nlude <x>", "#\\\n\\ \n include <x>",
        "\\\n # include <x>"}) {
    EXPECT_TRUE(include_left_in("# 1 \"x.cu\"\nint x;\n" + line + "\nint y;\n")) << line;
  }
  const std::string with_zero("#\0include <x>", 13);
  EXPECT_TRUE(include_left_in(with_zero));
}

TEST(HiddenInclude, WhatPreprocessorsWriteIsNone) {
  EXPECT_FALSE(
      include_left_in("# 0 \"x.cu\"\n# 1 \"/usr/include/stdio.h\" 1 3 4\n#pragma once\n"
                      "#ident \"include\"\nint include; a = b # include;\n#inc\\ lude\n"
                      "const char* s = \"# include <x>\";\n"));
}

TEST(HiddenInclude, IsShownAsItStands) {
  EXPECT_EQ(include_left_in("int x;\n # include \"/x\"\n"), " # include \"/x\"");
}

}  // namespace
}  // namespace gridstride

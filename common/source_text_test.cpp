// Includes as a scanner sees them.
#include "common/source_text.h"

#include <gtest/gtest.h>

namespace gridstride {
namespace {

TEST(IncludeDirectives, HaveALineAndAHeader) {
  const auto found = include_directives(
      "int x;\n#include <cub/cub.cuh>\n# include \"labs/x.h\"\n#include MACRO\n#include\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].line, 2u);
  EXPECT_EQ(found[0].header, "cub/cub.cuh");
  EXPECT_EQ(found[1].line, 3u);
  EXPECT_EQ(found[1].header, "labs/x.h");
}

TEST(IncludeDirectives, AreNotSeenInCommentsAndLiterals) {
  EXPECT_TRUE(include_directives("// #include <cub/cub.cuh>\n/* \n#include <cub/cub.cuh>\n*/\n"
                                 "const char* s = \"#include <cub/x>\"; int n = 1'000'000;\n")
                  .empty());
}

TEST(IncludeDirectives, AreSeenThroughSpellings) {
  for (const char* source : {
           "#include<cub/cub.cuh>\n",
           "%:include <cub/cub.cuh>\n",
           "#inc\\ \r\nlude <cub/cub.cuh>\r\n",
           "#/**/include/**/<cub/cub.cuh>\n",
           "#include_next <cub/cub.cuh>\n",
           "const char* a = R\"(\" /* )\";\n#include <cub/cub.cuh>\n",
           "const char* a = R\"x(/*)\" )x\";\n#include <cub/cub.cuh>\n",
           "char c = u'\"'; \n#include <cub/cub.cuh>\n",
           "int c = 0x1'/*'*/2;\n#include <cub/cub.cuh>\n",
           "#include <cub/cub.cuh>",
       })
    EXPECT_EQ(include_directives(source).size(), 1u) << source;
}

TEST(Todo, IsFoundInCommentsToo) {
  EXPECT_TRUE(has_todo("// TODO: write it"));
  EXPECT_FALSE(has_todo("// done"));
}

/// "line:column text"
std::string first(const std::string& source) {
  const auto todo = first_todo(source);
  if (!todo) return "none";
  return std::to_string(todo->line) + ":" + std::to_string(todo->column) + " " + todo->text;
}

TEST(SourceText, NamesTheTodoToBeginWith) {
  EXPECT_EQ(first("int x;\n"), "none");
  EXPECT_EQ(first(""), "none");
  EXPECT_EQ(first("a\n  // TODO: all of it  \r\n"), "2:6 TODO: all of it");
  const std::string second = "// TODO(2): that.\n  // more words\n// TODO(2) end\n";
  EXPECT_EQ(first("// TODO(1): this.\n// TODO(1) end\n" + second), "1:4 TODO(1): this.");
  EXPECT_EQ(first("// TODO(1): this.\n  x = 1;\n// TODO(1) end\n" + second), "4:4 TODO(2): that.");
  EXPECT_EQ(first("// TODO(1): this.\nx = 1;\n// TODO(1) end\n"), "1:4 TODO(1): this.")
      << "all is written, and the words are still there";
  EXPECT_EQ(first("x = 1;\n// TODO(1) end\n" + second), "3:4 TODO(2): that.");
  EXPECT_EQ(first("x = 1;\n// TODO(1) end\n"), "2:4 TODO(1) end");
}

TEST(SourceText, ATodoWithoutAnEndIsTakenAsItIs) {
  EXPECT_EQ(first("/* TODO(1): a"), "1:4 TODO(1): a");
  EXPECT_EQ(first("TODO"), "1:1 TODO");
}

TEST(SourceText, IsTakenApart) {
  std::string all;
  for (const SourceToken& token :
       tokens_of("a_1 += 1'000.5e-3f; // b\n/* c\n */ x<<<\"d // \\\" e\">>>('\\'', .5f-1)\n\\\nf"))
    all += std::to_string(token.line) + ":" + token.text + " ";
  EXPECT_EQ(all,
            "1:a_1 1:+ 1:= 1:1'000.5e-3f 1:; 3:x 3:< 3:< 3:< 3:\"d // \\\" e\" 3:> 3:> 3:> 3:( "
            "3:'\\'' 3:, 3:.5f 3:- 3:1 3:) 4:f ");
}

}  // namespace
}  // namespace gridstride

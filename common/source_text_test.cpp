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

}  // namespace
}  // namespace gridstride

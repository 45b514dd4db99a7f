// Includes that a lab forbids, however they are spelt.
#include "grader/judge/sources/source_check.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace gridstride {
namespace {

const std::vector<std::string> forbidden = {"cub/", "thrust/", "cublas"};

TEST(ForbiddenInclude, LetsOthersThrough) {
  EXPECT_EQ(forbidden_include("#include <cstdint>\n#include \"labs/reduction/reduction.h\"\n"
                              "// #include <cub/cub.cuh>\n/* \n#include <cub/cub.cuh>\n*/\n"
                              "const char* s = \"#include <cub/x>\"; int n = 1'000'000;\n",
                              forbidden),
            std::nullopt);
}

TEST(ForbiddenInclude, NamesLineAndHeader) {
  const auto words = forbidden_include("int x;\n#include <cub/cub.cuh>\n", forbidden);
  ASSERT_TRUE(words);
  EXPECT_NE(words->find("line 2: <cub/cub.cuh>"), std::string::npos) << *words;
}

TEST(ForbiddenInclude, SeesThroughSpellings) {
  for (const char* source : {
           "#include<cub/cub.cuh>\n",
           "  #  include\t\"cub/cub.cuh\"\n",
           "%:include <cub/cub.cuh>\n",
           "#inc\\\nlude <cub/cub.cuh>\n",
           "#inc\\ \r\nlude <cub/cub.cuh>\r\n",
           "/* x */ #include <cub/cub.cuh>\n",
           "#/**/include/**/<cub/cub.cuh>\n",
           "#include_next <cub/cub.cuh>\n",
           "#include <./cub/cub.cuh>\n",
           "#include \"/usr/local/cuda/include/cub/cub.cuh\"\n",
           "#include <cublas_v2.h>\n",
           "#define H <cub/cub.cuh>\n#include H\n",
           "const char* a = R\"(\" /* )\";\n#include <cub/cub.cuh>\n",
           "const char* a = R\"x(/*)\" )x\";\n#include <cub/cub.cuh>\n",
           "char c = u'\"'; \n#include <cub/cub.cuh>\n",
           "int c = u'/*';\n#include <cub/cub.cuh>\n",
           "int c = 0x1'/*'*/2;\n#include <cub/cub.cuh>\n",
           "#include <cub/cub.cuh>",
       })
    EXPECT_TRUE(forbidden_include(source, forbidden)) << source;
}

TEST(Todo, IsFoundInCommentsToo) {
  EXPECT_TRUE(has_todo("// TODO: write it"));
  EXPECT_FALSE(has_todo("// done"));
}

}  // namespace
}  // namespace gridstride

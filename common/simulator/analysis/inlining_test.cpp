// Inlined code of any depth is told from the line that the student wrote.
#include "common/simulator/analysis/inlining.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

/// Where the compiler says that code stands: a file, 1 for the kernel's own, and a line.
struct Place {
  int file = 1, line = 0;
};

/// What a kernel says that reads behind its array in the last of `chain`, each inlined in the one
/// before it.
std::string message_of(const std::vector<Place>& chain) {
  std::string text = R"(
    mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p0]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;)";
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const auto at = [&](std::size_t level) {
      return std::to_string(chain[level].file) + " " + std::to_string(chain[level].line) + " " +
             std::to_string(level + 1);
    };
    text += "\n.loc " + at(i);
    if (i > 0) text += ", function_name $f, inlined_at " + at(i - 1);
    text += "\nmov.u32 %r9, 0;";
  }
  TestGrid gpu(kernel_text(1, 0, text + "ld.global.u32 %r9, [%rd3]; ret;",
                           ".file 1 \"kernel.cu\"\n.file 2 \"/include/deep.h\"\n"));
  return first_message(gpu.launch({1}, {101}, gpu.upload(std::vector<std::uint32_t>(100, 1))));
}

/// `levels` lines of deep.h from line 100 on, called one after the other in line 9 of the kernel.
std::vector<Place> nested(int levels) {
  std::vector<Place> chain{{1, 9}};
  for (int i = 0; i < levels; ++i) chain.push_back({2, 100 + i});
  return chain;
}

#define EXPECT_SAYS(chain, words)                                 \
  do {                                                            \
    const std::string message = message_of(chain);                \
    EXPECT_NE(message.find(words), std::string::npos) << message; \
  } while (false)

TEST(InliningWords, NothingIsSaidOfTheKernelsOwnCode) {
  const std::string message = message_of({{1, 9}});
  EXPECT_EQ(message.find("alled"), std::string::npos) << message;
}

TEST(InliningWords, AllCallsAreNamed) {
  EXPECT_SAYS(nested(1), "(Line 9 calls inlined code: line 100 of deep.h.)");
  EXPECT_SAYS(nested(6),
              "(Line 9 calls inlined code: line 100 of deep.h, which calls line 101 of deep.h, "
              "which calls line 102 of deep.h, which calls line 103 of deep.h, which calls line "
              "104 of deep.h, which calls line 105 of deep.h.)");
}

TEST(InliningWords, OfManyTheEndsAreNamedAndTheRestCounted) {
  EXPECT_SAYS(nested(7),
              "(Line 9 calls inlined code: line 100 of deep.h, which calls line 101 of deep.h, "
              "which calls, by way of 3 more calls, line 105 of deep.h, which calls line 106 of "
              "deep.h.)");
  EXPECT_SAYS(nested(50'000), "by way of 49996 more calls, line 50098 of deep.h, which calls");
}

TEST(InliningWords, HelpersOfTheKernelsFileAreFollowedToTheKernel) {
  const std::vector<Place> chain{{1, 9}, {1, 20}, {1, 30}, {1, 40}};
  EXPECT_SAYS(chain,
              "(Line 40 is called in line 30, which is called in line 20, which is called in line "
              "9.)");
}

TEST(InliningWords, AFunctionHandedToALibraryIsFollowedThroughIt) {
  const std::vector<Place> chain{{1, 9}, {2, 100}, {2, 101}, {1, 20}, {2, 300}};
  EXPECT_SAYS(chain,
              "(Line 20 calls inlined code: line 300 of deep.h, and is called in line 101 of "
              "deep.h, which is called in line 100 of deep.h, which is called in line 9.)");
}

TEST(InliningWords, AFileWithoutANameIsLeftOut) {
  const ptx::Location at{
      .file = 1, .line = 9, .inner_file = 7, .inner_line = 5, .own_line = 9, .call = 1};
  EXPECT_EQ(inlining_text(at, {{.file = 1, .line = 9}}, {"", "kernel.cu"}),
            "calls inlined code: line 5");
}

}  // namespace
}  // namespace gridstride::sim

// Hints as lab authors write them, and what is said where they do not.
#include "grader/course/hints.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/files.h"
#include "grader/course/lab_config.h"

namespace gridstride {
namespace {

constexpr const char* good_hints = R"(# The idea

Think of
pairs.

# The shape

A tree.

# The line

One addition:

```cpp
    sums[tid] += sums[tid + s];
  }

  return;
```

# The whole

```cpp
all
```
)";

class Hints : public testing::Test {
 protected:
  std::vector<Hint> load(const std::string& text) {
    std::filesystem::create_directories(lab_ / "hints");
    write_file(lab_ / "hints/1_first.md", text);
    return load_hints(lab_, "1_first");
  }
  /// What is said of `good_hints` with a part replaced.
  std::string error(const std::string& part, const std::string& replacement) {
    std::string text = good_hints;
    text.replace(text.find(part), part.size(), replacement);
    try {
      load(text);
    } catch (const ConfigError& wrong) {
      return wrong.what();
    }
    return "nothing";
  }

  TemporaryFolder folder_;
  std::filesystem::path lab_ = folder_.path() / "tiny";
};

TEST_F(Hints, AreFourOfTextAndCode) {
  const auto hints = load(good_hints);
  ASSERT_EQ(hints.size(), 4u);
  EXPECT_EQ(hints[0].title, "The idea");
  EXPECT_EQ(hints[0].parts.at(0).text, "Think of pairs.");
  ASSERT_EQ(hints[2].parts.size(), 2u);
  EXPECT_FALSE(hints[2].parts[0].is_code);
  EXPECT_TRUE(hints[2].parts[1].is_code);
  EXPECT_EQ(hints[2].parts[1].text, "    sums[tid] += sums[tid + s];\n  }\n\n  return;");
}

TEST_F(Hints, MayBeLeftAtHome) { EXPECT_TRUE(load_hints(lab_, "2_second").empty()); }

TEST_F(Hints, OfAnotherFormAreRefusedByLine) {
  EXPECT_EQ(error("# The shape", "# The form"),
            "labs/tiny/hints/1_first.md:6: expected '# The shape', found '# The form'");
  EXPECT_EQ(error("A tree.", ""),
            "labs/tiny/hints/1_first.md:10: expected something below '# The shape'");
  EXPECT_EQ(error("# The idea", "No title"),
            "labs/tiny/hints/1_first.md:1: expected '# The idea' first, found 'No title'");
  EXPECT_EQ(error("# The whole", "# The whole\n\nx\n\n# More"),
            "labs/tiny/hints/1_first.md:25: expected no fifth hint");
  EXPECT_EQ(error("# The whole\n\n```cpp\nall\n```\n", ""),
            "labs/tiny/hints/1_first.md:21: expected '# The whole'");
  EXPECT_EQ(error("all\n```\n", "all\n"),
            "labs/tiny/hints/1_first.md:25: expected ``` behind the code");
}

}  // namespace
}  // namespace gridstride

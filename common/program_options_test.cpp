#include "common/program_options.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gridstride {
namespace {

using Words = std::vector<std::string>;

/// A program with an option of each kind.
struct Program {
  ProgramOptions options{"program", "Does it."};
  Words words, many;
  std::string text = "as it was";
  std::filesystem::path folder;
  std::optional<int> jobs;
  std::uint64_t seed = 7;
  int verbose = 0;

  Program() {
    options.words("WORD,--word", words, "What to do");
    options.text("--text", text, "Some text");
    options.options("--many", "TEXT", "Several",
                    [&](const std::string& one) { many.push_back(one); });
    options.folder("--folder", folder, "A folder");
    options.number("-j,--jobs", jobs, "So many", 1);
    options.number("--seed", seed, "To draw with");
    options.flag("-v,--verbose", "Say more", [&] { ++verbose; });
  }
  std::string error_of(const Words& arguments) {
    try {
      options.parse(arguments);
    } catch (const OptionError& error) {
      return error.what();
    }
    return "";
  }
};

TEST(ProgramOptions, AreReadInEachForm) {
  Program program;
  EXPECT_TRUE(program.options.parse(
      {"one", "--text", "", "--many=a=b", "--many", "c", "-vv", "two", "--word=three", "--text",
       "last", "--seed=18446744073709551615", "-j4", "--verbose", "--folder=/", "--", "-v"}));
  EXPECT_EQ(program.words, (Words{"one", "two", "three", "-v"}));
  EXPECT_EQ(program.text, "last");
  EXPECT_EQ(program.many, (Words{"a=b", "c"}));
  EXPECT_EQ(program.verbose, 3);
  EXPECT_EQ(program.seed, ~std::uint64_t{0});
  EXPECT_EQ(program.jobs, 4);
  EXPECT_EQ(program.folder, "/");
  EXPECT_TRUE(program.options.parse({"-j", "5"}));
  EXPECT_EQ(program.jobs, 5);
}

TEST(ProgramOptions, StayAsTheyWereWhenNotGiven) {
  Program program;
  EXPECT_TRUE(program.options.parse({}));
  EXPECT_EQ(program.text, "as it was");
  EXPECT_EQ(program.seed, 7u);
  EXPECT_FALSE(program.jobs);
}

TEST(ProgramOptions, SayWhatIsWrong) {
  Program program;
  EXPECT_EQ(program.error_of({"--txt", "a"}), "The following argument was not expected: --txt");
  EXPECT_EQ(program.error_of({"-vx"}), "The following argument was not expected: -x");
  EXPECT_EQ(program.error_of({"--text"}), "--text: 1 required TEXT missing");
  EXPECT_EQ(program.error_of({"-vj"}), "--jobs: 1 required N missing");
  EXPECT_EQ(program.error_of({"--folder", "/no/such"}), "--folder: there is no folder '/no/such'");
  for (const char* number : {"0", "-1", "", "4x", "1e3", "99999999999"})
    EXPECT_EQ(program.error_of({"-j", number}),
              std::string("--jobs: expected a number from 1 on, found '") + number + "'");
  EXPECT_EQ(program.error_of({"--seed", "-1"}), "--seed: expected a number from 0 on, found '-1'");
  program.options.require("--text");
  EXPECT_EQ(program.error_of({"word"}), "--text is required");
  EXPECT_EQ(program.error_of({"--text", ""}), "");

  ProgramOptions without_words("program", "Does it.");
  EXPECT_THROW(without_words.parse({"word"}), OptionError);
}

TEST(ProgramOptions, HaveAHelp) {
  Program program;
  testing::internal::CaptureStdout();
  EXPECT_FALSE(program.options.parse({"--text", "a", "--help"}));
  const std::string help = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(help.starts_with("Does it.\nUsage: program [OPTIONS] [WORD...]\n\n")) << help;
  EXPECT_NE(help.find("  -j,--jobs N                 So many\n"), std::string::npos) << help;
  EXPECT_NE(help.find("  -v,--verbose                Say more\n"), std::string::npos) << help;
}

}  // namespace
}  // namespace gridstride

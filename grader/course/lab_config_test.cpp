// A lab author reads these messages: each must say where, what was expected, what was found.
#include "grader/course/lab_config.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/files.h"

namespace gridstride {
namespace {

constexpr const char* good = R"(title = "Reduction"
function = "reduce_sum"
forbidden_headers = ["cub/", "thrust/"]
tolerance = { relative = 1e-6 }
timing_size = { gpu = 268435456, sim = 1048576 }

[[stage]]
name = "1_first"
title = "The first"
points = { correctness = 6, speed = 4 }
min_speedup = { gpu = 1.5, sim = 1.4 }
limits = { bank_conflicts = 0, device_to_host_bytes = 8 }

[[stage]]
name = "2_second"
title = "The second"
function = "reduce_max"
points = { correctness = 5 }
without_lesson = 0.25
compute_capability = 9.0
)";

class LabConfigTest : public testing::Test {
 protected:
  LabConfigTest() { std::filesystem::create_directories(lab_); }

  LabConfig load(const std::string& text) {
    std::ofstream(lab_ / "lab.toml") << text;
    return load_lab_config(lab_);
  }
  /// What load() says after `what` in the good file has been replaced by `by`.
  std::string error(const std::string& what, const std::string& by) {
    std::string text = good;
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    try {
      load(text.replace(at, what.size(), by));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  std::filesystem::path lab_ = folder_.path() / "labs" / "tiny";
};

TEST_F(LabConfigTest, ReadsEverything) {
  const LabConfig lab = load(good);
  EXPECT_EQ(lab.name, "tiny");
  EXPECT_EQ(lab.title, "Reduction");
  EXPECT_EQ(lab.forbidden_headers, (std::vector<std::string>{"cub/", "thrust/"}));
  EXPECT_EQ(lab.tolerance.at("relative"), 1e-6);
  EXPECT_EQ(lab.timing_size.at("gpu"), 268435456);
  EXPECT_EQ(lab.max_score(), 15);
  ASSERT_EQ(lab.stages.size(), 2u);
  const StageConfig& first = lab.stages[0];
  EXPECT_EQ(first.function, "reduce_sum");
  EXPECT_EQ(first.correctness_points, 6);
  EXPECT_EQ(first.speed_points, 4);
  EXPECT_EQ(first.min_speedup.at("sim"), 1.4);
  EXPECT_EQ(first.limits.at("bank_conflicts"), 0);
  EXPECT_EQ(first.limits.at("device_to_host_bytes"), 8);
  EXPECT_EQ(first.compute_capability, 75u);
  EXPECT_EQ(first.without_lesson, 0);
  EXPECT_EQ(lab.stage("2_second")->function, "reduce_max");
  EXPECT_EQ(lab.stage("2_second")->compute_capability, 90u);
  EXPECT_EQ(lab.stage("2_second")->without_lesson, 0.25);
  EXPECT_EQ(lab.stage("3_third"), nullptr);
}

TEST_F(LabConfigTest, RefusesCapabilitiesThatAreNone) {
  for (const char* number : {"7.0", "9.05", "90", "1e9"})
    EXPECT_NE(error("compute_capability = 9.0", std::string("compute_capability = ") + number)
                  .find("expected a compute capability from 7.5 on"),
              std::string::npos)
        << number;
}

TEST_F(LabConfigTest, SyntaxErrorsHaveAPlace) {
  EXPECT_EQ(error("title = \"Reduction\"", "title = \"Reduction").substr(0, 24),
            "labs/tiny/lab.toml:1:19:");
}

TEST_F(LabConfigTest, MissingAndMisspeltKeys) {
  EXPECT_EQ(error("function = \"reduce_sum\"\n", ""),
            "labs/tiny/lab.toml:1:1: expected the key 'function' (a string) in the lab");
  EXPECT_EQ(error("function =", "funktion ="),
            "labs/tiny/lab.toml:2:1: expected the key 'function' (a string), found 'funktion'");
  EXPECT_EQ(error("min_speedup =", "min_speed_up ="),
            "labs/tiny/lab.toml:7:1: expected 'min_speedup = { sim = … }' "
            "above 0");
  EXPECT_EQ(error("limits =", "limit ="),
            "labs/tiny/lab.toml:12:1: unknown key 'limit' in [[stage]]: expected 'limits'");
  EXPECT_EQ(load([] {
              std::string text = good;
              return text.replace(text.find("gpu = 1.5, "), 11, "");
            }())
                .stages.at(0)
                .min_speedup.count("gpu"),
            0u)
      << "files of thresholds/ have it";
  EXPECT_EQ(error("sim = 1.4", "simulator = 1.4"),
            "labs/tiny/lab.toml:11:28: unknown key 'simulator' in 'min_speedup': expected 'sim'");
}

TEST_F(LabConfigTest, RelocatableCodeIsYesOrNo) {
  EXPECT_FALSE(load(good).relocatable_code);
  std::string text = good;
  const std::string line = "function = \"reduce_sum\"\n";
  text.insert(text.find(line), "relocatable_code = true\n");
  EXPECT_TRUE(load(text).relocatable_code);
  EXPECT_NE(error(line, line + "relocatable_code = 1\n").find("expected true or false"),
            std::string::npos);
}

TEST_F(LabConfigTest, SolutionsAreShownAfterAPassUnlessItSaysNo) {
  EXPECT_TRUE(load(good).solution_after_pass);
  const std::string line = "function = \"reduce_sum\"\n";
  for (const bool shown : {true, false}) {
    std::string text = good;
    text.insert(text.find(line),
                "solution_after_pass = " + std::string(shown ? "true" : "false") + "\n");
    EXPECT_EQ(load(text).solution_after_pass, shown);
  }
  EXPECT_NE(error(line, line + "solution_after_pass = \"no\"\n").find("expected true or false"),
            std::string::npos);
}

TEST_F(LabConfigTest, AStageHasSoMuchTime) {
  EXPECT_EQ(load(good).stage_seconds, 120);
  std::string text = good;
  const std::string line = "function = \"reduce_sum\"\n";
  text.insert(text.find(line), "stage_seconds = 30.5\n");
  EXPECT_EQ(load(text).stage_seconds, 30.5);
  EXPECT_EQ(error(line, line + "stage_seconds = 0\n"),
            "labs/tiny/lab.toml:3:17: expected 'stage_seconds' above 0");
  EXPECT_EQ(error(line, line + "stage_seconds = \"long\"\n"),
            "labs/tiny/lab.toml:3:17: expected a number that is not negative for 'stage_seconds', "
            "found a string ('long')");
}

TEST_F(LabConfigTest, LimitsBoundWhatIsCounted) {
  EXPECT_EQ(error("bank_conflicts", "bank_conflict"),
            "labs/tiny/lab.toml:12:12: unknown key 'bank_conflict' in 'limits': expected "
            "'bank_conflicts'");
}

TEST_F(LabConfigTest, WrongTypesAndValues) {
  EXPECT_EQ(error("title = \"Reduction\"", "title = 5"),
            "labs/tiny/lab.toml:1:9: expected a string for 'title', found a whole number (5)");
  EXPECT_EQ(error("title = \"Reduction\"", "title = \"\""),
            "labs/tiny/lab.toml:1:9: expected some text for 'title', found none");
  EXPECT_EQ(error("correctness = 6", "correctness = -6"),
            "labs/tiny/lab.toml:10:26: expected a number that is not negative for 'correctness', "
            "found a whole number (-6)");
  EXPECT_EQ(error("correctness = 6", "correctness = true"),
            "labs/tiny/lab.toml:10:26: expected a number that is not negative for 'correctness', "
            "found a boolean (true)");
  EXPECT_EQ(error("sim = 1048576", "sim = 0.5"),
            "labs/tiny/lab.toml:5:15: expected a whole number of elements for 'sim', found 0.5");
  EXPECT_EQ(error("[\"cub/\", \"thrust/\"]", "\"cub/\""),
            "labs/tiny/lab.toml:3:21: expected an array of strings for 'forbidden_headers', found "
            "a string ('cub/')");
  EXPECT_EQ(error("bank_conflicts = 0", "bank_conflicts = nan"),
            "labs/tiny/lab.toml:12:29: expected a number that is not negative for "
            "'bank_conflicts', found a number (nan)");
}

TEST_F(LabConfigTest, HeadersAreNamesThatTheBuildCanTake) {
  EXPECT_EQ(load(std::string("headers = [\"tiles.cuh\", \"x.h\"]\n") + good).headers,
            (std::vector<std::string>{"tiles.cuh", "x.h"}));
  for (const std::string name : {"a;b.h", "${x}.h", "../x.h", "x.hpp", ".h", "a b.cuh"}) {
    EXPECT_EQ(
        error("timing_size", "headers = [\"" + name + "\"]\ntiming_size"),
        "labs/tiny/lab.toml:5:11: expected names such as 'elements.cuh', found '" + name + "'");
  }
}

TEST_F(LabConfigTest, StagesHaveNamesThatFilesCanHaveAndAreDistinct) {
  for (const std::string name : {"second", "2_../1_first", "2-second", "22", "_second"}) {
    EXPECT_EQ(
        error("name = \"2_second\"", "name = \"" + name + "\""),
        "labs/tiny/lab.toml:15:8: expected a name such as '3_sequential', found '" + name + "'");
  }
  EXPECT_EQ(error("name = \"2_second\"", "name = \"1_first\""),
            "labs/tiny/lab.toml:15:8: expected each stage once, found '1_first' again");
  EXPECT_EQ(error("points = { correctness = 5 }\n", ""),
            "labs/tiny/lab.toml:14:1: expected 'points = { correctness = …, speed = … }' with "
            "correctness above 0");
}

TEST_F(LabConfigTest, AMissingFileIsNamed) {
  try {
    load_lab_config(folder_.path() / "labs" / "absent");
    FAIL() << "loaded a lab that is not there";
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()).find("labs/absent/lab.toml: cannot read "), 0u);
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
}

}  // namespace
}  // namespace gridstride

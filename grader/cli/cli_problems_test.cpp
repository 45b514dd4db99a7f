// `lab grade --format`: problems as editors and GitHub read them, behind the table.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "common/files.h"
#include "grader/cli/cli_test_fixture.h"
#include "grader/cli/mini_course.h"
#include "grader/report/json.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

class ProblemsCliTest : public CliTest {
 protected:
  ProblemsCliTest() {
    Results results;
    results.device = {"sim", "A simulated GPU", "", ""};
    StageResult stage;
    stage.name = "1_first";
    stage.verdict = Verdict::wrong;
    stage.remarks = {{Remark::Kind::finding, "1_first.cu", 23, 0, "a race"},
                     {Remark::Kind::error, "shared.cuh", 3, 4, "no"},
                     {Remark::Kind::error, "passwd", 3, 4, "root"}};
    results.labs = {{"scan", 0, 0, {stage}}};
    course_.set_grader("scan", "cat > \"$json\" <<'END'\n" + to_json(results) + "END\n");
    write_file(course_.tree() / "labs/scan/shared.cuh", "");
  }
  /// In the folder `from`, with more in the environment.
  RunResult run(const std::string& arguments, const fs::path& from,
                const std::string& environment = "") {
    return run_shell("cd '" + from.string() + "' && env -u GITHUB_ACTIONS -u GITHUB_WORKSPACE " +
                     environment + " '" + course_.program().string() + "' grade scan --no-build " +
                     arguments);
  }
};

TEST_F(ProblemsCliTest, GccsFormIsRelativeToTheWorkingFolder) {
  const RunResult root = run("--format=gcc", course_.tree());
  EXPECT_EQ(root.exit_code, 1);
  EXPECT_TRUE(contains(root,
                       "\nscore 0 of 0\n"
                       "labs/scan/1_first.cu:23:1: error: a race\n"
                       "labs/scan/shared.cuh:3:4: error: no\n"
                       "labs/scan/1_first.cu:1:1: error: passwd:3: root\n"))
      << root.output;
  EXPECT_TRUE(contains(run("--format=gcc", course_.tree() / "labs/scan"),
                       "\n1_first.cu:23:1: error: a race\n"));
  EXPECT_FALSE(contains(run("", course_.tree()), "error: a race"));
}

TEST_F(ProblemsCliTest, GithubGetsAnnotationsByItself) {
  const std::string annotation =
      "\n::error file=labs/scan/1_first.cu,line=23,title=scan/1_first::a race\n";
  EXPECT_TRUE(contains(run("--format github", course_.tree()), annotation));
  EXPECT_TRUE(contains(run("", course_.tree(), "GITHUB_ACTIONS=true"), annotation));
  EXPECT_FALSE(contains(run("", course_.tree(), "GITHUB_ACTIONS=false"), "::error"));
  EXPECT_FALSE(contains(run("--format table", course_.tree(), "GITHUB_ACTIONS=true"), "::error"));
  const RunResult elsewhere =
      run("", "/",
          "GITHUB_ACTIONS=true GITHUB_WORKSPACE='" + course_.tree().parent_path().string() + "'");
  EXPECT_TRUE(contains(elsewhere, "::error file=tree/labs/scan/1_first.cu,line=23"))
      << elsewhere.output;
}

TEST_F(ProblemsCliTest, WhatIsHandedInIsNamedWhereItIs) {
  const TemporaryFolder student;
  write_file(student.path() / "1_first.cu", "x");
  EXPECT_TRUE(contains(run("--format=gcc --from " + student.path().string(), student.path()),
                       "\n1_first.cu:23:1: error: a race\n"));
}

/// What the editor's task runs, and what it takes for a problem, are the program's.
TEST_F(ProblemsCliTest, TheEditorsTasksUnderstandThem) {
  const auto tasks = nlohmann::json::parse(
      read_file(fs::path(GRIDSTRIDE_SOURCE_TREE) / ".vscode/tasks.json"))["tasks"];
  const auto& grade = tasks.at(0);
  const auto& pattern = grade.at("problemMatcher").at("pattern");
  const std::regex line(pattern.at("regexp").get<std::string>());
  std::string arguments;
  for (const auto& word : grade.at("args")) arguments += " " + word.get<std::string>();
  const std::string file = "${relativeFile}";
  arguments.replace(arguments.find(file), file.size(), "labs/scan/1_first.cu");
  const RunResult result = run_shell("cd '" + course_.tree().string() + "' && '" +
                                     course_.program().string() + "' " + arguments + " --no-build");
  std::istringstream lines(result.output);
  std::vector<std::string> found;
  for (std::string text; std::getline(lines, text);) {
    std::smatch match;
    if (std::regex_match(text, match, line))
      found.push_back(match[pattern.at("file").get<std::size_t>()].str() + " " +
                      match[pattern.at("line").get<std::size_t>()].str() + " " +
                      match[pattern.at("severity").get<std::size_t>()].str());
  }
  EXPECT_EQ(found, (std::vector<std::string>{"labs/scan/1_first.cu 23 error",
                                             "labs/scan/shared.cuh 3 error",
                                             "labs/scan/1_first.cu 1 error"}))
      << result.output;
  for (const auto& task : tasks)
    EXPECT_EQ(course_.run(task.at("args").at(0).get<std::string>() + " --help").exit_code, 0);
}

TEST_F(ProblemsCliTest, OtherFormsAreRefused) {
  EXPECT_EQ(run("--format=xml", course_.tree()).exit_code, 2);
}

}  // namespace
}  // namespace gridstride::cli

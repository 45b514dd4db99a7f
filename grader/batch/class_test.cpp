// Whole classes, graded by the real program on the simulated GPU: every verdict as it must be, and the same
// exports whatever happens to the workers meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "common/paths.h"
#include "common/subprocess.h"
#include "grader/batch/class_test_fixture.h"
#include "grader/batch/progress_report.h"
#include "grader/gradebook/gradebook.h"
#include "grader/judge/test_sshd.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;

TEST_F(ClassTest, WrongUsageIsAnsweredInOneLine) {
  const auto says = [](const std::vector<std::string>& words, const std::string& answer) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.exit_code, 2) << ran.output;
    EXPECT_EQ(ran.output, "lab: " + answer + "\n");
  };
  says({}, "`lab class` wants a word more. There is grade, status, export and similar.");
  says({"gradee"}, "There is no `lab class gradee`. Did you mean 'grade'?");
  says({"marks"}, "There is no `lab class marks`. There is grade, status, export and similar.");
  says({"grade", "x", "--out"},
       "--out: its value is missing. `lab class grade --help` lists what there is.");
  says({"grade", "x", "--out", "y", "--workers", "0"},
       "--workers: expected 1 or more, found '0'. `lab class grade --help` lists what there is.");
  says({"export", "x", "--csv", "y", "--json", "y"},
       "y is named twice: each result wants a file of its own.");
}

TEST_F(ClassTest, EveryVerdictOfAClassIsAsExpected) {
  lab_ = small_lab;
  const ExpectedVerdicts expected = make_class(0, 20);
  const Ran graded = run(grading("results"));
  EXPECT_EQ(graded.exit_code, 0) << graded.output;
  EXPECT_NE(graded.output.find("20 tasks were graded"), std::string::npos) << graded.output;
  const auto all = exports("results");
  const nlohmann::json json = nlohmann::json::parse(all.at("marks.json"));
  EXPECT_EQ(json.at("students").size(), 20u);
  std::size_t verdicts = 0;
  for (const auto& student : json.at("students")) {
    for (const auto& stage : student.at("labs").at(0).at("stages")) {
      const std::string name =
          student.at("id").get<std::string>() + "/" + stage.at("name").get<std::string>();
      ASSERT_TRUE(expected.contains(name)) << name;
      EXPECT_EQ(stage.at("verdict"), expected.at(name)) << name << ": " << stage.at("message");
      ++verdicts;
    }
  }
  EXPECT_EQ(verdicts, expected.size());

  const auto begun = std::chrono::steady_clock::now();
  const Ran again = run(grading("results"));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
  EXPECT_NE(again.output.find("0 tasks were graded"), std::string::npos) << again.output;
  EXPECT_EQ(exports("results"), all);

  std::vector<std::string> one = grading("results");
  one.insert(one.end(), {"--again", "leslie-116/" + lab_});
  EXPECT_NE(run(one).output.find("1 task was graded"), std::string::npos);
  EXPECT_EQ(exports("results"), all) << "a grade repeats";
  const Ran status = run({"status", (folder_.path() / "results").string()});
  EXPECT_NE(status.output.find("20 graded, 0 being graded, 0 to be graded"), std::string::npos)
      << status.output;
}

TEST_F(ClassTest, KilledAtAnyMomentItComesToTheSame) {
  lab_ = small_lab;
  make_class(5, 3);
  ASSERT_EQ(run(grading("whole")).exit_code, 0);
  const auto undisturbed = exports("whole");
  std::random_device random;
  for (int kill = 0; kill < 4; ++kill) {
    const std::chrono::milliseconds after(200 + random() % 2800);
    SCOPED_TRACE("killed after " + std::to_string(after.count()) + " ms");
    run_and_kill(grading("killed"), after);
  }
  const Ran rest = run(grading("killed"));
  ASSERT_EQ(rest.exit_code, 0) << rest.output;
  EXPECT_EQ(exports("killed"), undisturbed);
  for (const auto& entry : fs::directory_iterator(folder_.path() / "killed"))
    EXPECT_EQ(entry.path().filename(), "gradebook.sqlite") << "the state is one file";
}

TEST_F(ClassTest, MistakesAreSaid) {
  EXPECT_EQ(run({"grade"}).exit_code, 2);
  EXPECT_EQ(run({"status", (folder_.path() / "none").string()}).exit_code, 3);
  const fs::path place = folder_.path() / "class";
  fs::create_directories(place / "ada");
  write_file(place / "ada/hello.cu", "int main() {}\n");
  std::vector<std::string> words = {"grade", place.string(), "--out",
                                    (folder_.path() / "r").string(), "--no-build"};
  const Ran nothing = run(words);
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_NE(nothing.output.find("it is not known which lab is meant"), std::string::npos)
      << nothing.output;
  words.insert(words.end(), {"--lab", "redction"});
  const Ran unknown = run(words);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.output.find("Did you mean 'reduction'?"), std::string::npos) << unknown.output;
  words.back() = "reduction";
  words.insert(words.end(), {"--workers", "100000"});
  EXPECT_EQ(run(words).exit_code, 2);
  words.back() = "1";
  words.insert(words.end(), {"--due", "soon"});
  EXPECT_EQ(run(words).exit_code, 2);
  words.resize(words.size() - 2);
  words.insert(words.end(), {"--again", "adda"});
  const Ran again = run(words);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.output.find("Did you mean 'ada'?"), std::string::npos) << again.output;
}

/// Reached by ssh's own server on this machine.
TEST_F(ClassTest, IsGradedOnAnotherHost) {
  if (TestSshd::program().empty())
    GTEST_SKIP() << "there is no sshd (apt-get install openssh-server)";
  const fs::path ada = folder_.path() / "class/ada";
  fs::create_directories(ada);
  fs::copy_file(source_tree() / "solutions/reduction/1_interleaved.cu", ada / "1_interleaved.cu");
  const TestSshd sshd;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (sshd.bin().string() + ":" + path).c_str(), /*overwrite=*/1);
  const auto grading_on = [&](const std::string& device) {
    std::vector<std::string> words = grading("results");
    *(std::ranges::find(words, "sim")) = device;
    return run(words);
  };
  const Ran none = grading_on("ssh:none.invalid,sim");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_NE(none.output.find("a key that ssh-agent holds"), std::string::npos) << none.output;
  const Ran graded = grading_on("ssh:gpu1,sim");
  ::setenv("PATH", path.c_str(), /*overwrite=*/1);
  EXPECT_EQ(graded.exit_code, 0) << graded.output;
  const nlohmann::json json = nlohmann::json::parse(exports("results").at("marks.json"));
  const auto& stage = json.at("students").at(0).at("labs").at(0).at("stages").at(0);
  EXPECT_EQ(stage.at("verdict"), "pass") << stage.at("message");
  EXPECT_TRUE(fs::exists(sshd.cache() / "gridstride")) << "it was graded there";
  EXPECT_NE(run(grading("results")).output.find("0 tasks were graded"), std::string::npos)
      << "the simulated device is the same here";
}

TEST_F(ClassTest, LookAlikesAreFoundInTheGradebook) {
  if (find_program("sim_c++").empty())
    GTEST_SKIP() << "there is no sim_c++ (apt-get install similarity-tester)";
  const fs::path results = folder_.path() / "results";
  const std::string solution = read_file(source_tree() / "solutions/reduction/6_vectorized.cu");
  const std::string wrong = read_file(source_tree() / "solutions/reduction/5_warp_shuffle.cu");
  std::vector<Submission> submissions;
  for (const auto& [id, text] :
       std::map<std::string, std::string>{{"ada", with_other_names(solution, "reduce_sum", 1)},
                                          {"bob", with_other_names(solution, "reduce_sum", 2)},
                                          {"cy", wrong}}) {
    Submission& submission = submissions.emplace_back();
    submission.student = {id, id == "ada" ? "Ada Lovelace" : id, "", ""};
    submission.files = {{"reduction", "6_vectorized", StageFile::Kind::plain, text}};
  }
  Gradebook(results, /*create=*/true).take_in(submissions, {"reduction"});

  const fs::path page = folder_.path() / "alike.html", json = folder_.path() / "alike.json";
  const Ran ran = run({"similar", results.string(), "--html", page.string(), "--json",
                       json.string(), "--lab", "reduction/6", "--pairs", "1"});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_NE(ran.output.find("3 students, 3 pairs compared"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("ada (Ada Lovelace)"), std::string::npos) << ran.output;
  EXPECT_NE(read_file(page).find("ada (Ada Lovelace) and bob"), std::string::npos);
  const nlohmann::json pairs =
      nlohmann::json::parse(read_file(json)).at("labs")[0].at("most_alike");
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].at("students"), nlohmann::json({"ada", "bob"}));
  EXPECT_GE(pairs[0].at("percent"), 95);
  EXPECT_GE(pairs[0].at("percent_in_solution")[0], 80);

  const Ran other = run({"similar", results.string(), "--lab", "scan"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.output.find("they have reduction"), std::string::npos) << other.output;
  EXPECT_EQ(run({"similar", (folder_.path() / "none").string()}).exit_code, 3);
}

/// The program with `words` behind its name.
Ran run_program(const std::vector<std::string>& words) {
  Ran ran;
  Subprocess process;
  process.command = {(build_folder() / "bin/gridstride-class").string()};
  process.command.insert(process.command.end(), words.begin(), words.end());
  process.merge_errors = true;
  process.on_line = [&ran](std::string_view line) { ran.output += std::string(line) + "\n"; };
  ran.exit_code = run_process(process).exit_code;
  return ran;
}

TEST(ExportGithub, WritesAGraderAndATemplate) {
  const TemporaryFolder scratch;
  const fs::path out = scratch.path() / "out";
  std::vector<std::string> words = {"export",
                                    "github",
                                    "reduction",
                                    "--out",
                                    out.string(),
                                    "--image",
                                    "ghcr.io/somebody/reduction",
                                    "--no-build"};
  const Ran ran = run_program(words);
  ASSERT_EQ(ran.exit_code, 0) << ran.output;
  for (const char* file : {"course.tar.zst", "setup.sh", "run_autograder", "run_on_github",
                           "Dockerfile", ".github/workflows/image.yml"})
    EXPECT_TRUE(fs::is_regular_file(out / "grader" / file)) << file;
  const std::string recipe = read_file(out / "grader/Dockerfile");
  EXPECT_NE(recipe.find("COPY course.tar.zst setup.sh run_autograder run_on_github "),
            std::string::npos);
  EXPECT_NE(read_file(out / "students/.github/workflows/classroom.yml")
                .find("image: ghcr.io/somebody/reduction\n"),
            std::string::npos);
  EXPECT_NE(read_file(out / "students/labs/reduction/1_interleaved.cu").find("TODO"),
            std::string::npos);
  EXPECT_TRUE(fs::is_regular_file(out / "students/ready/bin/gridstride"));
  EXPECT_EQ(read_file(out / "students/.gitignore").find("ready"), std::string::npos);
  EXPECT_FALSE(fs::exists(out / "students/solutions"));

  const Ran again = run_program(words);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.output.find("is not empty"), std::string::npos) << again.output;
  words[4] = (scratch.path() / "other").string();
  words[6] = "Somebody/Reduction";
  EXPECT_EQ(run_program(words).exit_code, 2);
  EXPECT_FALSE(fs::exists(scratch.path() / "other"));
}

TEST(ProgressLine, SaysHowMuchIsLeft) {
  ClassProgress progress{.open = 6, .running = 2, .done = 12};
  EXPECT_EQ(progress_line(progress, 0, 5, 100),
            "[========================>               ] 12 of 20, 60 %, the first is being graded");
  EXPECT_EQ(progress_line(progress, 4, 60, 100),
            "[========================>               ] 12 of 20, 60 %, 2 min left");
  EXPECT_EQ(progress_line(progress, 4, 4, 30), "12 of 20, 60 %, 8 s left");
  EXPECT_LE(progress_line(progress, 4, 40'000, 60).size(), 60u);
  progress = {.open = 0, .running = 0, .done = 20};
  EXPECT_EQ(progress_line(progress, 4, 4, 40), "[=====================] 20 of 20, 100 %");
}

}  // namespace
}  // namespace gridstride

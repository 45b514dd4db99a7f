// What tests of whole classes share: a made-up class, the real program, and what it exports.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/files.h"
#include "common/paths.h"
#include "common/subprocess.h"
#include "grader/batch/test_class.h"
#include "grader/sandbox/sandbox.h"

extern char** environ;

namespace gridstride {

struct Ran {
  int exit_code = 0;
  std::string output;
};

class ClassTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!sandbox_status().available) GTEST_SKIP() << sandbox_status().reason;
  }

  static std::vector<std::string> command(const std::vector<std::string>& words) {
    std::vector<std::string> all = {(build_folder() / "bin/gridstride-class").string(), "class"};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }
  static Ran run(const std::vector<std::string>& words) {
    Ran ran;
    Subprocess process;
    process.command = command(words);
    process.merge_errors = true;
    process.on_line = [&ran](std::string_view line) { ran.output += std::string(line) + "\n"; };
    ran.exit_code = run_process(process).exit_code;
    return ran;
  }
  std::vector<std::string> grading(const std::string& results) const {
    return {"grade",     (folder_.path() / "class").string(),
            "--out",     (folder_.path() / results).string(),
            "--lab",     lab_,
            "--device",  "sim",
            "--no-build"};
  }
  ExpectedVerdicts make_class(int first, int students) {
    TestClassOptions options;
    options.tree = source_tree();
    options.lab = lab_;
    options.first = first;
    options.students = students;
    options.seed = 20261125;
    options.no_timeouts = true;
    return make_test_class(folder_.path() / "class", options);
  }
  /// All exports but those of platforms, by file name.
  std::map<std::string, std::string> exports(const std::string& results) {
    const std::filesystem::path out = folder_.path() / (results + ".exports");
    std::filesystem::create_directories(out);
    const Ran ran =
        run({"export", (folder_.path() / results).string(), "--csv", (out / "marks.csv").string(),
             "--json", (out / "marks.json").string(), "--junit", (out / "marks.xml").string(),
             "--html", (out / "class.html").string(), "--feedback", (out / "pages").string()});
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(out))
      if (entry.is_regular_file())
        all[entry.path().lexically_relative(out).string()] = read_file(entry.path());
    return all;
  }
  /// Starts the command, and ends it and all its workers with SIGKILL.
  static void run_and_kill(const std::vector<std::string>& words, std::chrono::milliseconds after) {
    std::vector<std::string> all = command(words);
    std::vector<char*> arguments;
    for (std::string& word : all) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&quiet, STDOUT_FILENO, STDERR_FILENO);
    pid_t pid = 0;
    ASSERT_EQ(::posix_spawn(&pid, arguments[0], &quiet, nullptr, arguments.data(), environ), 0);
    posix_spawn_file_actions_destroy(&quiet);
    std::this_thread::sleep_for(after);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }

  TemporaryFolder folder_;
  std::string lab_ = "reduction";
};

/// The lab with the fewest stages, for tests that grade the same class several times.
constexpr const char* small_lab = "jacobi";

}  // namespace gridstride

// For tests: a CUDA program run on the simulated GPU, and what became of it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace gridstride::sim {

namespace fs = std::filesystem;

struct Outcome {
  int status = -1;  ///< exit status, or minus the signal
  std::string out, err;
  long most_kib = 0;  ///< of memory that it had at once
};

inline std::string content(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A folder of this test's own, gone afterwards.
class ProgramTest : public testing::Test {
 protected:
  ProgramTest() {
    std::string pattern = (fs::path(testing::TempDir()) / "gridstride_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~ProgramTest() override { fs::remove_all(folder_); }

  /// `device_fd`: the client's end of a device process, or -1.
  Outcome run(const std::string& program, std::map<std::string, std::string> environment = {},
              int device_fd = -1) {
    constexpr int fd_there = 9;
    environment["LD_LIBRARY_PATH"] = GRIDSTRIDE_SIM_LIBRARY;
#ifdef __SANITIZE_ADDRESS__  // then libcudart.so brings a sanitizer into a program that has none
    environment["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0";
#endif
    if (device_fd >= 0) environment["GRIDSTRIDE_SIM_SOCKET"] = std::to_string(fd_there);
    std::vector<std::string> words;
    for (const auto& [name, value] : environment) words.push_back(name + "=" + value);
    std::vector<char*> variables;
    for (std::string& word : words) variables.push_back(word.data());
    variables.push_back(nullptr);

    const fs::path out = folder_ / "out", err = folder_ / "err";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), flags, 0600);
    if (device_fd >= 0) posix_spawn_file_actions_adddup2(&actions, device_fd, fd_there);
    std::string path = std::string(GRIDSTRIDE_PROGRAMS) + "/" + program;
    std::array<char*, 2> arguments{path.data(), nullptr};
    pid_t pid = -1;
    EXPECT_EQ(
        posix_spawn(&pid, path.c_str(), &actions, nullptr, arguments.data(), variables.data()), 0)
        << path;
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    rusage used{};
    wait4(pid, &status, 0, &used);
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
            .out = content(out),
            .err = content(err),
            .most_kib = used.ru_maxrss};
  }

  nlohmann::json run_for_report(const std::string& program) {
    const fs::path file = folder_ / "report.json";
    run(program, {{"GRIDSTRIDE_SIM_REPORT", file.string()}});
    return nlohmann::json::parse(content(file));
  }

  fs::path folder_;
};

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << text;
}

}  // namespace gridstride::sim

// For tests: ./lab in a course in miniature, with programs that only pretend before the real ones in PATH.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/files.h"
#include "grader/cli/mini_course.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride::cli {

class LabScriptTest : public testing::Test {
 protected:
  LabScriptTest() {
    std::filesystem::copy_file(std::filesystem::path(GRIDSTRIDE_SOURCE_TREE) / "lab",
                               course_.tree() / "lab");
    const std::filesystem::path tools = course_.tree() / "common/tools";
    std::filesystem::create_directories(tools);
    for (const char* script : {"packages.sh", "host_compiler.sh", "toolkit.sh", "toolkit.txt"})
      std::filesystem::copy_file(
          std::filesystem::path(GRIDSTRIDE_SOURCE_TREE) / "common/tools" / script, tools / script);
    need("");
    std::filesystem::create_directories(programs_);
    pretend("nvcc", "true");
    for (const char* for_tests :
         {"chromium", "clangd-22", "tmux", "slurmctld", "jupyter-nbconvert", "sim_c++", "sshd"})
      pretend(for_tests, "true");
    pretend("cmake", "echo \"cmake $*\" >> '" + calls().string() + "'");
  }

  /// A program that the script finds before the real one.
  void pretend(const std::string& name, const std::string& script) const {
    std::ofstream(programs_ / name) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(programs_ / name, std::filesystem::perms::owner_all);
  }
  /// What the course needs, beside a program that every machine has.
  void need(const std::string& rows) const {
    std::ofstream(course_.tree() / "common/tools/packages.txt")
        << "# gives apt-get dnf zypper pacman conda\nprogram:true a-true d-true z-true p-true "
           "c-true\n"
        << rows;
  }
  /// A machine with this package manager alone; with none where it is empty.
  void pretend_system(const std::string& manager) {
    system_ = folder_.path() / ("system " + manager);
    std::filesystem::create_directories(system_);
    const std::vector<std::string> managers = {"apt-get", "dnf", "zypper", "pacman", "conda"};
    for (const auto& entry : std::filesystem::directory_iterator("/usr/bin"))
      if (std::ranges::find(managers, entry.path().filename().string()) == managers.end())
        std::filesystem::create_symlink(entry.path(), system_ / entry.path().filename());
    if (!manager.empty())
      pretend(manager, "echo \"" + manager + " $*\" >> '" + calls().string() + "'");
  }
  std::filesystem::path calls() const { return folder_.path() / "calls"; }
  std::string called() const { return std::filesystem::exists(calls()) ? read_file(calls()) : ""; }

  /// `mounts` are bubblewrap's words for what is different there.
  RunResult run(const std::string& arguments, const std::string& mounts = "") const {
    const std::string wrapper = mounts.empty() ? "" : "bwrap --bind / / --dev /dev " + mounts + " ";
    return run_shell("cd '" + folder_.path().string() + "' && LAB_PRESET=student PATH='" +
                     programs_.string() + "':'" + system_.string() + "' " + wrapper + "'" +
                     (course_.tree() / "lab").string() + "' " + arguments);
  }
  static bool contains(const RunResult& result, const std::string& text) {
    return result.output.find(text) != std::string::npos;
  }
  static bool can_mount() { return sandbox_status().available; }

  MiniCourse course_;
  TemporaryFolder folder_;
  std::filesystem::path programs_ = folder_.path() / "programs";
  std::filesystem::path system_ = "/usr/bin";
};

}  // namespace gridstride::cli

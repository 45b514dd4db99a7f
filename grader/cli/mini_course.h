// A course of two labs in a temporary folder, with the real program and graders that only pretend:
// what the program does around grading is tested without grading anything.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/files.h"

namespace gridstride::cli {

struct RunResult {
  int exit_code = 0;
  std::string output;  ///< standard output and standard error, as they came
};

/// Runs a command to its end, in the shell's words where `script` is one.
RunResult run_command(const std::vector<std::string>& command);
RunResult run_shell(const std::string& script);

class MiniCourse {
 public:
  /// Labs "reduction" (1_first, 2_second) and "scan" (1_first); each stage is worth 10 points.
  MiniCourse();

  std::filesystem::path tree() const { return folder_.path() / "tree"; }
  std::filesystem::path build() const { return tree() / "build/student"; }
  std::filesystem::path program() const { return build() / "bin/gridstride"; }
  std::filesystem::path stage(const std::string& lab, const std::string& name) const {
    return tree() / "labs" / lab / (name + ".cu");
  }

  /// Replaces a lab's grader by a shell script. $json names the file to write results to, $stages
  /// the stages asked for, $sandbox its --sandbox, $handed_in its --handed-in.
  void set_grader(const std::string& lab, const std::string& script) const;
  /// A script that reports `verdict` for 1_first.
  static std::string reporting(const std::string& lab, const std::string& verdict);

  /// Runs the program with `arguments`, words as the shell splits them.
  RunResult run(const std::string& arguments) const;

 private:
  void add_lab(const std::string& lab, const std::vector<std::string>& stages) const;

  TemporaryFolder folder_;
};

}  // namespace gridstride::cli

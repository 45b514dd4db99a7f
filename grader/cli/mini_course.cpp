// The program is copied, because it finds its course relative to itself.
#include "grader/cli/mini_course.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/subprocess.h"
#include "grader/report/json.h"

namespace gridstride::cli {
namespace fs = std::filesystem;

RunResult run_command(const std::vector<std::string>& command) {
  RunResult result;
  Subprocess process;
  process.command = command;
  process.merge_errors = true;
  process.on_line = [&result](std::string_view line) { result.output += std::string(line) + "\n"; };
  result.exit_code = run_process(process).exit_code;
  return result;
}

RunResult run_shell(const std::string& script) { return run_command({"/bin/sh", "-c", script}); }

MiniCourse::MiniCourse() {
  fs::create_directories(build() / "bin");
  std::ofstream(tree() / "CMakePresets.json") << "{}\n";
  std::ofstream(build() / "labs.txt") << "reduction\nscan\n";
  fs::copy_file(GRIDSTRIDE_PROGRAM, program());
  fs::copy_file(GRIDSTRIDE_TOOLS, build() / "bin/gridstride-tools");
  fs::copy_file(GRIDSTRIDE_SUPERVISOR, build() / "bin/gridstride-supervisor");
  add_lab("reduction", {"1_first", "2_second"});
  add_lab("scan", {"1_first"});
}

void MiniCourse::add_lab(const std::string& lab, const std::vector<std::string>& stages) const {
  fs::create_directories(tree() / "labs" / lab / "hints");
  std::ofstream toml(tree() / "labs" / lab / "lab.toml");
  toml << "title = 'A lab'\nfunction = 'f'\ntiming_size = { gpu = 2, sim = 1 }\n";
  for (const std::string& name : stages) {
    std::ofstream(stage(lab, name)) << "// TODO " << name << "\n";
    toml << "[[stage]]\nname = '" << name << "'\ntitle = 'Stage " << name
         << "'\npoints = { correctness = 10 }\n";
    std::ofstream(tree() / "labs" / lab / "hints" / (name + ".md"))
        << "# The idea\n\nfirst hint\n\n# The shape\n\nsecond hint\n\n# The line\n\nthird hint\n"
           "\n```cpp\n  third = line;\n```\n\n# The whole\n\nfourth hint\n";
  }
  set_grader(lab, reporting(lab, "pass"));
}

void MiniCourse::set_grader(const std::string& lab, const std::string& script) const {
  const fs::path file = build() / "bin" / ("grade-" + lab);
  std::ofstream(file) << R"(#!/bin/sh
stages=
while [ $# -gt 0 ]; do
  case $1 in
    --json | --explain) json=$2; shift ;;
    --sandbox) sandbox=$2; shift ;;
    --handed-in) handed_in=$2; shift ;;
    --device | --profile | --jobs) shift ;;
    -*) ;;
    *) stages="$stages $1" ;;
  esac
  shift
done
)" << script << "\n";
  fs::permissions(file, fs::perms::owner_all);
}

std::string MiniCourse::reporting(const std::string& lab, const std::string& verdict) {
  Results results;
  results.device = {"sim", "A simulated GPU", "", "13.0"};
  StageResult stage;
  stage.name = "1_first";
  stage.verdict = *verdict_named(verdict);
  stage.max_score = 10;
  stage.score = stage.verdict == Verdict::pass ? 10 : 0;
  stage.message = stage.verdict == Verdict::pass ? "" : "It is " + verdict + ".";
  results.labs = {{lab, 0, 0, {stage}}};
  results.total();
  return "cat > \"$json\" <<'END'\n" + to_json(results) + "END\n";
}

RunResult MiniCourse::run(const std::string& arguments) const {
  return run_shell("'" + program().string() + "' " + arguments);
}

}  // namespace gridstride::cli

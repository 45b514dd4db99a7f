// The options of the gridstride program: CLI11 is included by command lines alone, for it takes long to compile.
#include "grader/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "common/text.h"
#include "grader/cli/option_kinds.h"
#include "grader/cli/other_programs.h"

namespace gridstride::cli {
namespace {

/// Everything that the command line can set.
struct Options {
  GradeOptions grade;
  StageOptions stage;
  bool list_no_build = false;  ///< changes nothing
  WatchOptions watch;
};

void add_grade(CLI::App& app, GradeOptions& options) {
  CLI::App* command = app.add_subcommand("grade", "Grade labs or single stages");
  command->add_option("LAB[/STAGE]", options.names,
                      "What to grade, for example reduction/3_sequential, reduction/3 or a stage's "
                      "file; all when left "
                      "out");
  command->add_flag("--solutions", options.solutions,
                    "Grade solutions/ in place of the stages in labs/");
  command
      ->add_option(
          "--device", options.device,
          "auto takes a GPU when one answers, else the simulator; ssh:HOST is the same on "
          "another host, which `ssh HOST` reaches; ssh:HOST,gpu and ssh:HOST,sim say which")
      ->check(device_of({"auto", "gpu", "sim"}))
      ->capture_default_str();
  add_profile(*command, options.profile);
  command
      ->add_option(
          "-j,--jobs", options.jobs,
          "On the simulated GPU, work on so many calls at once. Left out: one for each core "
          "that may be used. A real GPU grades one call at a time")
      ->check(from(1, "1 or more"))
      ->type_name("N");
  command->add_option("--json", options.json, "Write the results as JSON to this file");
  command->add_option("--junit", options.junit, "Write the results as JUnit XML to this file");
  command->add_option("--gradescope", options.gradescope,
                      "Write the results as Gradescope's results.json to this file");
  command->add_option(
      "--classroom", options.classroom,
      "Write the results as GitHub Classroom's graders do to this file, and say the "
      "points as a notice of GitHub Actions");
  command
      ->add_option("--format", options.format,
                   "table; gcc adds a line \"file:line:column: error: …\" for each problem, for "
                   "editors; github adds annotations, and is what GITHUB_ACTIONS=true asks for")
      ->check(CLI::IsMember({"table", "gcc", "github"}));
  command->add_option(
      "--case", options.one_case,
      "Run one correctness case of one stage and show what went in, what was expected "
      "and what came; it gives no points. Messages begin with a case's name");
  command->add_option("--from", options.from,
                      "Grade what a student handed in: the stages' files in this folder, or in its "
                      "folder named as the lab");
  command->add_flag("--no-build", options.no_build,
                    "Use what is built; the tree may come from another machine");
  command->add_flag(
      "-v,--verbose", options.verbose,
      "Show of every stage the counters that its limits and the handout speak of; twice "
      "(-vv): all counters, and what GoogleTest and Google Benchmark say");
}

void add_stage(CLI::App& command, StageOptions& options) {
  command
      .add_option("LAB/STAGE", options.names, "For example reduction/3_sequential, or reduction/3")
      ->required();
}

std::vector<std::string> command_names() {
  std::vector<std::string> names = {"grade", "hint",   "reset", "solution",
                                    "list",  "doctor", "watch", "test"};
  for (const OtherCommand& other : other_commands()) names.emplace_back(other.name);
  return names;
}

/// What is wrong with the command's name, and what was probably meant; empty: nothing is.
std::string about_name(const CLI::App& app, int argc, char** argv) {
  if (!app.get_subcommands().empty() || argc < 2 || argv[1][0] == '-') return "";
  const std::vector<std::string> names = command_names();
  const std::string meant = nearest_name(argv[1], names);
  return "There is no command '" + std::string(argv[1]) + "'. " +
         (meant.empty() ? "There is " + listed(names) + "." : "Did you mean '" + meant + "'?");
}

}  // namespace

std::function<int(const Places&)> parse_command_line(int argc, char** argv) {
  if (const OtherCommand* other = argc > 1 ? other_command(argv[1]) : nullptr) {
    return [other, arguments = std::vector<std::string>(argv + 1, argv + argc)](
               const Places& places) -> int { run_other_program(places, *other, arguments); };
  }
  CLI::App app{"Gridstride: a course of CUDA labs that grades itself.", "lab"};
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 all is well, 1 something falls short, 2 wrong usage, 3 it could not be done "
      "here.\n`lab COMMAND --help` tells more. `lab test` runs the course's own tests.");
  Options options;
  add_grade(app, options.grade);
  add_stage(*app.add_subcommand("hint", "Show one more hint for a stage"), options.stage);
  CLI::App* reset_command =
      app.add_subcommand("reset", "Give a stage back as it was handed out; keeps a backup");
  add_stage(*reset_command, options.stage);
  reset_command->add_flag("-y,--yes", options.stage.yes, "Do not ask");
  add_stage(*app.add_subcommand("solution",
                                "After a pass, show how the course's solution differs from yours"),
            options.stage);
  CLI::App* list_command = app.add_subcommand(
      "list", "Show the labs and their stages, what has passed and what comes next");
  // Nothing is built for it; who says so to every command is right here too.
  list_command->add_flag("--no-build", options.list_no_build,
                         "Use what is built, as `list` does anyway");
  app.add_subcommand("doctor", "Say what this machine has and lacks, and the repair");
  CLI::App* watch_command = app.add_subcommand(
      "watch", "Show the stage that is next and grade it at each save; on a terminal");
  watch_command->add_flag("--no-build", options.watch.no_build, "Use what is built");
  for (const OtherCommand& other : other_commands()) app.add_subcommand(other.name, other.what);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const std::string name = about_name(app, argc, argv);
    if (!name.empty()) throw UsageError(name);
    if (error.get_exit_code() != 0) throw UsageError(what_is_wrong(error, app));
    app.exit(error);  // --help
    return {};
  }
  const std::string chosen = app.get_subcommands().front()->get_name();
  if (chosen == "grade")
    return [options](const Places& places) { return grade(places, options.grade); };
  if (chosen == "hint")
    return [options](const Places& places) { return hint(places, options.stage); };
  if (chosen == "reset")
    return [options](const Places& places) { return reset(places, options.stage); };
  if (chosen == "solution")
    return [options](const Places& places) { return solution(places, options.stage); };
  if (chosen == "watch")
    return [options](const Places& places) { return watch(places, options.watch); };
  return chosen == "list" ? list : doctor;
}

}  // namespace gridstride::cli

// gridstride-class: the program behind `./lab class`, apart from the one that students get, which needs
// neither SQLite nor libarchive.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <string_view>

#include "common/error_words.h"
#include "common/simulator/link/host.h"
#include "common/subprocess.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/batch/autograder.h"
#include "grader/batch/commands.h"
#include "grader/batch/worker.h"
#include "grader/cli/command.h"
#include "grader/cli/option_kinds.h"
#include "grader/course/course.h"
#include "grader/report/results.h"

namespace gridstride {
namespace {

struct ClassOptions {
  ClassGradeOptions grade;
  ClassExportOptions exports;
  ClassSimilarOptions similar;
  WorkerOptions worker;
  std::string results;
  bool verbose = false, no_build = false;
};

void add_grade(CLI::App& app, ClassGradeOptions& options) {
  CLI::App* command = app.add_subcommand("grade", "Grade what a class has handed in");
  command
      ->add_option(
          "SUBMISSIONS", options.submissions,
          "A folder with a folder, zip or tar for each student; an export of Moodle, Canvas "
          "or Gradescope; a folder of clones; a list of repositories, one a line")
      ->required();
  command
      ->add_option("--out", options.results,
                   "The folder of the results; what is there already goes on")
      ->required();
  command->add_option("--lab", options.labs,
                      "A lab to grade, for example reduction; may be given again. Left out: those "
                      "that anybody has handed in something for");
  command
      ->add_option("--device", options.device,
                   "auto takes GPUs when they answer, else the simulator; ssh:HOST is the same on "
                   "another host, with one GPU; results know theirs")
      ->check([](const std::string& device) {
        return sim::link::wrong_device(device, {"auto", "gpu", "sim"});
      })
      ->capture_default_str();
  command
      ->add_option("--executor", options.executor,
                   "local: processes on this machine; slurm: a job array")
      ->check(CLI::IsMember({"local", "slurm"}))
      ->capture_default_str();
  command
      ->add_option("--workers", options.workers,
                   "How many students are graded at once, or how many GPUs are used. Left out: one "
                   "for each core, or all GPUs")
      ->check(cli::from(1, "1 or more"))
      ->type_name("N");
  command->add_option(
      "--sbatch", options.sbatch,
      "With slurm, an option for sbatch, for example --sbatch=--partition=main; may be "
      "given again");
  command->add_option("--due", options.due,
                      "What was handed in later is marked late, where that is known; for example "
                      "2026-11-25T18:00+01:00");
  command->add_option("--again", options.again,
                      "Grade STUDENT or STUDENT/LAB again, whatever has been graded; may be given "
                      "again");
  command->add_flag("--outdated", options.outdated,
                    "Grade again what another version of the course has graded");
  command->add_flag("--no-build", options.no_build, "Use what is built");
  command->footer(
      "A command that was stopped, in whatever way, goes on where it was when it is given again. "
      "What "
      "is\ngraded and has not changed is not graded again.\nExit codes: 0 all is graded, 2 wrong "
      "usage, 3 "
      "something could not be graded.");
}

void add_export(CLI::App& app, ClassExportOptions& options) {
  CLI::App* command = app.add_subcommand("export", "Write marks and pages");
  command->add_option("RESULTS", options.results, "The folder that `class grade --out` named")
      ->required();
  command->add_option("--lab", options.labs, "Only this lab; may be given again");
  command->add_option("--csv", options.csv, "A table, one row a student");
  command->add_option("--json", options.json, "All that is known, as JSON");
  command->add_option("--junit", options.junit, "JUnit XML");
  command->add_option("--moodle", options.moodle, "A grading worksheet for Moodle");
  command->add_option("--canvas", options.canvas, "A gradebook for Canvas");
  command->add_option("--html", options.html, "The class on one page");
  command->add_option("--feedback", options.feedback,
                      "A folder: a page for each student, with no other's name on it");
}

void add_similar(CLI::App& app, ClassSimilarOptions& options) {
  CLI::App* command =
      app.add_subcommand("similar", "Show whose texts are alike, for people to look at");
  command->add_option("RESULTS", options.results, "The folder that `class grade --out` named")
      ->required();
  command->add_option("--lab", options.labs,
                      "Only this lab or stage, for example reduction or reduction/6; may be given "
                      "again");
  command->add_option("--pairs", options.pairs, "Tell of so many pairs of each lab")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--html", options.html, "A page with both texts of each pair side by side");
  command->add_option("--json", options.json, "The same figures as JSON");
  command->footer(
      "Compared is what students have written beside the skeleton. Names, layout and comments make "
      "no\ndifference. What is alike need not be copied: look at both texts first.");
}

/// Only started by `class grade`, and by schedulers.
void add_worker(CLI::App& app, WorkerOptions& options) {
  CLI::App* command = app.add_subcommand("worker", "Grade tasks until there are none");
  command->group("");
  command->add_option("RESULTS", options.results)->required();
  command->add_option("--jobs", options.jobs)->check(CLI::PositiveNumber);
  command->add_option("--gpu", options.gpu);
  command->add_option("--gpu-lock", options.gpu_lock);
  command->add_option("--host", options.host);
  command->add_option("--parent", options.parent);
}

cli::UsageError usage_error(const CLI::ParseError& error, const CLI::App& app, int argc,
                            char** argv) {
  const std::string words = cli::about_first_word(app, argc > 1 ? argv[1] : "");
  return cli::UsageError(words.empty() ? cli::what_is_wrong(error, app) : words);
}

/// `lab export`: the course for a platform.
int run_export(int argc, char** argv) {
  GradescopeOptions gradescope;
  GithubOptions github;
  CLI::App app("Writes what a platform grades with.", "lab export");
  app.require_subcommand(1);
  CLI::App* const zip = app.add_subcommand("gradescope", "An autograder for Gradescope");
  zip->add_option("LAB", gradescope.lab, "For example reduction")->required();
  zip->add_option("--out", gradescope.archive, "The archive to write, autograder.zip")->required();
  zip->add_flag("--no-build", gradescope.no_build, "Use what is built");
  CLI::App* const folder = app.add_subcommand(
      "github", "A workflow that grades each push, and the image that it grades in");
  folder->alias("github-classroom");
  folder->add_option("LAB", github.lab, "For example reduction")->required();
  folder->add_option("--out", github.folder, "The folder to make")->required();
  folder
      ->add_option("--image", github.image,
                   "What the image is kept as, for example ghcr.io/OWNER/reduction")
      ->required();
  folder->add_flag("--no-build", github.no_build, "Use what is built");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw usage_error(error, app, argc, argv);
  }
  return zip->parsed() ? export_gradescope(gradescope) : export_github(github);
}

int run_class(int argc, char** argv) {
  ClassOptions options;
  CLI::App app("Grades a whole class.", "lab class");
  app.require_subcommand(1);
  add_grade(app, options.grade);
  CLI::App* const status = app.add_subcommand("status", "Say how far a class is");
  status->add_option("RESULTS", options.results, "The folder of the results")->required();
  status->add_flag("-v,--verbose", options.verbose, "Each student's marks and remarks");
  add_export(app, options.exports);
  add_similar(app, options.similar);
  add_worker(app, options.worker);
  for (CLI::App* const command :
       {status, app.get_subcommand("export"), app.get_subcommand("similar")})
    command->add_flag("--no-build", options.no_build, "Use what is built, as it does anyway");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw usage_error(error, app, argc, argv);
  }
  const std::string chosen = app.get_subcommands().front()->get_name();
  if (chosen == "grade") return class_grade(options.grade);
  if (chosen == "status") return class_status(options.results, options.verbose);
  if (chosen == "export") return class_export(options.exports);
  if (chosen == "similar") return class_similar(options.similar);
  return run_worker(options.worker);
}

/// The first word is `class` or `export`; a worker is started without one.
int run(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  const bool is_word = first == "class" || first == "export";
  const bool exports_course = is_word && first == "export";
  const int exit_code = exports_course
                            ? run_export(argc - 1, argv + 1)
                            : run_class(argc - (is_word ? 1 : 0), argv + (is_word ? 1 : 0));
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw std::runtime_error("The output could not be written.");
  return exit_code;
}

}  // namespace
}  // namespace gridstride

int main(int argc, char** argv) {
  using namespace gridstride;
  try {
    return run(argc, argv);
  } catch (const Interrupted& stop) {
    return complain(std::string(stop.what()) + ": the same command goes on where this one was",
                    stop.exit_code());
  } catch (const cli::UsageError& error) {
    return complain(error.what(), exit_usage);
  } catch (const UnknownName& error) {
    return complain(error.what(), exit_usage);
  } catch (const std::exception& error) {
    return complain(words_of(error), exit_infrastructure);
  }
}

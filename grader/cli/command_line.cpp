// All of the program's options. CLI11 is included here and nowhere else: it takes long to compile.
#include "grader/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/simulator/check/check_options.h"
#include "common/simulator/link/host.h"
#include "common/text.h"

namespace gridstride::cli {
namespace {

/// Everything that the command line can set.
struct Options {
  GradeOptions grade;
  StageOptions stage;
  ExplainOptions explain;
  SimOptions sim;
  TraceOptions trace;
  DebugOptions debug;
  BenchOptions bench;
  CalibrateOptions calibrate;
  bool list_no_build = false;  ///< changes nothing
  WatchOptions watch;
  HandoutOptions handout;
  UpdateOptions update;
};

void add_profile(CLI::App& command, std::string& profile) {
  command.add_option("--profile", profile,
                     "The GPU that is simulated: h200 (the default), a100 or t4, or a file like "
                     "common/simulator/model/profiles/h200.toml");
}

/// "4G" or a number of bytes, from 1M to 1T; made a number of bytes.
CLI::Validator size_of_memory() {
  return CLI::Validator(
      [](std::string& text) {
        const std::string given = text;
        std::uint64_t bytes = 0;
        try {
          CLI::AsSizeValue(/*kb_is_1000=*/false)(text);
          std::from_chars(text.data(), text.data() + text.size(), bytes);
        } catch (const CLI::ValidationError&) {
          bytes = 0;  // as any other that is too small
        }
        const bool good = bytes >= std::uint64_t{1} << 20 && bytes <= std::uint64_t{1} << 40;
        return good ? std::string() : "expected 1M to 1T, as in 4G, found '" + given + "'";
      },
      "");
}

/// Numbers from `least` on; `expected` says that in the message.
template <class Number>
CLI::Validator from(Number least, const std::string& expected) {
  return CLI::Validator(
      [least, expected](const std::string& text) {
        Number value{};
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, value);
        const bool good =
            error == std::errc() && rest == end && std::isfinite(value) && value >= least;
        return good ? std::string() : "expected " + expected + ", found '" + text + "'";
      },
      "");
}

/// One of `names`, or ssh:HOST.
CLI::Validator device_of(const std::vector<std::string>& names) {
  return CLI::Validator([names](std::string& text) { return sim::link::wrong_device(text, names); },
                        "");
}

void add_grade(CLI::App& app, GradeOptions& options) {
  CLI::App* command = app.add_subcommand("grade", "Grade labs or single stages");
  command->add_option(
      "LAB[/STAGE]", options.names,
      "What to grade, for example reduction/3_sequential or reduction/3; all when left "
      "out");
  command->add_flag("--solutions", options.solutions,
                    "Grade solutions/ in place of the stages in labs/");
  command
      ->add_option(
          "--device", options.device,
          "auto takes a GPU when one answers, else the simulator; ssh:HOST simulates one on "
          "another host, which `ssh HOST` reaches")
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

void add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* command = app.add_subcommand(
      "explain",
      "Show what each line of a stage or a program costs on the simulated GPU, and what to mend");
  command
      ->add_option("LAB[/STAGE]", options.names,
                   "For example reduction/3_sequential; or a program's file, for example hello.cu")
      ->required();
  command->add_flag("--solutions", options.solutions,
                    "Explain solutions/ in place of the stages in labs/");
  add_profile(*command, options.profile);
  command
      ->add_option("--device", options.device,
                   "sim, the simulated GPU of this machine, or ssh:HOST, that of another host")
      ->check(device_of({"sim"}))
      ->capture_default_str();
  command->add_option("--html", options.html,
                      "Write it as a page with a roofline plot, to be opened in a browser");
  command->add_option("--json", options.json, "Write all figures as JSON to this file");
  command->add_flag("--no-build", options.no_build, "Use what is built");
  command->footer(
      "Of a stage it makes one call of the size that is timed, on the simulated GPU with a cold "
      "L2; a "
      "program\nit compiles and runs. It needs no GPU.\nColumns: time, the line's share of the "
      "kernel's modelled time; sector and bank, "
      "sectors of global\nmemory and passes through shared memory against the fewest possible; "
      "lanes, how many of 32 are\nactive on average.\n"
      "Exit codes: 0 explained, 1 a stage or program is wrong, unfinished or does not compile, 2 "
      "wrong "
      "usage,\n"
      "3 it could not be done here.");
}

void add_trace(CLI::App& app, TraceOptions& options) {
  CLI::App* command = app.add_subcommand(
      "trace", "Show step by step what the threads of one block do, on the simulated GPU");
  command
      ->add_option("LAB/STAGE", options.names,
                   "For example reduction/3_sequential; or a program's .cu file, or -- PROGRAM and "
                   "its arguments")
      ->required();
  command->add_flag("--solutions", options.solutions,
                    "Trace solutions/ in place of the stages in labs/");
  command->add_option(
      "--case", options.one_case,
      "The case to call it with; left out: the smallest that is wrong, or else a small one that "
      "runs through all of the stage");
  command->add_option("--size", options.size, "The size of the input, in place of --case")
      ->check(from(std::int64_t{0}, "0 or more"))
      ->type_name("N");
  command->add_option("--kernel", options.kernel, "The kernel, by its name or a part of it");
  command
      ->add_option("--block", options.blocks,
                   "The block: X, X,Y or X,Y,Z; may be given twice. Left out: where the mistake "
                   "is, else the first")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("--thread", options.thread, "Show only what this thread of the block does")
      ->type_name("T");
  command->add_option(
      "--element", options.element,
      "Show who wrote this element and from what, for example out[37] or tile[1][2]");
  CLI::Option* const html =
      command->add_option("--html", options.html,
                          "Write a page that plays the steps to this file; it needs no network");
  command
      ->add_option("--against", options.against,
                   "LAB/STAGE: the page plays this stage beside the first, by modelled time")
      ->needs(html);
  command->add_option("--figure", options.figure,
                      "Draw an array at chosen steps as SVG: a TOML file says what, and where to");
  command->add_option("--json", options.json, "Write all steps as JSON to this file");
  command->add_flag("--text", options.text, "Show the steps also where a file is written");
  command->add_flag("--no-build", options.no_build, "Use what is built");
  command->footer(
      "It records one launch, at most 20000 steps or about 16 MiB of one or more blocks, and says "
      "when that was "
      "not all.\nExit codes: 0 the stage is right in this case, 1 it is wrong, unfinished or does "
      "not compile, 2 "
      "wrong usage,\n3 it could not be done here.");
}

void add_debug(CLI::App& app, DebugOptions& options) {
  TraceOptions& recorded = options.recorded;
  CLI::App* command = app.add_subcommand(
      "debug",
      "Step through a kernel, forward and back, on the simulated GPU; also from an editor");
  command->add_option("LAB/STAGE", recorded.names,
                      "For example reduction/3_sequential; or a program's .cu file and its "
                      "arguments, behind -- where they begin with a dash");
  command->add_flag("--solutions", recorded.solutions,
                    "Debug solutions/ in place of the stages in labs/");
  command->add_option("--from", options.from,
                      "Debug what a student handed in: the stage's file in this folder, or in its "
                      "folder named as the lab");
  command->add_option(
      "--case", recorded.one_case,
      "The case to call it with; left out: the smallest that is wrong, or else a small one that "
      "runs through all of the stage");
  command->add_option("--size", recorded.size, "The size of the input, in place of --case")
      ->check(from(std::int64_t{0}, "0 or more"))
      ->type_name("N");
  command->add_option("--kernel", recorded.kernel, "The kernel, by its name or a part of it");
  command
      ->add_option("--block", recorded.blocks,
                   "The block: X, X,Y or X,Y,Z; may be given twice. Left out: where the mistake "
                   "is, else the first")
      ->allow_extra_args(false)
      ->take_all();
  command->add_flag("--dap", options.dap,
                    "Speak the Debug Adapter Protocol on standard input and output, for an editor");
  command->add_flag("--no-build", recorded.no_build,
                    "Use what is built; only the stage is compiled where it has changed");
  command->footer(
      "It compiles for a debugger (nvcc -G), records one launch, at most 200000 steps or about "
      "64 MiB, and goes\nthrough that: as nothing is run again, going back is exact. `help` lists "
      "the words. docs/debugging.md shows\na session, and how to use it from an editor.\n"
      "Exit codes: 0 the stage is right in this case, 1 it is wrong, unfinished or does not "
      "compile, 2 wrong\nusage, or what came is not the protocol, 3 it could not be done here.");
}

void add_sim(CLI::App& app, SimOptions& options) {
  CLI::App* command = app.add_subcommand(
      "sim",
      "Run any CUDA program (a .cu file, or built with -cudart shared) on the simulated GPU");
  command->add_option("--report", options.report,
                      "Write what happened to this file: JSON, or a page when it ends in .html");
  command->add_flag("--explain", options.explain,
                    "Show what each line costs and what to mend, in place of a summary");
  add_profile(*command, options.profile);
  command->add_option(
      "--check", options.check,
      "Mistakes to look for, with commas between: " + sim::check_names() +
          ". A '-' before a name switches off: all,-leaks. All is the default, none is fastest");
  command->add_option("--schedule", options.schedule,
                      "Run blocks and warps in an order drawn from this number; 0: in order");
  command
      ->add_option("--time-limit", options.time_limit,
                   "Seconds of modelled time after which a launch is stopped, 0.25 when left out; "
                   "0: never")
      ->check(from(0.0, "0 or more seconds"));
  command
      ->add_option("--memory", options.memory,
                   "The device's memory, for example 4G; half of this machine's when left out")
      ->transform(size_of_memory());
  command->add_flag("--no-build", options.no_build, "Use what is built");
  command
      ->add_option("PROGRAM", options.command,
                   "The program, or a .cu file, and its arguments, after --")
      ->required();
  command->footer("Exit code: the program's own; 1 when it was 0 and mistakes were found.");
}

void add_bench(CLI::App& app, BenchOptions& options) {
  CLI::App* command =
      app.add_subcommand("bench", "Time every solution beside a library (needs a GPU)");
  command->add_option("LAB[/STAGE]", options.names,
                      "For example reduction, or reduction/3; all labs when left out");
  command->add_flag("--no-build", options.no_build, "Use what is built");
  command->add_option("--html", options.html,
                      "Draw the ladder as a page, to be opened in a browser");
  command->add_flag("--raw", options.raw,
                    "Print what Google Benchmark prints, in place of a table");
  command->add_option("--args", options.arguments,
                      "Options for Google Benchmark, for example --args=--benchmark_filter=cub");
}

void add_calibrate(CLI::App& app, CalibrateOptions& options) {
  CLI::App* command = app.add_subcommand(
      "calibrate", "Measure what the solutions reach on this GPU, and write what stages have to");
  command->add_option("LAB", options.names, "For example reduction; all labs when left out");
  command->add_option("--rounds", options.rounds, "Grade all solutions so many times")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->add_option("--out", options.out,
                      "The file to write; thresholds/<device>.toml when left out");
  command->add_flag("--no-build", options.no_build, "Use what is built");
  command->footer(
      "Grading on a GPU of this kind then goes by that file. What it holds of other labs is kept.\n"
      "Nothing else should use the GPU meanwhile. Three rounds of all labs take about 15 minutes.");
}

void add_handout(CLI::App& app, HandoutOptions& options) {
  CLI::App* command = app.add_subcommand(
      "handout", "Pack what students get: labs, documents, ready programs, no solutions");
  command->add_option("FILE.tar.zst", options.archive, "The archive to write")->required();
  command->add_option("LAB", options.labs, "For example reduction; all labs when left out");
  command->add_flag("--no-build", options.no_build, "Use what is built");
}

void add_update(CLI::App& app, UpdateOptions& options) {
  CLI::App* command = app.add_subcommand(
      "update", "Of a handout: take a newer one, and keep the files that you have changed");
  command->add_option("FILE.tar.zst", options.archive, "The newer handout")->required();
}

const std::vector<std::string> command_names = {
    "grade", "explain", "hint",   "reset", "solution", "list",      "doctor", "sim",   "bench",
    "watch", "handout", "update", "class", "export",   "calibrate", "trace",  "debug", "test"};

/// CLI11's words, and what was probably meant.
std::string explain(const CLI::ParseError& error, const CLI::App& app, int argc, char** argv) {
  if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-') {
    const std::string meant = nearest_name(argv[1], command_names);
    return "There is no command '" + std::string(argv[1]) + "'. " +
           (meant.empty() ? "There is " + listed(command_names) + "."
                          : "Did you mean '" + meant + "'?");
  }
  const std::string command =
      app.get_subcommands().empty() ? "" : app.get_subcommands().front()->get_name() + " ";
  return std::string(error.what()) + ". `lab " + command + "--help` lists what there is.";
}

}  // namespace

std::function<int(const Places&)> parse_command_line(int argc, char** argv) {
  if (argc > 1 && (std::string_view(argv[1]) == "class" || std::string_view(argv[1]) == "export")) {
    ClassOptions whole{{argv + 1, argv + argc}};  // a program of its own reads the rest
    for (const std::string& word : whole.arguments)
      whole.no_build = whole.no_build || word == "--no-build";
    return [whole](const Places& places) { return whole_class(places, whole); };
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
  add_explain(app, options.explain);
  add_sim(app, options.sim);
  add_trace(app, options.trace);
  add_debug(app, options.debug);
  add_bench(app, options.bench);
  add_calibrate(app, options.calibrate);
  add_handout(app, options.handout);
  add_update(app, options.update);
  app.add_subcommand("class", "Grade a whole class: what there is says `lab class --help`");
  app.add_subcommand("export", "Write what a platform grades with: `lab export --help`");
  CLI::App* watch_command = app.add_subcommand(
      "watch", "Show the stage that is next and grade it at each save; on a terminal");
  watch_command->add_flag("--no-build", options.watch.no_build, "Use what is built");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw UsageError(explain(error, app, argc, argv));
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
  if (chosen == "explain")
    return [options](const Places& places) { return explain(places, options.explain); };
  if (chosen == "watch")
    return [options](const Places& places) { return watch(places, options.watch); };
  if (chosen == "sim") return [options](const Places& places) { return sim(places, options.sim); };
  if (chosen == "trace")
    return [options](const Places& places) { return trace(places, options.trace); };
  if (chosen == "debug")
    return [options](const Places& places) { return debug(places, options.debug); };
  if (chosen == "bench")
    return [options](const Places& places) { return bench(places, options.bench); };
  if (chosen == "calibrate")
    return [options](const Places& places) { return calibrate(places, options.calibrate); };
  if (chosen == "handout")
    return [options](const Places& places) { return handout(places, options.handout); };
  if (chosen == "update")
    return [options](const Places& places) { return update(places, options.update); };
  return chosen == "list" ? list : doctor;
}

}  // namespace gridstride::cli

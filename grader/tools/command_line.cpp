// The options of gridstride-tools.
#include "grader/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string>

#include "common/simulator/check/check_options.h"
#include "grader/cli/option_kinds.h"
#include "grader/cli/other_programs.h"
#include "grader/tools/commands.h"

namespace gridstride::cli {
namespace {

CLI::App* add_command(CLI::App& app, const char* name) {
  return app.add_subcommand(name, other_command(name)->what);
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

void add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* command = add_command(app, "explain");
  command
      ->add_option("LAB[/STAGE]", options.names,
                   "For example reduction/3_sequential, or its file; or a program's file, for "
                   "example hello.cu")
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

void add_sim(CLI::App& app, SimOptions& options) {
  CLI::App* command = add_command(app, "sim");
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

/// Which launch is recorded, and what of it.
void add_recorded(CLI::App& command, TraceOptions& options) {
  command.add_option(
      "--case", options.one_case,
      "The case to call it with; left out: the smallest that is wrong, or else a small one that "
      "runs through all of the stage");
  command.add_option("--size", options.size, "The size of the input, in place of --case")
      ->check(from(std::int64_t{0}, "0 or more"))
      ->type_name("N");
  command.add_option("--kernel", options.kernel, "The kernel, by its name or a part of it");
  command
      .add_option("--launch", options.launch,
                  "The launch, by its number among all of the call, from 1; left out: where the "
                  "mistake is, else the first of the kernel")
      ->check(from(std::int64_t{1}, "1 or more"))
      ->type_name("N");
  command
      .add_option("--block", options.blocks,
                  "The block: X, X,Y or X,Y,Z; may be given twice. Left out: where the mistake "
                  "is, else the first")
      ->allow_extra_args(false)
      ->take_all();
}

void add_trace(CLI::App& app, TraceOptions& options) {
  CLI::App* command = add_command(app, "trace");
  command->add_option(
      "LAB/STAGE", options.names,
      "For example reduction/3_sequential, or its file; or a program's .cu file, or "
      "-- PROGRAM and its arguments");
  command->add_flag("--solutions", options.solutions,
                    "Trace solutions/ in place of the stages in labs/");
  add_recorded(*command, options);
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
                      "Draw an array at chosen steps as SVG: a TOML file says what, where to, and "
                      "of which solution where no LAB/STAGE stands here");
  command->add_flag("--hide-source", options.hide_source,
                    "Keep the source's text out of steps, page and JSON, to show the course of a "
                    "solution and not its code");
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
  CLI::App* command = add_command(app, "debug");
  command->add_option(
      "LAB/STAGE", recorded.names,
      "For example reduction/3_sequential, or its file; or a program's .cu file and its "
      "arguments, behind -- where they begin with a dash");
  command->add_flag("--solutions", recorded.solutions,
                    "Debug solutions/ in place of the stages in labs/");
  command->add_option("--from", options.from,
                      "Debug what a student handed in: the stage's file in this folder, or in its "
                      "folder named as the lab");
  add_recorded(*command, recorded);
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

void add_bench(CLI::App& app, BenchOptions& options) {
  CLI::App* command = add_command(app, "bench");
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
  CLI::App* command = add_command(app, "calibrate");
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
  CLI::App* command = add_command(app, "handout");
  command->add_option("FILE.tar.zst", options.archive, "The archive to write")->required();
  command->add_option("LAB", options.labs, "For example reduction; all labs when left out");
  command->add_flag("--no-build", options.no_build, "Use what is built");
}

void add_update(CLI::App& app, UpdateOptions& options) {
  CLI::App* command = add_command(app, "update");
  command->add_option("FILE.tar.zst", options.archive, "The newer handout")->required();
}

/// Everything that the command line can set.
struct Options {
  ExplainOptions explain;
  SimOptions sim;
  TraceOptions trace;
  DebugOptions debug;
  BenchOptions bench;
  CalibrateOptions calibrate;
  HandoutOptions handout;
  UpdateOptions update;
};

}  // namespace

std::function<int(const Places&)> parse_command_line(int argc, char** argv) {
  CLI::App app{"What looks into kernels, and makes what students get.", "lab"};
  app.require_subcommand(1);
  Options options;
  add_explain(app, options.explain);
  add_sim(app, options.sim);
  add_trace(app, options.trace);
  add_debug(app, options.debug);
  add_bench(app, options.bench);
  add_calibrate(app, options.calibrate);
  add_handout(app, options.handout);
  add_update(app, options.update);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw UsageError(what_is_wrong(error, app));
    app.exit(error);  // --help
    return {};
  }
  const std::string chosen = app.get_subcommands().front()->get_name();
  if (chosen == "explain")
    return [options](const Places& places) { return explain(places, options.explain); };
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
  return [options](const Places& places) { return update(places, options.update); };
}

}  // namespace gridstride::cli

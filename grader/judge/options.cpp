// Options by CLI11; what begins with --gtest_ or --benchmark_ goes where it belongs.
#include "grader/judge/options.h"

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/simulator/link/host.h"
#include "grader/report/results.h"

namespace gridstride {
namespace {

/// Hands over the arguments that begin with `prefix`; true when all were known.
template <class Initialise>
bool hand_over(char* program, std::vector<char*> arguments, Initialise initialise) {
  arguments.insert(arguments.begin(), program);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  initialise(&count, arguments.data());
  for (int i = 1; i < count; ++i)
    std::fprintf(stderr, "%s: unknown option %s\n", program,
                 arguments[static_cast<std::size_t>(i)]);
  return count == 1;
}

std::map<std::string, std::filesystem::path> split(const std::vector<std::string>& pairs,
                                                   const std::string& option) {
  std::map<std::string, std::filesystem::path> result;
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size())
      throw CLI::ValidationError(option, "expected STAGE=FILE, found '" + pair + "'");
    result[pair.substr(0, equals)] = std::filesystem::absolute(pair.substr(equals + 1));
  }
  return result;
}

}  // namespace

ParsedOptions parse_options(const std::string& lab, int argc, char** argv) {
  ParsedOptions parsed;
  std::vector<char*> tests, benchmarks;
  std::vector<std::string> ours;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("--gtest_")) {
      tests.push_back(argv[i]);
    } else if (argument.starts_with("--benchmark_")) {
      benchmarks.push_back(argv[i]);
    } else {
      ours.emplace_back(argument);
    }
  }

  Options& options = parsed.options;
  std::vector<std::string> libraries, sources;
  const std::map<std::string, SandboxPolicy> policies = {{"required", SandboxPolicy::required},
                                                         {"auto", SandboxPolicy::when_available},
                                                         {"off", SandboxPolicy::off}};
  CLI::App app("Grades the lab '" + lab + "'.", "grade-" + lab);
  app.add_option("STAGE,--stage", options.stages, "Stages to grade; all when none is named")
      ->take_all();
  app.add_flag("--solutions", options.solutions,
               "Grade solutions/ in place of the student's files");
  app.add_flag("--measure-only", options.measure_only,
               "Require no speedup: for whoever finds out what can be required");
  app.add_option("--device", options.device,
                 "Where to run: auto takes a GPU when one answers; ssh:HOST is the same on HOST")
      ->check([](const std::string& device) {
        return sim::link::wrong_device(device, {"auto", "gpu", "sim"});
      })
      ->capture_default_str();
  app.add_option("-j,--jobs", options.jobs,
                 "On the simulated device, work on so many calls at once; as many as there are "
                 "cores when left out")
      ->check(CLI::PositiveNumber);
  app.add_option("--profile", options.profile, "Of the simulated device: h200, a100, t4 or a file")
      ->capture_default_str();
  app.add_option("--json", options.json, "Write the results as JSON");
  app.add_option("--junit", options.junit, "Write the results as JUnit XML");
  app.add_option("--case", options.one_case,
                 "Grade nothing: run this case of one stage, and show what went in and came out");
  app.add_option("--explain", options.explain,
                 "Grade nothing: write what one call of each stage does on the simulated GPU");
  app.add_option(
      "--trace", options.trace,
      "Grade nothing: write the steps of one launch of one stage on the simulated GPU; --case and "
      "--size say of which call");
  app.add_option("--trace-kernel", options.trace_kernel,
                 "Of the launch: a kernel's name, or a part of it");
  app.add_option("--trace-launch", options.trace_launch, "Its number among all launches, from 1")
      ->check(CLI::PositiveNumber);
  app.add_option("--trace-block", options.trace_blocks,
                 "Of the launch: X, X,Y or X,Y,Z; several may be given")
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag("--trace-registers", options.trace_registers,
               "Of the launch: record also what each instruction writes, for a debugger");
  app.add_option("--trace-steps", options.trace_steps, "Of the launch: record at most so many")
      ->check(CLI::PositiveNumber);
  app.add_option("--trace-bytes", options.trace_bytes,
                 "Of the launch: record at most about so many bytes")
      ->check(CLI::PositiveNumber);
  CLI::Option* const save_calls =
      app.add_option("--save-calls", options.save_calls,
                     "Grade nothing: write the stages' timed calls to this folder, without answers")
          ->check(CLI::ExistingDirectory);
  app.add_option("--size", options.size, "Elements of a saved or recorded call")
      ->check(CLI::PositiveNumber);
  app.add_option("--library", libraries, "STAGE=FILE: grade this library as the stage")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--source", sources, "STAGE=FILE: the source that belongs to it")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--folder", options.folder, "Where lab.toml and the sources are")
      ->check(CLI::ExistingDirectory);
  app.add_option(
      "--handed-in", options.handed_in,
      "Where the stages' sources are that were built; what is missing was not handed in");
  app.add_option("--libraries", options.libraries, "Where the stages' libraries are")
      ->check(CLI::ExistingDirectory);
  CLI::Option* const seed =
      app.add_option("--seed", options.seed, "Draw inputs from this seed, to repeat a run");
  app.add_option(
         "--redraw", options.redraw,
         "Save each stage's own call, as STAGE.call, on inputs that were drawn anew so many "
         "times: a GPU is timed on it with this seed")
      ->needs(save_calls)
      ->needs(seed)
      ->check(CLI::PositiveNumber);
  std::string policy = "auto";
  app.add_option("--sandbox", policy, "required: grade in bubblewrap or not at all")
      ->check(CLI::IsMember({"required", "auto", "off"}))
      ->capture_default_str();
  app.add_flag("-v,--verbose", options.verbose,
               "Show what limits and the handout speak of; twice (-vv): all counters, and what "
               "GoogleTest and Google Benchmark say");
  app.add_flag("--no-table", options.no_table, "For whoever shows a table of their own");
  app.footer(
      "Also takes GoogleTest's options (--gtest_filter=STAGE.CASE, --gtest_list_tests,\n"
      "--gtest_output=xml:FILE …) and Google Benchmark's (--benchmark_filter=…,\n"
      "--benchmark_out=FILE …).\n\n"
      "Exit codes: 0 every stage passes, 1 something falls short, 2 wrong usage,\n"
      "3 something could not be graded.");
  try {
    std::reverse(ours.begin(), ours.end());
    app.parse(ours);
    options.library = split(libraries, "--library");
    options.source = split(sources, "--source");
    options.sandbox = policies.at(policy);
  } catch (const CLI::ParseError& error) {
    parsed.exit_code = app.exit(error) == 0 ? exit_pass : exit_usage;
    return parsed;
  }
  const bool known =
      hand_over(argv[0], tests,
                [](int* count, char** words) { testing::InitGoogleTest(count, words); }) &&
      hand_over(argv[0], benchmarks,
                [](int* count, char** words) { benchmark::Initialize(count, words); });
  if (!known) parsed.exit_code = exit_usage;
  return parsed;
}

}  // namespace gridstride

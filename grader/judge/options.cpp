// What begins with --gtest_ or --benchmark_ goes where it belongs.
#include "grader/judge/options.h"

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/program_options.h"
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

/// STAGE=FILE
ProgramOptions::Take into(std::map<std::string, std::filesystem::path>& files) {
  return [&files](const std::string& pair) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size())
      throw OptionError("expected STAGE=FILE, found '" + pair + "'");
    files[pair.substr(0, equals)] = std::filesystem::absolute(pair.substr(equals + 1));
  };
}

void take_device(const std::string& device, Options& options) {
  options.device = device;
  const std::string wrong = sim::link::wrong_device(options.device, {"auto", "gpu", "sim"});
  if (!wrong.empty()) throw OptionError(wrong);
}

void take_sandbox(const std::string& name, Options& options) {
  const std::map<std::string, SandboxPolicy> policies = {{"required", SandboxPolicy::required},
                                                         {"auto", SandboxPolicy::when_available},
                                                         {"off", SandboxPolicy::off}};
  const auto found = policies.find(name);
  if (found == policies.end())
    throw OptionError("expected required, auto or off, found '" + name + "'");
  options.sandbox = found->second;
}

/// What is graded, where, and what is written.
void add_grading(ProgramOptions& app, Options& options) {
  app.words("STAGE,--stage", options.stages, "Stages to grade; all when none is named");
  app.flag("--solutions", "Grade solutions/ in place of the student's files",
           [&] { options.solutions = true; });
  app.flag("--measure-only", "Require no speedup: for whoever finds out what can be required",
           [&] { options.measure_only = true; });
  app.option("--device", "DEVICE",
             "Where to run: auto takes a GPU when one answers; ssh:HOST is the same on HOST",
             [&](const std::string& device) { take_device(device, options); });
  app.number("-j,--jobs", options.jobs,
             "On the simulated device, work on so many calls at once; as many as there are cores "
             "when left out",
             1);
  app.text("--profile", options.profile, "Of the simulated device: h200, a100, t4 or a file");
  app.path("--json", options.json, "Write the results as JSON");
  app.path("--junit", options.junit, "Write the results as JUnit XML");
  app.options("--library", "STAGE=FILE", "Grade this library as the stage", into(options.library));
  app.options("--source", "STAGE=FILE", "The source that belongs to it", into(options.source));
  app.folder("--folder", options.folder, "Where lab.toml and the sources are");
  app.path("--handed-in", options.handed_in,
           "Where the stages' sources are that were built; what is missing was not handed in");
  app.folder("--libraries", options.libraries, "Where the stages' libraries are");
  app.number("--seed", options.seed, "Draw inputs from this seed, to repeat a run");
  app.option("--sandbox", "POLICY",
             "required: grade in bubblewrap or not at all; auto, as when left out; off",
             [&](const std::string& name) { take_sandbox(name, options); });
  app.flag("-v,--verbose",
           "Show what limits and the handout speak of; twice (-vv): all counters, and what "
           "GoogleTest and Google Benchmark say",
           [&] { ++options.verbose; });
  app.flag("--no-table", "For whoever shows a table of their own",
           [&] { options.no_table = true; });
}

/// What is done in place of grading.
void add_others(ProgramOptions& app, Options& options) {
  app.text("--case", options.one_case,
           "Grade nothing: run this case of one stage, and show what went in and came out");
  app.path("--explain", options.explain,
           "Grade nothing: write what one call of each stage does on the simulated GPU");
  app.path("--trace", options.trace,
           "Grade nothing: write the steps of one launch of one stage on the simulated GPU; --case "
           "and --size say of which call");
  app.text("--trace-kernel", options.trace_kernel,
           "Of the launch: a kernel's name, or a part of it");
  app.number("--trace-launch", options.trace_launch, "Its number among all launches, from 1",
             std::int64_t{1});
  app.options("--trace-block", "BLOCK", "Of the launch: X, X,Y or X,Y,Z; several may be given",
              [&](const std::string& block) { options.trace_blocks.push_back(block); });
  app.flag("--trace-registers",
           "Of the launch: record also what each instruction writes, for a debugger",
           [&] { options.trace_registers = true; });
  app.number("--trace-steps", options.trace_steps, "Of the launch: record at most so many",
             std::uint64_t{1});
  app.number("--trace-bytes", options.trace_bytes,
             "Of the launch: record at most about so many bytes", std::uint64_t{1});
  app.folder("--save-calls", options.save_calls,
             "Grade nothing: write the stages' timed calls to this folder, without answers");
  app.number("--size", options.size, "Elements of a saved or recorded call", std::int64_t{1});
  app.number("--redraw", options.redraw,
             "With --save-calls and --seed: save each stage's own call, as STAGE.call, on inputs "
             "that were drawn anew so many times: a GPU is timed on it with this seed",
             1);
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
  ProgramOptions app("grade-" + lab, "Grades the lab '" + lab + "'.");
  add_grading(app, options);
  add_others(app, options);
  app.footer(
      "Also takes GoogleTest's options (--gtest_filter=STAGE.CASE, --gtest_list_tests,\n"
      "--gtest_output=xml:FILE …) and Google Benchmark's (--benchmark_filter=…,\n"
      "--benchmark_out=FILE …).\n\n"
      "Exit codes: 0 every stage passes, 1 something falls short, 2 wrong usage,\n"
      "3 something could not be graded.");
  try {
    if (!app.parse(ours)) {
      parsed.exit_code = exit_pass;
      return parsed;
    }
    if (options.redraw && (options.save_calls.empty() || !options.seed))
      throw OptionError("--redraw: it wants --save-calls and --seed");
  } catch (const OptionError& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    parsed.exit_code = exit_usage;
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

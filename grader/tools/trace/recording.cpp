// See the header.
#include "grader/tools/trace/recording.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/simulator/trace/named_threads.h"
#include "common/subprocess.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/cli/sandbox_warning.h"
#include "grader/cli/toolkit.h"
#include "grader/course/course.h"
#include "grader/course/lab_path.h"
#include "grader/report/results.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t largest_trace = std::size_t{1} << 30;

sim::Dim3 block_named(const std::string& text) {
  if (const auto block = sim::parse_block(text)) return *block;
  throw UsageError("--block: expected X, X,Y or X,Y,Z, as in 0 or 2,1, found '" + text + "'.");
}

}  // namespace

bool names_program(const std::vector<std::string>& names, const Places& places) {
  const std::string& first = names.front();
  const std::vector<std::string> labs = lab_names(places.build());
  if (is_source(first)) return is_own_program(first, labs, places.tree());
  std::error_code missing;
  if (lab_path(first, labs, places.tree()))
    return fs::is_regular_file(first, missing) && ::access(first.c_str(), X_OK) == 0;
  if (fs::exists(first, missing)) return std::ranges::find(labs, first) == labs.end();
  if (first.find('/') != std::string::npos) return first.starts_with('/') || first.starts_with('.');
  if (std::ranges::find(labs, first) != labs.end()) return false;
  // A lab's name with a mistake in it, or a program in PATH.
  return nearest_name(first, labs).empty() || !find_program(first).empty();
}

TraceOptions with_paths(TraceOptions options, const Places& places) {
  const auto solutions = names_solutions(options.names, lab_names(places.build()), places.tree());
  options.solutions |= solutions.value_or(false);
  return options;
}

nlohmann::json record_stage(const std::string& lab, const std::string& stage,
                            const TraceOptions& options, const Places& places,
                            const std::vector<std::string>& more) {
  const TemporaryFolder scratch;
  const fs::path file = scratch.path() / "recorded.json";
  Subprocess grader;
  std::vector<std::string>& words = grader.command;
  words = {places.program("grade-" + lab).string(), "--trace", file.string()};
  if (options.solutions) words.push_back("--solutions");
  if (!options.one_case.empty()) words.insert(words.end(), {"--case", options.one_case});
  if (options.size) words.insert(words.end(), {"--size", std::to_string(*options.size)});
  if (!options.kernel.empty()) words.insert(words.end(), {"--trace-kernel", options.kernel});
  if (options.launch)
    words.insert(words.end(), {"--trace-launch", std::to_string(*options.launch)});
  for (const std::string& block : options.blocks) {
    block_named(block);
    words.insert(words.end(), {"--trace-block", block});
  }
  for (const std::string& option : sandbox_options()) words.push_back(option);
  words.insert(words.end(), more.begin(), more.end());
  words.push_back(stage);
  const SubprocessResult ended = run_process(grader);
  if (ended.exit_code == exit_usage) throw UsageError("Nothing was recorded: the reason is above.");
  if (!ended.succeeded() || !fs::exists(file))
    throw std::runtime_error(fmt::format(
        "grade-{} recorded nothing (exit code {}). What it said is above.", lab, ended.exit_code));
  return nlohmann::json::parse(read_file(file, largest_trace));
}

RecordedProgram record_program(const Places& places, const TraceOptions& options,
                               sim::TraceRequest request, bool debug) {
  const TemporaryFolder scratch;
  request.file = (scratch.path() / "trace.json").string();
  request.kernel = options.kernel;
  if (options.launch) request.launch = *options.launch - 1;
  for (const std::string& block : options.blocks) request.blocks.push_back(block_named(block));
  write_file(scratch.path() / "request.json", sim::to_json(request).dump());
  SimOptions run;
  run.command = options.names;
  run.no_build = options.no_build;
  run.debug = debug;
  run.trace = (scratch.path() / "request.json").string();
  Simulated simulated = simulate(places, run);
  const std::string& program = options.names.front();
  const std::string fell =
      simulated.has_report ? "" : about_no_report(program, simulated.exit_code);
  if (!fs::exists(request.file)) {
    if (simulated.exit_code != 0 && !fell.empty()) throw FallsShort(fell);
    throw std::runtime_error(program + " launched no kernel that could be recorded.");
  }
  auto recorded = nlohmann::json::parse(read_file(request.file, largest_trace));
  if (!fell.empty()) {
    complain(fell, 0);
    std::vector<std::string> files;
    if (const nlohmann::json& trace = recorded.at("trace"); !trace.is_null()) {
      for (const nlohmann::json& op : trace.at("ops")) files.push_back(op.at(2));
    }
    simulated.explained.sources = program_sources(files);
  }
  return {std::move(recorded), std::move(simulated)};
}

int exit_code_of(const std::string& verdict) {
  return verdict == name_of(Verdict::pass)             ? exit_pass
         : verdict == name_of(Verdict::infrastructure) ? exit_infrastructure
                                                       : exit_short;
}

}  // namespace gridstride::cli

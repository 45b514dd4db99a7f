// lab trace: one launch of a stage or a program on the simulated GPU, step by step.
#include "common/simulator/trace/trace.h"

#include <fmt/core.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/simulator/playback/playback.h"
#include "common/simulator/trace/named_threads.h"
#include "common/subprocess.h"
#include "grader/cli/build.h"
#include "grader/cli/command.h"
#include "grader/cli/output_file.h"
#include "grader/cli/sandbox_warning.h"
#include "grader/cli/simulate.h"
#include "grader/cli/toolkit.h"
#include "grader/course/course.h"
#include "grader/report/results.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr std::size_t largest_trace = std::size_t{1} << 30, largest_source = std::size_t{1} << 20;

sim::Dim3 block_named(const std::string& text) {
  if (const auto block = sim::parse_block(text)) return *block;
  throw UsageError("--block: expected X, X,Y or X,Y,Z, as in 0 or 2,1, found '" + text + "'.");
}

std::vector<std::string> launches_of(const json& recorded) {
  std::vector<std::string> launches;
  for (const json& launch : recorded.at("launches")) {
    const json &grid = launch.at("grid"), &block = launch.at("block");
    launches.push_back(fmt::format("{}, grid {} x {} x {}, block {} x {} x {}",
                                   launch.at("kernel").get<std::string>(), grid[0].get<int>(),
                                   grid[1].get<int>(), grid[2].get<int>(), block[0].get<int>(),
                                   block[1].get<int>(), block[2].get<int>()));
  }
  return launches;
}

/// The recorded launch; says what there is where that which was asked for was not there.
sim::Playback playback_of(const json& recorded, sim::Watched watched, const TraceOptions& options) {
  watched.launches = launches_of(recorded);
  if (recorded.at("trace").is_null()) {
    std::string words = recorded.at("problem").get<std::string>();
    if (words.empty()) words = "No launched kernel is called '" + options.kernel + "'.";
    words += " The launches were:";
    for (const std::string& launch : watched.launches) words += "\n  " + launch;
    throw UsageError(words);
  }
  return {sim::trace_of(recorded.at("trace")), std::move(watched)};
}

void show(const sim::Playback& playback, const TraceOptions& options) {
  const auto threads = playback.trace().block.count();
  if (options.thread && *options.thread >= threads)
    throw UsageError(
        fmt::format("--thread {}: the block has threads 0 to {}.", *options.thread, threads - 1));
  std::optional<sim::Playback::Element> element;
  try {
    if (!options.element.empty()) element = playback.element(options.element);
  } catch (const sim::TraceError& error) {
    throw UsageError(std::string("--element: ") + error.what() + ".");
  }
  std::printf("%s\n", sim::heading_text(playback).c_str());
  if (element) {
    std::printf("%s", sim::history_text(playback, *element).c_str());
  } else if (options.text || options.thread || options.json.empty()) {
    std::printf("%s", sim::to_text(playback, {.thread = options.thread}).c_str());
  }
  if (const auto wrong = playback.wrong_element(); wrong && !element) {
    std::printf("\nWrong: %s is %s, expected %s.\n%s", playback.watched().wrong.c_str(),
                playback.watched().got.c_str(), playback.watched().expected.c_str(),
                sim::history_text(playback, *wrong).c_str());
  }
  write_output(options.json,
               sim::to_json(playback).dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

int trace_program(const Places& places, const TraceOptions& options) {
  if (options.solutions || options.size || !options.one_case.empty())
    throw UsageError("--solutions, --case and --size are for labs, not for a program.");
  const TemporaryFolder scratch;
  sim::TraceRequest request;
  request.file = (scratch.path() / "trace.json").string();
  request.kernel = options.kernel;
  for (const std::string& block : options.blocks) request.blocks.push_back(block_named(block));
  write_file(scratch.path() / "request.json", sim::to_json(request).dump());
  SimOptions run;
  run.command = options.names;
  run.no_build = options.no_build;
  run.trace = (scratch.path() / "request.json").string();
  const Simulated simulated = simulate(places, run);
  if (!fs::exists(request.file))
    throw std::runtime_error(options.names.front() + " launched no kernel that could be recorded.");
  const json recorded = json::parse(read_file(request.file, largest_trace));
  sim::Watched watched;
  watched.title = fs::path(options.names.front()).filename().string();
  watched.sources = simulated.explained.sources;
  std::printf("\n");
  show(playback_of(recorded, std::move(watched), options), options);
  return simulated.exit_code == 0 ? exit_pass : exit_short;
}

json record(const std::string& lab, const std::string& stage, const TraceOptions& options,
            const Places& places) {
  const TemporaryFolder scratch;
  const fs::path file = scratch.path() / "recorded.json";
  Subprocess grader;
  grader.command = {places.program("grade-" + lab).string(), "--trace", file.string()};
  if (options.solutions) grader.command.push_back("--solutions");
  if (!options.one_case.empty())
    grader.command.insert(grader.command.end(), {"--case", options.one_case});
  if (options.size)
    grader.command.insert(grader.command.end(), {"--size", std::to_string(*options.size)});
  if (!options.kernel.empty())
    grader.command.insert(grader.command.end(), {"--trace-kernel", options.kernel});
  for (const std::string& block : options.blocks) {
    block_named(block);
    grader.command.insert(grader.command.end(), {"--trace-block", block});
  }
  for (const std::string& option : sandbox_options()) grader.command.push_back(option);
  grader.command.push_back(stage);
  const SubprocessResult ended = run_process(grader);
  if (ended.exit_code == exit_usage) throw UsageError("Nothing was recorded: the reason is above.");
  if (!ended.succeeded() || !fs::exists(file))
    throw std::runtime_error(fmt::format(
        "grade-{} recorded nothing (exit code {}). What it said is above.", lab, ended.exit_code));
  return json::parse(read_file(file, largest_trace));
}

/// As `lab explain`: only the stage itself and the headers beside the skeletons may be shown.
std::map<std::string, std::string> sources_of(const json& entry, const fs::path& headers) {
  std::map<std::string, std::string> sources;
  const fs::path source = entry.at("source").get<std::string>();
  const json& trace = entry.at("recorded").at("trace");
  if (trace.is_null()) return sources;
  for (const json& op : trace.at("ops")) {
    const std::string file = op.at(2);
    const fs::path path = file;
    if (file.empty() || sources.contains(file)) continue;
    if (path.filename() == source.filename()) {
      sources[file] = read_file(source, largest_source);
    } else if (path.extension() == ".cuh" && path.parent_path() == headers &&
               fs::is_regular_file(fs::symlink_status(path))) {
      sources[file] = read_file(path, largest_source);
    }
  }
  return sources;
}

}  // namespace

int trace(const Places& places, const TraceOptions& options) {
  check_writable(options.json);
  const bool names_stage = options.names.front().find(".cu") == std::string::npos &&
                           options.names.front().find('/') != std::string::npos &&
                           !fs::exists(options.names.front());
  const bool is_lab =
      !names_stage && fs::exists(places.tree() / "labs" / options.names.front() / "lab.toml");
  if (!names_stage && !is_lab) return trace_program(places, options);
  const fs::path tree = places.tree();
  if (options.solutions && !fs::is_directory(tree / "solutions"))
    throw UsageError("This tree holds no solutions/ to trace.");
  const Selection selection = select_stage(options.names, lab_names(places.build()), tree);
  const std::string& lab = selection.lab.name;
  const std::string stage = stage_names(selection).front();
  warn_without_sandbox();
  if (!options.no_build) {
    const std::string kind = (options.solutions ? "solutions/" : "labs/") + lab;
    build(places.build(), lab, {"grader-" + lab}, stages_to_build(kind, {stage}, tree / kind),
          tree / kind);
  }
  const json entry = record(lab, stage, options, places);
  sim::Watched watched;
  watched.title = lab + "/" + stage;
  watched.verdict = entry.at("verdict").get<std::string>();
  watched.message = entry.at("message").get<std::string>();
  const std::string& verdict = watched.verdict;
  const int exit_code = verdict == name_of(Verdict::pass)             ? exit_pass
                        : verdict == name_of(Verdict::infrastructure) ? exit_infrastructure
                                                                      : exit_short;
  if (entry.at("recorded").is_null()) {
    std::printf("%s: %s\n%s\nNo kernel ran that could be recorded.\n", watched.title.c_str(),
                verdict.c_str(), watched.message.c_str());
    return exit_code;
  }
  watched.input = fmt::format("case '{}', {}", entry.at("case").get<std::string>(),
                              entry.at("why").get<std::string>());
  if (const json& wrong = entry.at("wrong"); !wrong.is_null()) {
    watched.wrong = wrong.at("text").get<std::string>();
    watched.expected = wrong.at("expected").get<std::string>();
    watched.got = wrong.at("got").get<std::string>();
    watched.wrong_argument = wrong.at("argument").get<std::int64_t>();
    watched.wrong_byte =
        wrong.at("index").get<std::uint64_t>() * wrong.at("bytes").get<std::uint64_t>();
  }
  watched.sources = sources_of(entry, tree / "labs" / lab);
  show(playback_of(entry.at("recorded"), std::move(watched), options), options);
  return exit_code;
}

}  // namespace gridstride::cli

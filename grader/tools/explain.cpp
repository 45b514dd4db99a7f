// lab explain: one call of each stage on the simulated GPU, recorded by the lab's grader, shown
// line by line; or a program, run as it is.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/simulator/explain/explained.h"
#include "common/simulator/link/host.h"
#include "common/subprocess.h"
#include "common/terminal.h"
#include "grader/cli/build.h"
#include "grader/cli/output_file.h"
#include "grader/cli/profile_option.h"
#include "grader/cli/sandbox_warning.h"
#include "grader/course/course.h"
#include "grader/course/lab_path.h"
#include "grader/report/results.h"
#include "grader/tools/commands.h"
#include "grader/tools/simulate.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

/// The stage before, when it solves the same problem; else null.
const StageConfig* stage_before(const LabConfig& lab, const std::string& name) {
  const StageConfig* before = nullptr;
  for (const StageConfig& stage : lab.stages) {
    if (stage.name == name) {
      return before != nullptr && before->function == stage.function ? before : nullptr;
    }
    before = &stage;
  }
  return nullptr;
}

/// The stages asked for, and before each the one that it is compared with.
std::vector<std::string> recorded_names(const Selection& selection) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const std::string& name : stage_names(selection)) {
    if (const StageConfig* before = stage_before(selection.lab, name)) add(before->name);
    add(name);
  }
  return names;
}

void build_for(const Selection& selection, const ExplainOptions& options, const Places& places) {
  const std::string& lab = selection.lab.name;
  const std::string kind = (options.solutions ? "solutions/" : "labs/") + lab;
  const fs::path sources = places.tree() / kind;
  std::vector<std::string> programs = {"grader-" + lab};
  if (!sim::link::host_in(options.device).empty()) programs.emplace_back("gridstride-link");
  build(places.build(), lab, programs, stages_to_build(kind, recorded_names(selection), sources),
        sources);
}

json record(const Selection& selection, const ExplainOptions& options, const Places& places) {
  const TemporaryFolder scratch;
  const fs::path file = scratch.path() / "recorded.json";
  Subprocess grader;
  grader.command = {places.program("grade-" + selection.lab.name).string(), "--explain",
                    file.string(), "--device", options.device};
  if (options.solutions) grader.command.push_back("--solutions");
  if (!options.profile.empty())
    grader.command.insert(grader.command.end(), {"--profile", options.profile});
  for (const std::string& option : sandbox_options()) grader.command.push_back(option);
  for (const std::string& stage : recorded_names(selection)) grader.command.push_back(stage);
  const SubprocessResult ended = run_process(grader);
  if (!ended.succeeded() || !fs::exists(file))
    throw std::runtime_error(
        fmt::format("grade-{} recorded nothing (exit code {}). What it said is above.",
                    selection.lab.name, ended.exit_code));
  return json::parse(read_file(file, std::size_t{1} << 30));
}

/// Of the files that a report names, only the stage itself and the headers beside the skeletons:
/// the compiler's line directives are the student's to write, and could name any file of whoever
/// explains it.
std::map<std::string, std::string> sources_of(const json& entry, const fs::path& headers) {
  std::map<std::string, std::string> sources;
  if (entry.at("report").is_null()) return sources;
  const fs::path source = entry.at("source").get<std::string>();
  for (const json& kernel : entry.at("report").at("kernels")) {
    for (const json& line : kernel.at("lines")) {
      const std::string file = line.at("file");
      const fs::path path = file;
      if (sources.contains(file)) continue;
      if (path.filename() == source.filename()) {
        sources[file] = read_file(source);
      } else if (path.extension() == ".cuh" && path.parent_path() == headers &&
                 fs::is_regular_file(fs::symlink_status(path))) {
        sources[file] = read_file(path);
      }
    }
  }
  return sources;
}

const json* entry_named(const json& entries, const std::string& name) {
  for (const json& entry : entries) {
    if (entry.at("name") == name) return &entry;
  }
  return nullptr;
}

bool ran_well(const json& entry) {
  return entry.at("verdict") == "pass" && !entry.at("report").is_null();
}

sim::Explained explained(const Selection& selection, const std::string& name, const json& entries,
                         const fs::path& tree, bool solutions) {
  const json& entry = *entry_named(entries, name);
  sim::Explained one;
  one.title = selection.lab.name + "/" + name;
  one.verdict = entry.at("verdict");
  one.message = entry.at("message");
  one.report = entry.at("report");
  if (one.verdict == name_of(Verdict::todo))
    one.message += " `./lab hint " + one.title + "` helps.";
  const auto verdict = verdict_named(one.verdict);
  if (!solutions &&
      (verdict == Verdict::wrong || verdict == Verdict::crash || verdict == Verdict::timeout))
    one.message += "\nSee it: ./lab trace " + one.title + " --html steps.html";
  one.sources = sources_of(entry, tree / "labs" / selection.lab.name);
  const StageConfig* before = stage_before(selection.lab, name);
  const json* other = before == nullptr ? nullptr : entry_named(entries, before->name);
  if (other != nullptr && ran_well(*other) && ran_well(entry))
    one.comparison = sim::compare(other->at("report"), entry.at("report"), before->name);
  return one;
}

/// A program of one's own rather than a stage.
int explain_program(const Places& places, const ExplainOptions& options) {
  if (options.names.size() > 1)
    throw UsageError("One program at a time: lab explain " + options.names.front());
  if (options.solutions) throw UsageError("--solutions is for labs, not for a program.");
  if (options.device != "sim")
    throw UsageError("A program of your own runs on this machine alone.");
  SimOptions run;
  run.command = options.names;
  run.profile = options.profile;
  run.no_build = options.no_build;
  const Simulated simulated = simulate(places, run);
  if (!simulated.has_report) {
    const std::string words = about_no_report(options.names.front(), simulated.exit_code);
    if (simulated.exit_code != 0) throw FallsShort(words);
    throw std::runtime_error(words);
  }
  std::printf("\n%s", sim::to_text(simulated.explained, style_of(stdout)).c_str());
  write_output(options.json, simulated.text);
  if (!options.html.empty()) write_output(options.html, sim::to_page({simulated.explained}));
  if (!options.html.empty()) std::printf("\nThe page is %s.\n", options.html.c_str());
  return simulated.exit_code == 0 ? exit_pass : exit_short;
}

}  // namespace

int explain(const Places& places, const ExplainOptions& asked) {
  check_profile(asked.profile);
  check_all_writable({asked.html, asked.json});
  const fs::path tree = places.tree();
  const std::vector<std::string> labs = lab_names(places.build());
  // "reduction 3_sequential.cu" is a stage in two words.
  const bool has_lab = std::ranges::find(labs, asked.names.front()) != labs.end();
  if (!has_lab && std::ranges::any_of(asked.names, [&](const std::string& name) {
        return is_own_program(name, labs, tree);
      }))
    return explain_program(places, asked);
  ExplainOptions options = asked;
  options.solutions |= names_solutions(asked.names, labs, tree).value_or(false);
  if (options.solutions && !fs::is_directory(tree / "solutions"))
    throw UsageError("This tree holds no solutions/ to explain.");
  const auto selections = select(options.names, labs, tree);
  warn_without_sandbox();
  if (!options.no_build) {
    for (const Selection& selection : selections) build_for(selection, options, places);
  }
  std::vector<sim::Explained> all;
  json written = json::array();
  int exit_code = exit_pass;
  for (const Selection& selection : selections) {
    const json entries = record(selection, options, places);
    for (const std::string& name : stage_names(selection)) {
      all.push_back(explained(selection, name, entries, tree, options.solutions));
      const sim::Explained& one = all.back();
      written.push_back({{"name", one.title},
                         {"verdict", one.verdict},
                         {"message", one.message},
                         {"comparison", one.comparison},
                         {"report", one.report}});
      if (one.verdict == name_of(Verdict::infrastructure)) {
        exit_code = exit_infrastructure;
      } else if (one.verdict != name_of(Verdict::pass) && exit_code == exit_pass) {
        exit_code = exit_short;
      }
    }
  }
  const TextStyle style = style_of(stdout);
  for (const sim::Explained& one : all)
    std::printf("%s%s", &one == &all.front() ? "" : "\n", sim::to_text(one, style).c_str());
  write_output(options.json, written.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  if (!options.html.empty()) write_output(options.html, sim::to_page(all));
  if (!options.html.empty()) std::printf("\nThe page is %s.\n", options.html.c_str());
  return exit_code;
}

}  // namespace gridstride::cli

// See the header.
#include "grader/tools/debug/recorded.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/trace/trace.h"
#include "grader/cli/build.h"
#include "grader/cli/handed_in.h"
#include "grader/cli/sandbox_warning.h"
#include "grader/cli/stage_builder.h"
#include "grader/compile/intake.h"
#include "grader/course/course.h"
#include "grader/report/results.h"
#include "grader/tools/trace/recording.h"
#include "grader/tools/trace/traced_stage.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

/// More than `lab trace` takes: nobody reads it from end to end.
constexpr std::uint64_t most_steps = 200'000, most_bytes = std::uint64_t{64} << 20;

/// The compiler saw a copy; a user's editor and breakpoints know the file itself.
void name_source(json& entry) {
  json& recorded = entry.at("recorded");
  if (recorded.is_null() || recorded.at("trace").is_null()) return;
  const fs::path source = entry.at("source").get<std::string>();
  for (json& op : recorded.at("trace").at("ops")) {
    if (fs::path(op.at(2).get<std::string>()).filename() == source.filename())
      op.at(2) = source.string();
  }
}

Recorded record_program_to_debug(const Places& places, const DebugOptions& options) {
  const TraceOptions& what = options.recorded;
  if (what.solutions || what.size || !what.one_case.empty() || !options.from.empty())
    throw UsageError("--solutions, --case, --size and --from are for labs, not for a program.");
  sim::TraceRequest request;
  request.registers = true;
  request.most_steps = most_steps;
  request.most_bytes = most_bytes;
  const auto [recorded, simulated] = record_program(places, what, std::move(request), true);
  Recorded result;
  result.title = fs::path(what.names.front()).filename().string();
  sim::Watched watched;
  watched.title = result.title;
  watched.sources = simulated.explained.sources;
  result.playback = playback_of(recorded, std::move(watched), what);
  result.exit_code = simulated.exit_code == 0 ? exit_pass : exit_short;
  return result;
}

/// The folder of the stage's library, which nobody else changes until it is recorded.
DebugBuild built(const Places& places, const DebugOptions& options, const std::string& lab,
                 const std::string& stage, const fs::path& handed_in) {
  const std::string kind = !options.from.empty()        ? "handed-in"
                           : options.recorded.solutions ? "solutions"
                                                        : "labs";
  if (!options.recorded.no_build) build(places.build(), lab, {"grader-" + lab});
  if (!refusal_of(handed_in / (stage + ".cu")).empty()) {  // the grader says so
    const fs::path folder = places.build() / "debug" / kind / lab;
    fs::create_directories(folder);
    return {folder, {}};
  }
  return build_to_debug(places.tree(), places.build(), kind, lab, stage, handed_in);
}

}  // namespace

Recorded record_to_debug(const Places& places, const DebugOptions& asked) {
  if (names_program(asked.recorded.names, places)) return record_program_to_debug(places, asked);
  DebugOptions options = asked;
  options.recorded = with_paths(asked.recorded, places);
  const TraceOptions& what = options.recorded;
  const fs::path tree = places.tree();
  if (what.solutions && !fs::is_directory(tree / "solutions"))
    throw UsageError("This tree holds no solutions/ to debug.");
  if (what.solutions && !options.from.empty())
    throw UsageError("--solutions and --from name two places for the same stage.");
  const Selection selection = select_stage(what.names, lab_names(places.build()), tree);
  warn_without_sandbox();
  const std::string& lab = selection.lab.name;
  const std::string stage = stage_names(selection).front();
  const fs::path handed_in = !options.from.empty()
                                 ? handed_in_for(lab, options.from)
                                 : tree / (what.solutions ? "solutions" : "labs") / lab;
  const DebugBuild library = built(places, options, lab, stage, handed_in);
  std::vector<std::string> more = {"--libraries",
                                   library.folder.string(),
                                   "--trace-registers",
                                   "--trace-steps",
                                   std::to_string(most_steps),
                                   "--trace-bytes",
                                   std::to_string(most_bytes)};
  if (!options.from.empty()) more.insert(more.end(), {"--handed-in", handed_in.string()});
  json entry = record_stage(lab, stage, what, places, more);
  name_source(entry);
  Recorded result;
  result.title = lab + "/" + stage;
  const std::string verdict = entry.at("verdict").get<std::string>();
  result.exit_code = exit_code_of(verdict);
  result.playback = playback_of_stage(entry, result.title, tree / "labs" / lab, what);
  if (!result.playback)
    result.words = result.title + ": " + verdict + "\n" + entry.at("message").get<std::string>() +
                   "\nNo kernel ran that could be recorded.";
  return result;
}

}  // namespace gridstride::cli

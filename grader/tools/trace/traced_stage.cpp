// See the header.
#include "grader/tools/trace/traced_stage.h"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/simulator/trace/trace.h"
#include "grader/cli/command.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr std::size_t largest_source = std::size_t{1} << 20;

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

sim::Playback playback_of(const json& recorded, sim::Watched watched, const TraceOptions& options) {
  watched.launches = launches_of(recorded);
  watched.hide_source = options.hide_source;
  if (recorded.at("trace").is_null()) {
    std::string words = recorded.at("problem").get<std::string>();
    if (words.empty() && options.launch)
      words = fmt::format("--launch {}: there is no such launch{}.", *options.launch,
                          options.kernel.empty() ? "" : " of '" + options.kernel + "'");
    if (words.empty()) words = "No launched kernel is called '" + options.kernel + "'.";
    words += " The launches were:";
    for (const std::string& launch : watched.launches) words += "\n  " + launch;
    throw UsageError(words);
  }
  return {sim::trace_of(recorded.at("trace")), std::move(watched)};
}

std::optional<sim::Playback> playback_of_stage(const json& entry, const std::string& title,
                                               const fs::path& headers,
                                               const TraceOptions& options) {
  if (entry.at("recorded").is_null()) return std::nullopt;
  sim::Watched watched;
  watched.title = title;
  watched.verdict = entry.at("verdict").get<std::string>();
  watched.message = entry.at("message").get<std::string>();
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
  watched.sources = sources_of(entry, headers);
  return playback_of(entry.at("recorded"), std::move(watched), options);
}

}  // namespace gridstride::cli

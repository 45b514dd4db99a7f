// lab bench: every solution beside the library a user would otherwise pick. Needs a real GPU.

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "common/terminal.h"
#include "grader/bench/ladder.h"
#include "grader/cli/build.h"
#include "grader/cli/gpu.h"
#include "grader/cli/output_file.h"
#include "grader/course/course.h"
#include "grader/report/results.h"
#include "grader/tools/commands.h"

namespace gridstride::cli {

namespace {

/// What picks the rows of the stages asked for; empty for all rows.
std::string filter_of(const std::vector<Selection>& selections) {
  std::string names;
  for (const Selection& selection : selections) {
    for (const std::string& stage : selection.stages) names += (names.empty() ? "" : "|") + stage;
  }
  return names.empty() ? "" : "--benchmark_filter=" + names;
}

}  // namespace

int bench(const Places& places, const BenchOptions& options) {
  if (options.raw && !options.html.empty())
    throw UsageError(
        "--raw leaves the output to Google Benchmark, so there is no page: one of both.");
  const auto selections = select(options.names, lab_names(places.build()), places.tree());
  if (options.names.size() > 1 && selections.size() > 1)
    throw UsageError("One lab at a time, or all of them.");
  const std::string filter = filter_of(selections);
  std::vector<std::string> labs;
  for (const Selection& selection : selections) labs.push_back(selection.lab.name);
  std::erase_if(labs, [&](const std::string& lab) {
    return !std::filesystem::exists(places.tree() / "solutions" / lab / "bench.cu");
  });
  if (labs.empty())
    throw std::runtime_error(
        "There is nothing to compare: bench.cu stands beside the solutions, "
        "which this tree does not hold.");
  const GpuStatus gpu = find_gpu();
  if (!gpu.available)
    throw std::runtime_error("bench compares real times and needs a GPU, but " + gpu.reason + ".");

  check_writable(options.html);
  std::vector<Ladder> ladders;
  int worst = exit_pass;
  for (const std::string& lab : labs) {
    if (!options.no_build) build(places.build(), "bench-" + lab, {"bench-" + lab});
    const TemporaryFolder scratch;
    const std::filesystem::path json = scratch.path() / "bench.json";
    Subprocess program;
    program.command = {places.program("bench-" + lab).string()};
    if (!filter.empty()) program.command.push_back(filter);
    program.command.insert(program.command.end(), options.arguments.begin(),
                           options.arguments.end());
    if (!options.raw) {
      program.command.insert(program.command.end(),
                             {"--benchmark_out=" + json.string(), "--benchmark_out_format=json"});
      program.on_line = [](std::string_view) {};  // the same in other words
    }
    if (!run_process(program).succeeded()) {
      worst = exit_infrastructure;
    } else if (!options.raw) {
      ladders.push_back(read_ladder(lab, read_file(json)));
      std::printf("%s\n", ladder_table(ladders.back(), style_of(stdout)).c_str());
      std::fflush(stdout);
    }
  }
  write_output(options.html, ladder_page(ladders));
  if (!options.html.empty()) std::printf("The page is %s.\n", options.html.c_str());
  return worst;
}

}  // namespace gridstride::cli

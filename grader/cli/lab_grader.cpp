// See the header.
#include "grader/cli/lab_grader.h"

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "common/simulator/link/host.h"
#include "grader/cli/build.h"
#include "grader/cli/gpu.h"
#include "grader/cli/handed_in.h"
#include "grader/cli/sandbox_warning.h"
#include "grader/cli/toolkit.h"
#include "grader/report/json.h"

namespace gridstride::cli {
namespace fs = std::filesystem;

void build_for(const Selection& selection, const GradeOptions& options, const Places& places) {
  const std::string& lab = selection.lab.name;
  const std::string kind = (options.solutions ? "solutions/" : "labs/") + lab;
  const fs::path sources = stages_folder(lab, options, places.tree());
  std::vector<std::string> stages = stages_to_build(kind, stage_names(selection), sources);
  stages.insert(stages.begin(), "stages/labs/" + lab + "/0_baseline.so");
  std::vector<std::string> programs = {"grader-" + lab};
  const bool elsewhere = !sim::link::host_in(options.device).empty();
  const std::string device_kind = sim::link::kind_in(options.device);
  const bool asks_for_gpu = device_kind == "gpu" && options.profile.empty();
  const bool may_use_gpu = device_kind == "auto" && options.profile.empty();
  if (asks_for_gpu || (may_use_gpu && (elsewhere || find_gpu().available)))
    programs.emplace_back("gridstride-gpu-device");
  if (elsewhere) programs.emplace_back("gridstride-link");
  build(places.build(), lab, programs, stages, sources,
        elsewhere && device_kind != "sim" ? gpus_elsewhere : 0);
}

Subprocess grader_of(const Selection& selection, const GradeOptions& options,
                     const Places& places) {
  Subprocess grader;
  // Who names the GPU to be simulated means the simulated one.
  const std::string device =
      options.profile.empty() ? options.device : sim::link::simulated(options.device);
  grader.command = {places.program("grade-" + selection.lab.name).string(), "--device", device};
  if (options.solutions) grader.command.push_back("--solutions");
  if (options.measure_only) grader.command.emplace_back("--measure-only");
  if (!options.from.empty())
    grader.command.insert(
        grader.command.end(),
        {"--handed-in", handed_in_for(selection.lab.name, options.from).string()});
  if (!options.profile.empty())
    grader.command.insert(grader.command.end(), {"--profile", options.profile});
  for (const std::string& option : sandbox_options()) grader.command.push_back(option);
  grader.command.insert(grader.command.end(), selection.stages.begin(), selection.stages.end());
  return grader;
}

namespace {

/// When a lab's grader ends without results: every stage asked for could not be graded.
Results not_graded(const Selection& selection, const std::string& message) {
  Results results;
  LabResult& lab = results.labs.emplace_back();
  lab.name = selection.lab.name;
  for (const std::string& name : stage_names(selection)) {
    const StageConfig& config = *selection.lab.stage(name);
    StageResult& stage = lab.stages.emplace_back();
    stage.name = name;
    stage.max_score = config.correctness_points + config.speed_points;
    stage.message = message;
  }
  results.total();
  return results;
}

}  // namespace

Results grade_lab(const Selection& selection, const GradeOptions& options, const Places& places) {
  const TemporaryFolder scratch;
  const fs::path json = scratch.path() / "results.json";
  Subprocess grader = grader_of(selection, options, places);
  const std::string program = grader.command.front();
  grader.command.insert(grader.command.end(), {"--json", json.string()});
  if (options.jobs)
    grader.command.insert(grader.command.end(), {"--jobs", std::to_string(*options.jobs)});
  grader.command.emplace_back("--no-table");  // one of all labs is shown at the end
  for (int i = 0; i < options.verbose; ++i) grader.command.emplace_back("--verbose");
  // What it says there is GoogleTest's and Google Benchmark's.
  if (options.verbose < 2) grader.on_line = [](std::string_view) {};
  std::fflush(stdout);
  const SubprocessResult ended = run_process(grader);
  if (ended.exit_code == exit_usage)
    throw std::runtime_error(program +
                             " and this program are of different versions: "
                             "build again, without --no-build.");
  if (!fs::exists(json))
    return not_graded(
        selection,
        fmt::format("grade-{} ended before it had results (exit code {}). What it said is above.",
                    selection.lab.name, ended.exit_code));
  return from_json(read_file(json));
}

}  // namespace gridstride::cli

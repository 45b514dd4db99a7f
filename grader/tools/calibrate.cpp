// lab calibrate: what each stage has to reach on the GPU at hand, measured with the solutions.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "common/terminal.h"
#include "common/text.h"
#include "grader/cli/gpu.h"
#include "grader/cli/lab_grader.h"
#include "grader/cli/output_file.h"
#include "grader/cli/progress/progress.h"
#include "grader/cli/sandbox_warning.h"
#include "grader/cli/toolkit.h"
#include "grader/course/course.h"
#include "grader/course/thresholds.h"
#include "grader/report/grid.h"
#include "grader/report/results.h"
#include "grader/report/table.h"
#include "grader/tools/commands.h"

namespace gridstride::cli {
namespace fs = std::filesystem;
namespace {

/// A stage's speedups, one a round, by "reduction/3_sequential".
using Measured = std::map<std::string, std::vector<Speedup>>;

/// "13.0", or nothing.
std::string toolkit_version() {
  const fs::path nvcc = find_nvcc();
  if (nvcc.empty()) return {};
  Subprocess process;
  process.command = {nvcc.string(), "--version"};
  std::string version;
  process.on_line = [&version](std::string_view line) {
    const std::string_view before = ", release ";
    const auto found = line.find(before);
    if (found == std::string_view::npos) return;
    line.remove_prefix(found + before.size());
    version = line.substr(0, line.find(','));
  };
  run_process(process);
  return version;
}

/// Throws where a solution did not pass, which no bound can follow from.
void add(const Results& results, Measured& measured) {
  for (const LabResult& lab : results.labs) {
    for (const StageResult& stage : lab.stages) {
      const std::string name = lab.name + "/" + stage.name;
      if (stage.verdict != Verdict::pass)
        throw std::runtime_error(
            fmt::format("The solution of {} does not pass on {} ({}), so nothing was written.\n{}",
                        name, results.device.name, name_of(stage.verdict), stage.message));
      if (stage.conditions && stage.conditions->other_processes > 0)
        throw std::runtime_error(fmt::format(
            "{} other processes used the GPU while {} was timed, so nothing was written. Calibrate "
            "when nothing else uses it.",
            stage.conditions->other_processes, name));
      if (stage.speedup) measured[name].push_back(*stage.speedup);
    }
  }
}

double median(std::vector<Speedup> rounds) {
  const auto middle = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
  std::ranges::nth_element(rounds, middle, {}, &Speedup::value);
  if (rounds.size() % 2 == 1) return middle->value;
  return (std::ranges::max_element(rounds.begin(), middle, {}, &Speedup::value)->value +
          middle->value) /
         2;
}

struct Bounds {
  std::map<std::string, StageThreshold> stages;
  /// What is to be said of the course on this GPU.
  std::vector<std::string> remarks;
};

/// Of one lab: bounds by the rule, and what does not hold here.
void set_bounds(const LabConfig& lab, const Measured& measured, Bounds& bounds) {
  std::map<std::string, std::string> last;  // stage by function
  for (const StageConfig& config : lab.stages) {
    const std::string name = lab.name + "/" + config.name;
    const auto own = measured.find(name);
    if (own == measured.end()) continue;
    const std::vector<Speedup>& rounds = own->second;
    const auto before = last.find(config.function);
    StageThreshold& stage = bounds.stages[name];
    stage.speedup = median(rounds);
    const double earlier = std::max(before == last.end() ? 1 : median(measured.at(before->second)),
                                    config.without_lesson * stage.speedup);
    stage.low = std::ranges::min_element(rounds, {}, &Speedup::low)->low;
    stage.high = std::ranges::max_element(rounds, {}, &Speedup::high)->high;
    stage.required = threshold_of(stage.speedup, earlier);
    const auto fastest = [&measured](const std::string& of) {
      return std::ranges::max_element(measured.at(of), {}, &Speedup::value)->value;
    };
    stage.earlier_passes = (before == last.end() ? 1 : fastest(before->second)) >= stage.required;
    if (stage.earlier_passes)
      bounds.remarks.push_back(fmt::format(
          "{}: {} would pass, too. Here its time does not show the lesson; its limits grade it.",
          name, before == last.end() ? "the baseline's code" : before->second + "'s code"));
    const auto misses = std::ranges::count_if(
        rounds, [&stage](const Speedup& round) { return round.low < stage.required; });
    if (misses > 0)
      bounds.remarks.push_back(fmt::format(
          "{}: the interval of {} of {} rounds reaches below what is needed: it varies too "
          "much on this GPU to be graded for speed.",
          name, misses, rounds.size()));
    last[config.function] = name;
  }
}

std::string table_of(const Bounds& bounds, const TextStyle& style) {
  GridColumn name{"stage", 0, false}, reached{"solution"}, between{"between", 1}, needs{"needs"};
  for (const auto& [stage, bound] : bounds.stages) {
    name.cells.push_back({stage, {}});
    reached.cells.push_back({factor(bound.speedup), {}});
    between.cells.push_back({factor(bound.low) + "–" + factor(bound.high), {}});
    needs.cells.push_back({factor(bound.required), {}});
  }
  return to_grid({name, reached, between, needs}, style);
}

void print_wrapped(const std::string& text) {
  for (const std::string& line : wrap(clean_text(text), style_of(stdout).width))
    std::printf("%s\n", line.c_str());
}

}  // namespace

int calibrate(const Places& places, const CalibrateOptions& options) {
  const fs::path tree = places.tree();
  if (!fs::is_directory(tree / "solutions"))
    throw UsageError(
        "calibrate measures the solutions, which this tree does not hold. Ask who gives the course "
        "for "
        "the file of your GPU, and put it into thresholds/.");
  const auto selections = select(options.names, lab_names(places.build()), tree);
  if (std::ranges::any_of(selections, [](const auto& one) { return !one.stages.empty(); }))
    throw UsageError(
        "calibrate takes whole labs: what a stage needs follows from the one before it.");
  const GpuStatus gpu = find_gpu();
  if (!gpu.available)
    throw std::runtime_error("calibrate measures times and needs a GPU, but " + gpu.reason + ".");
  check_writable(options.out);
  warn_without_sandbox();
  GradeOptions grading;
  grading.device = "gpu";
  grading.solutions = grading.measure_only = true;
  grading.no_build = options.no_build;
  if (!options.no_build)
    for (const Selection& selection : selections) build_for(selection, grading, places);

  Measured measured;
  DeviceThresholds found;
  for (int round = 1; round <= options.rounds; ++round) {
    for (const Selection& selection : selections) {
      std::fprintf(stderr, "Round %d of %d: %s\n", round, options.rounds,
                   selection.lab.name.c_str());
      const Results results = grade_lab(selection, grading, places);
      add(results, measured);
      found.device = results.device;
    }
  }
  Bounds bounds;
  for (const Selection& selection : selections) set_bounds(selection.lab, measured, bounds);

  const fs::path file = options.out.empty()
                            ? tree / "thresholds" / thresholds_file_name(found.device.name)
                            : fs::path(options.out);
  std::error_code missing;
  if (fs::exists(file, missing)) {
    const DeviceThresholds before = read_thresholds(file);
    if (before.device.name != found.device.name)
      throw UsageError(file.string() + " is of another GPU, " + clean_text(before.device.name) +
                       ". Name another file with --out.");
    found.stages = before.stages;
  }
  for (const auto& [name, stage] : bounds.stages) found.stages[name] = stage;
  found.device.toolkit = toolkit_version();
  found.date = time_stamp().substr(0, 10);
  found.command = "./lab calibrate";
  for (const std::string& name : options.names) found.command += " " + name;
  if (options.rounds != 3) found.command += " --rounds " + std::to_string(options.rounds);
  found.rounds = options.rounds;
  fs::create_directories(fs::absolute(file).parent_path());
  write_output(file.string(), to_toml(found));

  std::printf("%s\n", table_of(bounds, style_of(stdout)).c_str());
  for (const std::string& remark : bounds.remarks) print_wrapped(remark);
  print_wrapped(fmt::format("Grading on {} goes by {} from now on.", found.device.name,
                            file.lexically_normal().string()));
  return exit_pass;
}

}  // namespace gridstride::cli

// The schema of lab.toml, in the order an author writes it.
#include "grader/course/lab_config.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/text.h"
#include "grader/course/handout.h"
#include "grader/course/toml_reader.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

const std::vector<std::string> devices = {"gpu", "sim"};

/// A figure for each device: what is graded must be graded alike wherever it runs.
void require_both_devices(const std::map<std::string, double>& figures, const std::string& key,
                          const TomlReader& reader) {
  for (const std::string& device : devices) {
    const auto figure = figures.find(device);
    if (figure == figures.end() || figure->second <= 0)
      reader.fail_at(key, "expected '" + key + " = { gpu = …, sim = … }' with both above 0");
  }
}

/// <number>_<name>: the build finds stages by this pattern, and paths are made of it.
bool is_stage_name(const std::string& name) {
  const std::size_t digits = name.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string::npos && name[digits] == '_' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", digits) ==
             std::string::npos;
}

/// As the build reads it (common/cmake/GridstrideLab.cmake).
bool is_header_name(const std::string& name) {
  return (name.ends_with(".h") || name.ends_with(".cuh")) && !name.starts_with('.') &&
         name.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.") ==
             std::string::npos;
}

StageConfig read_stage(TomlReader& reader, const LabConfig& lab) {
  StageConfig stage;
  stage.name = reader.text("name");
  if (!is_stage_name(stage.name))
    reader.fail_at(
        "name", "expected a name such as '3_sequential', found '" + clean_text(stage.name) + "'");
  if (lab.stage(stage.name) != nullptr)
    reader.fail_at("name", "expected each stage once, found '" + stage.name + "' again");
  stage.title = reader.text("title");
  stage.function = reader.text_or("function", lab.function);

  auto points = reader.numbers("points", {"correctness", "speed"});
  stage.correctness_points = points["correctness"];
  stage.speed_points = points["speed"];
  if (stage.correctness_points <= 0)
    reader.fail_at("points",
                   "expected 'points = { correctness = …, speed = … }' with correctness above 0");
  stage.min_speedup = reader.numbers("min_speedup", devices);
  const auto on_simulator = stage.min_speedup.find("sim");
  if (stage.speed_points > 0 &&
      (on_simulator == stage.min_speedup.end() || on_simulator->second <= 0))
    reader.fail_at("min_speedup", "expected 'min_speedup = { sim = … }' above 0");
  stage.without_lesson = reader.number_or("without_lesson", 0);
  if (stage.without_lesson >= 1) reader.fail_at("without_lesson", "expected a share below 1");
  const double capability = 10 * reader.number_or("compute_capability", oldest_capability / 10.0);
  stage.compute_capability = static_cast<std::uint32_t>(std::lround(std::min(capability, 1e4)));
  if (stage.compute_capability < oldest_capability || stage.compute_capability > 500 ||
      std::abs(capability - stage.compute_capability) > 1e-6)
    reader.fail_at("compute_capability",
                   "expected a compute capability from 7.5 on, such as 8.0 or 9.0");
  stage.limits = reader.numbers("limits", counter_names());
  return stage;
}

}  // namespace

double LabConfig::max_score() const {
  double sum = 0;
  for (const StageConfig& each : stages) sum += each.correctness_points + each.speed_points;
  return sum;
}

const StageConfig* LabConfig::stage(const std::string& name) const {
  for (const StageConfig& each : stages) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

LabConfig load_lab_config(const fs::path& lab_folder) {
  const fs::path folder = fs::absolute(lab_folder).lexically_normal();
  LabConfig lab;
  lab.name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  const std::string shown = "labs/" + lab.name + "/lab.toml";
  const toml::table document = read_toml(folder / "lab.toml", shown);

  TomlReader reader(document, shown, "the lab");
  lab.title = reader.text("title");
  lab.function = reader.text("function");
  lab.headers = reader.texts("headers");
  for (const std::string& header : lab.headers) {
    if (!is_header_name(header))
      reader.fail_at("headers",
                     "expected names such as 'elements.cuh', found '" + clean_text(header) + "'");
  }
  lab.forbidden_headers = reader.texts("forbidden_headers");
  lab.tolerance = reader.numbers("tolerance");
  lab.relocatable_code = reader.flag("relocatable_code");
  lab.solution_after_pass = reader.flag("solution_after_pass", lab.solution_after_pass);
  lab.stage_seconds = reader.number_or("stage_seconds", lab.stage_seconds);
  if (lab.stage_seconds <= 0) reader.fail_at("stage_seconds", "expected 'stage_seconds' above 0");
  const auto sizes = reader.numbers("timing_size", devices);
  require_both_devices(sizes, "timing_size", reader);
  for (const auto& [device, size] : sizes) {
    if (size != std::floor(size) || size > 1e15)
      reader.fail_at("timing_size", "expected a whole number of elements for '" + device +
                                        "', found " + plain_number(size));
    lab.timing_size[device] = static_cast<std::int64_t>(size);
  }
  reader.tables("stage", [&](TomlReader& stage) { lab.stages.push_back(read_stage(stage, lab)); });
  reader.finish();
  return lab;
}

}  // namespace gridstride

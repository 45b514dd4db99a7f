// lab.toml: every number that a grade depends on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace gridstride {

/// lab.toml is not what it must be; what() is "labs/x/lab.toml:12:3: expected …, found …".
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Of the oldest GPU that CUDA 13 knows, Turing, which stages are compiled for.
inline constexpr std::uint32_t oldest_capability = 75;

struct StageConfig {
  std::string name;  ///< "3_sequential", also the file's name without .cu
  std::string title;
  std::string function;  ///< of the contract; the lab's unless the stage names its own
  double correctness_points = 0, speed_points = 0;
  /// Of the oldest GPU that runs it: what it is compiled for; 90 for 9.0. The build reads it.
  std::uint32_t compute_capability = oldest_capability;
  /// By device kind: "sim", and "gpu" where no file of thresholds/ knows the stage (thresholds.h).
  std::map<std::string, double> min_speedup;
  /// Share of its speedup that code without the lesson reaches, where no earlier stage is that code; 0: one is.
  double without_lesson = 0;
  std::map<std::string, double> limits;       ///< upper bound by counter name
};

struct LabConfig {
  std::string name, title;
  std::string function;
  /// What stages may include beside the contract's header; the build reads it.
  std::vector<std::string> headers;
  std::vector<std::string>
      forbidden_headers;  ///< where the names begin that no stage includes: "cub/"
  /// Stages are built with -rdc=true and device-linked: kernels launch kernels. The build reads it.
  bool relocatable_code = false;
  /// Who has passed a stage may see its solution, where the tree holds it (`lab solution`).
  bool solution_after_pass = true;
  std::map<std::string, double> tolerance;          ///< named by the lab's grader.cpp
  std::map<std::string, std::int64_t> timing_size;  ///< elements, by device kind
  /// What the calls of one stage may take together, of wall time. All 59 solutions of the course
  /// together need about as much as the default on the simulated device.
  double stage_seconds = 120;
  std::vector<StageConfig> stages;  ///< without the baseline, in order

  double max_score() const;
  const StageConfig* stage(const std::string& name) const;
};

/// Reads and checks one lab.toml. Unknown keys, wrong types, negative points, a stage twice, are
/// ConfigErrors that name file, line and what was expected. Whether the stages' files are there is
/// not asked: one that a student deleted costs that stage alone.
LabConfig load_lab_config(const std::filesystem::path& lab_folder);

}  // namespace gridstride

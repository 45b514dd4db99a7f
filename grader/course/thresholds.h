// thresholds/<device>.toml: what a GPU of one kind reaches with each stage, and what is required of it there.
//
// Speedups depend on how a GPU's memory, arithmetic and atomics compare, so a bound that is right on one
// GPU is wrong on another. `lab calibrate` measures and writes such a file; grading reads it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/report/results.h"

namespace gridstride {

/// What was measured of a stage, and what follows.
struct StageThreshold {
  /// Over the baseline: the median of the rounds, and the widest of their intervals.
  double speedup = 0, low = 0, high = 0;
  double required = 0;
  /// The stage before it, with the same function, would pass on this GPU: there its limits alone grade
  /// what the stage teaches.
  bool earlier_passes = false;
};

struct DeviceThresholds {
  DeviceDescription device;
  std::string date, command;  ///< when and by what it was measured
  int rounds = 0;
  std::map<std::string, StageThreshold> stages;  ///< by "reduction/3_sequential"
  std::filesystem::path file;                    ///< where it was read; not written
};

/// The rule. `own` is the speedup of the stage's solution, `before` of that of the stage before it with
/// the same function, 1 (the baseline) where there is none. Where a stage gains `gain_that_shows` over
/// the one before it, the geometric mean of both, so that the earlier code does not pass; else 0.8 of the
/// slower one, which only forbids being clearly slower. Rounded down to three digits.
double threshold_of(double own, double before);
inline constexpr double gain_that_shows = 1.3;

/// "nvidia-h200.toml" for "NVIDIA H200".
std::string thresholds_file_name(const std::string& device);

/// Throws ConfigError: file, line and what was expected.
DeviceThresholds read_thresholds(const std::filesystem::path& file);
std::string to_toml(const DeviceThresholds& thresholds);

/// All that `folder` holds, by name of file; none where there is no folder. Throws ConfigError.
std::vector<DeviceThresholds> all_thresholds(const std::filesystem::path& folder);

/// What grading on a GPU goes by.
struct ChosenThresholds {
  DeviceThresholds thresholds;
  bool estimated = false;  ///< measured on another kind of GPU
};

/// Those of `device` itself, by its name; else, as an estimate, those of the GPU whose ratios of
/// bandwidth, arithmetic and atomics are nearest to its own. None where `all` is empty.
std::optional<ChosenThresholds> choose_thresholds(const std::vector<DeviceThresholds>& all,
                                                  const DeviceDescription& device);

}  // namespace gridstride

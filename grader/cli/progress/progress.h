// What has passed, when, and how fast it was: the student's own memory, not a grade.
#pragma once

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>

#include "grader/report/results.h"

namespace gridstride::cli {

struct StageProgress {
  std::string passed;                     ///< first time, UTC: "2026-01-31T23:59:00Z"
  std::map<std::string, double> speedup;  ///< best over the baseline, by device kind ("gpu", "sim")
};

/// Of every stage that has passed, by name: "reduction/3_sequential".
using Progress = std::map<std::string, StageProgress>;

/// The file is there and is not what this program writes; it is left as it is. what() says which
/// file, why, and the repair.
class ProgressError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `state`/progress.json
std::filesystem::path progress_file(const std::filesystem::path& state);

/// What stands there; nothing where there is no file. Throws ProgressError.
Progress read_progress(const std::filesystem::path& state);

/// Adds the stages of `results` that pass, at `now` (as StageProgress::passed), and the best of
/// their speedups. Whole or not at all, and one after the other when several commands end at once.
/// What a later version of the course has added to the file stays. Throws ProgressError, and
/// std::runtime_error when it cannot be stored.
void remember_passes(const std::filesystem::path& state, const Results& results,
                     const std::string& now);

/// The time of now as it is stored.
std::string time_stamp();

}  // namespace gridstride::cli

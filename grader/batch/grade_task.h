// One student's one lab, graded as `lab grade --from` grades a folder: the same intake, the same compiler
// under guard, the same judge. What is different is where libraries stand: in a folder of the worker's, so
// that several workers share one build of the course.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "grader/cli/command.h"
#include "grader/compile/toolchain.h"
#include "grader/course/lab_config.h"
#include "grader/gradebook/gradebook.h"
#include "grader/report/results.h"

namespace gridstride {

/// What a worker grades with.
struct GradingRoom {
  cli::Places places;
  std::filesystem::path scratch;  ///< the worker's own folder
  std::string device;             ///< "gpu" or "sim"
  std::string host;  ///< that has it, which ssh reaches without a question; empty: this one
  int jobs = 1;      ///< cores: compilers at once, and calls on the simulated device
  /// Held while the judge is at work: the file of a GPU that several workers share. Empty: none do.
  std::filesystem::path gpu_lock;
  std::map<std::string, LabConfig> labs;
  std::map<std::string, std::string> versions;  ///< of the course, by lab
  Toolchain toolchain;
  std::uint32_t machine_code = 0;  ///< StageToBuild::machine_code
};

/// Finds compilers and versions for `labs`. Throws std::runtime_error with the repair.
GradingRoom grading_room(const std::vector<std::string>& labs, const std::string& device, int jobs,
                         const std::filesystem::path& scratch,
                         const std::filesystem::path& gpu_lock, const std::string& host = {});

/// On the simulated device verdicts of the same text by the same course are taken from `book`, unless the
/// task was asked for anew. What keeps a lab from being graded becomes the verdict of its stages. Throws
/// Interrupted.
LabResult grade_task(const Task& task, const GradingRoom& room, Gradebook& book);

}  // namespace gridstride

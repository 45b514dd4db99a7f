// From what an instructor downloads to what each student has handed in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/lab_config.h"
#include "grader/submissions/submission.h"

namespace gridstride {

struct IntakeOptions {
  std::vector<LabConfig> labs;      ///< all of the course
  std::vector<std::string> asked;   ///< of these, the ones that are graded; empty: all
  std::optional<std::int64_t> due;  ///< what comes later is late; seconds of the epoch
  /// Told whose submission is looked at.
  std::function<void(const std::string&)> on_student = [](const std::string&) {};
};

struct ClassIntake {
  Platform platform = Platform::folder;
  std::vector<Submission> submissions;  ///< by id, each student once
  std::vector<std::string> remarks;     ///< about what belongs to no student
};

/// Takes in `place`:
///
///  - a folder of students' folders and archives, named as they are;
///  - an export of Moodle, Canvas or Gradescope, as an archive or unpacked;
///  - a folder of clones, as GitHub Classroom's tools leave it;
///  - a list of repositories or folders, a line each, of which relative ones lie beside it.
///
/// Whatever is wrong with one student's is a remark of theirs and nobody else's. Throws
/// std::runtime_error when there is nothing at all to take in, SandboxError without a sandbox.
ClassIntake take_in_class(const std::filesystem::path& place, const IntakeOptions& options);

}  // namespace gridstride

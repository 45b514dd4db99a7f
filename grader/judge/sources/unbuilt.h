// Why a stage, or the baseline, has no library: what its build has left in its place says so.
#pragma once

#include <filesystem>
#include <string>

#include "grader/judge/runners/grading.h"
#include "grader/report/results.h"

namespace gridstride {

struct Unbuilt {
  Verdict verdict = Verdict::infrastructure;  ///< or compile_error
  std::string message;
};

/// Reads the files beside `library` (grader/compile/stage_files.h). Only what the compiler or the
/// linker said about the source is a compile error. Paths are cut to `tree` where they lie in it.
Unbuilt why_unbuilt(const std::filesystem::path& source, const std::filesystem::path& library,
                    const std::filesystem::path& tree);

/// Throws CannotGrade with the reason when the baseline of a stage has no library. The baseline is
/// the course's own, so even what the compiler says about its text is not the student's.
void need_baseline_library(const Grading& grading, const StageTask& task);

}  // namespace gridstride

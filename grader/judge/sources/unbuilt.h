// Why a stage, or the baseline, has no library: what its build has left in its place says so.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "grader/judge/runners/grading.h"
#include "grader/report/results.h"

namespace gridstride {

/// A library as it lay there, to tell it from one that is built in its place: that is another file.
struct LibraryFile {
  std::uintmax_t device = 0, number = 0, bytes = 0;
  std::int64_t seconds = 0, nanoseconds = 0;  ///< of its last change

  bool operator==(const LibraryFile&) const = default;
};
/// All 0 where there is none.
LibraryFile library_file(const std::filesystem::path& library);

struct Unbuilt {
  Verdict verdict = Verdict::infrastructure;  ///< or compile_error
  std::string message;
};

/// Why `task`'s library cannot be graded for the text that stands in its source now; nothing when it
/// was built from that very text. Times of files say nothing: whoever hands in sets them.
std::optional<Unbuilt> why_not_this(const StageTask& task, const std::filesystem::path& tree);

/// Reads the files beside `library` (grader/compile/stage_files.h). Only what the compiler or the
/// linker said about the source is a compile error. Paths are cut to `tree` where they lie in it.
Unbuilt why_unbuilt(const std::filesystem::path& source, const std::filesystem::path& library,
                    const std::filesystem::path& tree);

/// Throws CannotGrade with the reason when the baseline of a stage has no library. The baseline is
/// the course's own, so even what the compiler says about its text is not the student's.
void need_baseline_library(const Grading& grading, const StageTask& task);

}  // namespace gridstride

// The TODO that is still there, in words and as a place.
#pragma once

#include <optional>
#include <string>

#include "grader/judge/runners/grading.h"
#include "grader/report/results.h"

namespace gridstride {

/// Where the stage's text still has a TODO (first_todo()); nothing where it has none.
std::optional<Remark> open_todo(const StageTask& task);

/// "1_interleaved.cu:27 still has "TODO(1): the tree."."
std::string words_about(const Remark& todo);

}  // namespace gridstride

// Writes the calls that are timed to files, for whoever counts or times them with other tools.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "grader/judge/runners/grading.h"

namespace gridstride {

struct CallChoice {
  std::optional<std::int64_t> size;  ///< elements; else as lab.toml has it for the simulated device
  bool redrawn = false;  ///< not the first call, but one with what is drawn anew for each on a GPU
};

/// The timed call of `contract` as `folder`/FUNCTION.call (grader/runner/saved_call.h). The same
/// call whenever the seed is the same. Throws CannotGrade when the contract has none, std::runtime_error when the
/// file cannot be written.
void save_timed_call(const Grading& grading, const Contract& contract, const CallChoice& choice,
                     const std::filesystem::path& folder);

}  // namespace gridstride

// Writes the calls that are timed to files, for whoever counts or times them with other tools.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "grader/judge/runners/grading.h"

namespace gridstride {

/// The timed call of `contract` as `folder`/FUNCTION.call (grader/runner/saved_call.h), at `size`
/// elements or at the size that lab.toml names for the simulated device. The same call whenever the
/// seed is the same. Throws CannotGrade when the contract has none, std::runtime_error when the
/// file cannot be written.
void save_timed_call(const Grading& grading, const Contract& contract,
                     std::optional<std::int64_t> size, const std::filesystem::path& folder);

/// A call on a GPU, which has other inputs each time.
struct CallOnGpu {
  std::uint64_t seed = 0;
  int redraws = 0;  ///< since the first call
};

/// What the stage is timed on on a GPU as `folder`/STAGE.call; throws as save_timed_call() does.
void save_redrawn_call(const Grading& grading, const StageTask& task, const CallOnGpu& call,
                       const std::filesystem::path& folder);

}  // namespace gridstride

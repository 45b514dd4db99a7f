// A stage as it was handed out.
#pragma once

#include <filesystem>
#include <string>

namespace gridstride::cli {

struct Skeleton {
  std::string text;
  std::string origin;  ///< "commit 1a2b3c4 of 2025-01-31"
};

/// The skeleton of `file` ("labs/reduction/3_sequential.cu"), whatever the student has done to the
/// file and committed since.
///
/// In a handout: as it was packed. In a git tree: the newest version by somebody who wrote the lab (its lab.toml) and is not the
/// user, so that corrections the course made later count and the student's commits do not. Where
/// one person wrote all, as after GitHub's "use this template": the newest of the versions with the
/// most TODOs. In other trees: the copy that was kept when ./lab first ran there (state.h).
/// Throws std::runtime_error when there is none.
Skeleton find_skeleton(const std::filesystem::path& tree, const std::filesystem::path& state,
                       const std::string& file);

/// A tree that did not come by git has no history to take an untouched stage from. The first
/// command that runs in one keeps copies of `lab`'s stages in `state`/skeletons/; later calls do
/// nothing. Where nothing can be stored this is passed over: it must not keep anybody from being
/// graded.
void keep_skeletons(const std::filesystem::path& tree, const std::string& lab);

}  // namespace gridstride::cli

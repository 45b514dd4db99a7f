// What the program remembers about one tree: hints shown, backups, skeletons.
#pragma once

#include <filesystem>
#include <string>

namespace gridstride::cli {

/// The folder for it, made if need be: .lab/ in the tree; where the tree cannot be written to, one
/// under $XDG_STATE_HOME (~/.local/state) that is named after the tree's path. Throws
/// std::runtime_error when neither can be written to.
std::filesystem::path state_folder(const std::filesystem::path& tree);

/// How many hints of `stage` ("reduction/3_sequential") have been shown.
int hints_shown(const std::filesystem::path& state, const std::string& stage);
/// Throws std::runtime_error when it cannot be stored.
void remember_hints(const std::filesystem::path& state, const std::string& stage, int count);

}  // namespace gridstride::cli

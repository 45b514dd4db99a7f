// The list of commands that editors read, compile_commands.json, names whole paths: a handout learns them
// where it is unpacked.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridstride {

/// The entries of `list` that are about files of `labs`, with placeholders for `tree` and for the toolkit.
/// Throws nlohmann::json::exception when it is no such list.
std::string movable_editor_commands(const std::string& list, const std::filesystem::path& tree,
                                    const std::vector<std::string>& labs);

/// Writes the handout's list for `tree` and the toolkit that `nvcc` belongs to, unless it stands there.
/// Where it cannot, this is passed over: it must not keep anybody from being graded.
void write_editor_commands(const std::filesystem::path& tree, const std::filesystem::path& nvcc);

}  // namespace gridstride

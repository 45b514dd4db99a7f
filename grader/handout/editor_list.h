// The list of commands that editors read, compile_commands.json, names whole paths: it is packed without them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridstride {

/// The entries of `list` that are about files of `labs`, with placeholders for `tree` and for the toolkit.
/// Throws nlohmann::json::exception when it is no such list.
std::string movable_editor_commands(const std::string& list, const std::filesystem::path& tree,
                                    const std::vector<std::string>& labs);

}  // namespace gridstride

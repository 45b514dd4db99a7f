// The list of commands that editors read, compile_commands.json, names whole paths: a handout learns them
// where it is unpacked. editor_list.h packs it.
#pragma once

#include <filesystem>

namespace gridstride {

/// What stands in the packed list in place of the course's folder, and of the toolkit's.
inline constexpr const char *tree_placeholder = "{tree}", *toolkit_placeholder = "{toolkit}";

/// Writes the handout's list for `tree` and the toolkit that `nvcc` belongs to, unless it stands there.
/// Where it cannot, this is passed over: it must not keep anybody from being graded.
void write_editor_commands(const std::filesystem::path& tree, const std::filesystem::path& nvcc);

}  // namespace gridstride

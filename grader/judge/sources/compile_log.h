// The compiler's words, as short as a student needs them.
#pragma once

#include <filesystem>
#include <string>

namespace gridstride {

/// The first error of a log of nvcc, gcc or the linker: file and line, what it says, the source
/// line and the caret, at most 15 lines; then how many more there are. Paths are cut to the tree,
/// or to the file's name outside of it; control characters are gone. The lines are marked as
/// somebody else's words (quoted_lines()): `#error` can say anything.
std::string first_error(const std::string& log, const std::filesystem::path& tree);

}  // namespace gridstride

// Where things are: everything is found relative to the running program, so that a tree and its
// build folder can be copied to another machine.
#pragma once

#include <filesystem>

namespace gridstride {

/// The folder that holds the running program, symbolic links resolved.
std::filesystem::path program_folder();

/// The build folder: the parent of program_folder(), which holds bin/, lib/ and stages/.
std::filesystem::path build_folder();

/// The course's source tree: the nearest folder above `start` that holds both labs/ and
/// CMakePresets.json, or handout.json where it was handed out without sources. Throws std::runtime_error with the repair when there is none.
std::filesystem::path source_tree(const std::filesystem::path& start = program_folder());

}  // namespace gridstride

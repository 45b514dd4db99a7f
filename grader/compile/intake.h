// Takes in what was handed in: copies each stage's text into the build folder, where it is compiled.
//
// Students' files have any name, kind and time. The build never sees them: it knows the names that
// lab.toml gives, and compiles copies. A copy is written when the text has changed, and at no other
// time, so what is built anew follows from the text alone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridstride {

/// What is wrong with the file that was handed in for a stage, in words that begin with its name;
/// empty when it is a plain file of a stage's size. Neither opens it nor follows a link.
std::string refusal_of(const std::filesystem::path& file);

/// Brings `to`/<stage>.cu up to date with `from`/<stage>.cu for each of `stages`. In place of what
/// is missing or refused stands an #error that says so. Throws std::runtime_error when a copy cannot
/// be written.
void take_in(const std::filesystem::path& from, const std::filesystem::path& to,
             const std::vector<std::string>& stages);

}  // namespace gridstride

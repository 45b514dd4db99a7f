// Include directives that the preprocessor did not see and the compiler behind it would.
//
// nvcc hands gcc's output to two compilers that read directives again. `#define H #` and
// `H include "/…"` is no directive to gcc, so no list of dependencies names the file; behind gcc it
// is one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gridstride {

/// The first line of preprocessed text that begins as an include directive, or nothing. Lines of
/// string literals count too: where one ends, not all compilers agree.
std::optional<std::string> include_left_in(std::string_view preprocessed);

/// The same of all that nvcc has kept in `folder` (--keep): its files *.ii.
std::optional<std::string> hidden_include(const std::filesystem::path& folder);

}  // namespace gridstride

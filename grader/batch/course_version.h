// Which course graded: a name that follows from everything a grade of a lab depends on.
#pragma once

#include <filesystem>
#include <string>

namespace gridstride {

/// Sixteen hexadecimal digits, of the programs that grade, the lab's lab.toml, headers and baseline, and
/// the compiler's version. `tree` is the course, `build` its build folder, `nvcc` the compiler. Throws
/// std::runtime_error when one of the files cannot be read.
std::string course_version(const std::string& lab, const std::filesystem::path& tree,
                           const std::filesystem::path& build, const std::filesystem::path& nvcc);

}  // namespace gridstride

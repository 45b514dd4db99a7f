// Libraries of GPU code above the CUDA runtime, which the simulated GPU cannot run.
#pragma once

#include <string>
#include <vector>

namespace gridstride::cli {

/// What is to be said of a program that asks for these shared libraries ("libcublas.so.13", …): a
/// sentence for each that is such a library, with what to do. Empty when there is none.
std::string about_needed_libraries(const std::vector<std::string>& libraries);

/// The same of a source's text that includes their headers.
std::string about_included_libraries(const std::string& source);

}  // namespace gridstride::cli

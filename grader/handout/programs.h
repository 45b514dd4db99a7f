// Programs as they are handed out: without symbols, with the libraries that a bare machine lacks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridstride {

/// Copies `program` to `to`, without what only a debugger reads.
void copy_stripped(const std::filesystem::path& program, const std::filesystem::path& to);

/// The shared libraries that `program` needs of this machine, without those of every machine with a C++
/// compiler (the C and C++ libraries) and the CUDA runtime. Throws std::runtime_error that names one
/// that is not found.
std::vector<std::filesystem::path> libraries_of(const std::filesystem::path& program);

/// The newest version of the C library, "2.36", that one of these programs and libraries asks for: they
/// run where it is at least that.
std::string needed_glibc(const std::vector<std::filesystem::path>& programs);

}  // namespace gridstride

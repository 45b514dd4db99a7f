// Which shared libraries a program asks for: enough of the ELF format to answer that.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gridstride::cli {

/// The names in the DT_NEEDED entries of a 64-bit little-endian ELF file ("libcudart.so.13", …), in
/// their order; empty when the file is no such program, or is damaged. Nothing is executed.
std::optional<std::vector<std::string>> needed_libraries(const std::filesystem::path& program);

}  // namespace gridstride::cli

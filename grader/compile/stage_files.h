// The files beside a stage library that say what became of its build, by the library's path.
//
// Only compile-guard and `lab` write them: what is compiled in the sandbox reaches none of them.
#pragma once

#include <cstdint>
#include <filesystem>

namespace gridstride {

/// Bytes that a stage's source may have; the longest solution has some 10 KiB.
constexpr std::uintmax_t largest_stage_bytes = 1u << 20;

/// Why there is no library, in the compiler's or the linker's words about the source. Empty once
/// the source compiles.
inline std::filesystem::path log_of(std::filesystem::path library) {
  return library.replace_extension(".log");
}

/// What the compiler said of a source that it takes; absent when it said nothing.
inline std::filesystem::path warnings_of(std::filesystem::path library) {
  return library.replace_extension(".warnings");
}

/// Why there is no library though the source is not to blame, and the repair.
inline std::filesystem::path infrastructure_of(std::filesystem::path library) {
  return library.replace_extension(".infrastructure");
}

/// The text that library, log and warnings are about, byte for byte: what else stands in the source
/// by now has not been built. Absent when that is not known.
inline std::filesystem::path text_of(std::filesystem::path library) {
  return library.replace_extension(".text");
}

/// The files that the compiler opened for it beside the source itself, one a line: those of the
/// course by their path in the tree, all others by their whole path.
inline std::filesystem::path headers_of(std::filesystem::path library) {
  return library.replace_extension(".headers");
}

}  // namespace gridstride

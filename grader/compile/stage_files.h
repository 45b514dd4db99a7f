// The files beside a stage library that say what became of its build, by the library's path.
//
// Only compile-guard and `lab` write them: what is compiled in the sandbox reaches none of them.
#pragma once

#include <filesystem>

namespace gridstride {

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

}  // namespace gridstride

// For tests of lab debug: where the course and its programs are.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "common/files.h"

namespace gridstride {

namespace fs = std::filesystem;

using nlohmann::json;

inline const fs::path tree = GRIDSTRIDE_SOURCE_DIR, build = GRIDSTRIDE_BUILD_DIR;
inline const fs::path program = build / "bin/gridstride";

/// The number of the first line that holds `text`.
inline std::int64_t line_with(const fs::path& file, const std::string& text) {
  std::istringstream lines(read_file(file));
  std::int64_t number = 1;
  for (std::string line; std::getline(lines, line); ++number) {
    if (line.find(text) != std::string::npos) return number;
  }
  ADD_FAILURE() << file << " has no line with " << text;
  return 0;
}

}  // namespace gridstride

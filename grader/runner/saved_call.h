// A call in a file: its arguments with their contents, but no expected answer. What profilers and
// the simulated GPU are given when both are to count the same work.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "grader/runner/allocation.h"

namespace gridstride {

struct SavedArgument {
  Allocation allocation;
  /// Of an input, or an output's initial contents; empty when it has none. Not owned.
  std::span<const std::byte> data;
};

struct SavedCall {
  std::vector<SavedArgument> arguments;
  std::vector<std::byte> bytes;  ///< what the arguments' data point into
};

/// Throws std::runtime_error naming `file` when it cannot be written.
void save_call(const std::filesystem::path& file, std::span<const SavedArgument> arguments);

/// Throws std::runtime_error naming `file` when it cannot be read or is no saved call.
SavedCall load_call(const std::filesystem::path& file);

}  // namespace gridstride

// A compiler that the system stopped for want of memory: did the source ask for too much, or did
// the machine not have what a compiler may use?
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace gridstride {

/// What the kernel says of memory, before or after a command.
struct MemoryState {
  /// Processes that the out-of-memory killer ended: of the control group that we are in (it counts
  /// kills for whatever reason), absent where there is none; and on the whole machine.
  std::optional<std::uint64_t> kills_here;
  std::uint64_t kills = 0;
  std::uint64_t available_bytes = 0;
};

/// Reads /proc and /sys below `root`. What is not there counts as none.
MemoryState memory_state(const std::filesystem::path& root = "/");

/// Whether a command that our own limit of `promised_bytes` did not stop may have lost a process to
/// the out-of-memory killer. Without a control group the kill may have been a stranger's; then it
/// counts only where the machine had less than was promised to begin with.
bool ran_out_of_memory(const MemoryState& before, const MemoryState& after,
                       std::uint64_t promised_bytes);

}  // namespace gridstride

// How much memory the machine has, as the kernel says it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace gridstride {

/// Bytes that this process may have: the machine's, or the least limit of a control group
/// (version 2) that it is in. Reads /proc and /sys below `root`; 0 where those say nothing.
std::uint64_t host_memory(const std::filesystem::path& root = "/");

/// The folder of our control group below `root`; empty where there is none.
std::filesystem::path own_control_group(const std::filesystem::path& root);

/// The number behind a name at the start of a line of `file`, as in "oom_kill 3" or
/// "MemAvailable: 12 kB".
std::optional<std::uint64_t> number_behind(const std::filesystem::path& file,
                                           const std::string& name);

}  // namespace gridstride

// How many processors this process may use.
#pragma once

#include <filesystem>
#include <optional>

namespace gridstride {

/// The processors of the affinity mask, or fewer where a cgroup grants less time than that; at
/// least 1.
int available_cores();

/// The processors that the cgroup of a process may keep busy, rounded up: the smallest quota on the
/// way from its group to the root. `membership` is the process's /proc/PID/cgroup, `root` where the
/// unified hierarchy (version 2) is mounted. Nothing where none is set.
std::optional<int> cgroup_cores(const std::filesystem::path& membership,
                                const std::filesystem::path& root);

}  // namespace gridstride

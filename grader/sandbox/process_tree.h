// The processes below one process, as /proc tells.
#pragma once

#include <sys/types.h>

#include <vector>

namespace gridstride {

struct ProcessInfo {
  pid_t id = 0, parent = 0;
  unsigned threads = 0;
};

/// All processes that this one may see; those that end meanwhile are left out.
std::vector<ProcessInfo> list_processes();

/// Those of `all` that descend from `root`, `root` included.
std::vector<ProcessInfo> descendants(const std::vector<ProcessInfo>& all, pid_t root);

/// Lets this thread run before all that is not urgent, where the system allows it (to root):
/// whoever has to stop a fork bomb must not queue behind it. Children are not urgent.
void become_urgent();

/// Kills every process below this one, grandchildren that their parents left behind included, and
/// reaps them. The caller must be a subreaper, and have no children that it wants to keep.
void kill_all_children();

}  // namespace gridstride

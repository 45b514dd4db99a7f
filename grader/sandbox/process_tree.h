// The processes below one process, as /proc tells.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <unordered_set>
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

/// Looks at the descendants of one process again and again. Who is none is asked once: nobody becomes one but by being
/// started by one, and orphans stay below the process where that is a subreaper.
class ProcessTree {
 public:
  explicit ProcessTree(pid_t root) : root_(root) {}
  /// As descendants(), at this moment.
  std::vector<ProcessInfo> look();

 private:
  pid_t root_;
  std::unordered_set<pid_t> strangers_;  ///< of the last look
  std::chrono::steady_clock::time_point all_asked_;
};

/// Lets this thread run before all that is not urgent, where the system allows it (to root):
/// whoever has to stop a fork bomb must not queue behind it. Children are not urgent.
void become_urgent();

/// Kills every process below this one, grandchildren that their parents left behind included, and
/// reaps them. The caller must be a subreaper, and have no children that it wants to keep.
void kill_all_children();

}  // namespace gridstride

// Counters of /proc/vmstat, /proc/meminfo and the control group's memory.events.
#include "grader/compile/memory.h"

#include <cstdint>
#include <filesystem>

#include "common/host_memory.h"

namespace gridstride {
namespace fs = std::filesystem;

MemoryState memory_state(const fs::path& root) {
  MemoryState state;
  if (const fs::path group = own_control_group(root); !group.empty())
    state.kills_here = number_behind(group / "memory.events", "oom_kill");
  state.kills = number_behind(root / "proc/vmstat", "oom_kill").value_or(0);
  state.available_bytes = number_behind(root / "proc/meminfo", "MemAvailable:").value_or(0) << 10;
  return state;
}

bool ran_out_of_memory(const MemoryState& before, const MemoryState& after,
                       std::uint64_t promised_bytes) {
  if (before.kills_here && after.kills_here) return *after.kills_here > *before.kills_here;
  return after.kills > before.kills && before.available_bytes < promised_bytes;
}

}  // namespace gridstride

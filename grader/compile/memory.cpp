// Counters of /proc/vmstat, /proc/meminfo and the control group's memory.events.
#include "grader/compile/memory.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace gridstride {
namespace fs = std::filesystem;
namespace {

/// The number behind a name at the start of a line, as in "oom_kill 3" or "MemAvailable: 12 kB".
std::optional<std::uint64_t> number_of(const fs::path& file, const std::string& name) {
  std::ifstream lines(file);
  std::string word;
  while (lines >> word) {
    std::uint64_t number = 0;
    if (word == name && lines >> number) return number;
    std::getline(lines, word);
  }
  return std::nullopt;
}

/// The folder of our control group (version 2: "0::/user.slice/…").
fs::path control_group(const fs::path& root) {
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0::/")) return root / "sys/fs/cgroup" / line.substr(4);
  }
  return {};
}

}  // namespace

MemoryState memory_state(const fs::path& root) {
  MemoryState state;
  if (const fs::path group = control_group(root); !group.empty())
    state.kills_here = number_of(group / "memory.events", "oom_kill");
  state.kills = number_of(root / "proc/vmstat", "oom_kill").value_or(0);
  state.available_bytes = number_of(root / "proc/meminfo", "MemAvailable:").value_or(0) << 10;
  return state;
}

bool ran_out_of_memory(const MemoryState& before, const MemoryState& after,
                       std::uint64_t promised_bytes) {
  if (before.kills_here && after.kills_here) return *after.kills_here > *before.kills_here;
  return after.kills > before.kills && before.available_bytes < promised_bytes;
}

}  // namespace gridstride

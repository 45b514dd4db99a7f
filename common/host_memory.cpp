// /proc/meminfo, and memory.max of the control group and of those around it.
#include "common/host_memory.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace gridstride {
namespace fs = std::filesystem;

std::optional<std::uint64_t> number_behind(const fs::path& file, const std::string& name) {
  std::ifstream lines(file);
  std::string word;
  while (lines >> word) {
    std::uint64_t number = 0;
    if (word == name && lines >> number) return number;
    std::getline(lines, word);
  }
  return std::nullopt;
}

fs::path own_control_group(const fs::path& root) {
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {  // version 2: "0::/user.slice/…"
    if (line.starts_with("0::/")) return root / "sys/fs/cgroup" / line.substr(4);
  }
  return {};
}

std::uint64_t host_memory(const fs::path& root) {
  std::uint64_t bytes = number_behind(root / "proc/meminfo", "MemTotal:").value_or(0) << 10;
  const fs::path top = root / "sys/fs/cgroup";
  for (fs::path group = own_control_group(root); !group.empty(); group = group.parent_path()) {
    std::uint64_t most = 0;  // without a limit the file says "max"
    if (std::ifstream(group / "memory.max") >> most)
      bytes = bytes == 0 ? most : std::min(bytes, most);
    if (group == top || group == group.root_path()) break;
  }
  return bytes;
}

}  // namespace gridstride

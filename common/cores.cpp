// The scheduler's mask, and cpu.max of cgroups: https://docs.kernel.org/admin-guide/cgroup-v2.html
#include "common/cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace gridstride {
namespace fs = std::filesystem;
namespace {

/// "200000 100000", microseconds in each period, or "max 100000".
std::optional<int> quota_of(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  double quota = 0, period = 0;
  if (!(file >> quota >> period) || !(quota > 0) || !(period > 0)) return std::nullopt;
  return static_cast<int>(std::ceil(std::min(quota / period, 1e6)));
}

}  // namespace

std::optional<int> cgroup_cores(const fs::path& membership, const fs::path& root) {
  std::ifstream file(membership);
  std::string line, own;
  while (std::getline(file, line)) {
    if (line.starts_with("0::/")) own = line.substr(4);
  }
  std::optional<int> least = quota_of(root);
  fs::path group = root;
  for (const fs::path& name : fs::path(own)) {
    group /= name;
    if (const auto quota = quota_of(group)) least = std::min(*quota, least.value_or(*quota));
  }
  return least;
}

int available_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  const int cores = ::sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
  const auto granted = cgroup_cores("/proc/self/cgroup", "/sys/fs/cgroup");
  return std::max(1, std::min(cores, granted.value_or(cores)));
}

}  // namespace gridstride

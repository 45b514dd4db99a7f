// Groups are folders below a mount of cgroup2; what is written to their files is their limits.
#include "grader/sandbox/control_group.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "common/unique_fd.h"

namespace gridstride {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "gridstride-";

/// In one write, as the kernel wants it.
bool put(const fs::path& file, const std::string& text) {
  const UniqueFd opened(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return opened &&
         ::write(opened.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool has_controllers(const fs::path& group) {
  std::ifstream file(group / "cgroup.controllers");
  bool memory = false, pids = false;
  for (std::string name; file >> name;) {
    memory |= name == "memory";
    pids |= name == "pids";
  }
  return memory && pids;
}

/// The number that stands behind `name` in a file of lines "name number".
std::uint64_t number_of(const fs::path& file, const std::string& name) {
  std::ifstream lines(file);
  std::string word;
  for (std::uint64_t value = 0; lines >> word >> value;) {
    if (word == name) return value;
  }
  return 0;
}

struct Mount {
  fs::path root, point;  ///< of the hierarchy, and where that is seen
};

/// Of cgroup v2; an empty point where there is none.
Mount find_mount() {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const std::size_t separator = line.find(" - ");
    if (separator == std::string::npos || line.compare(separator, 11, " - cgroup2 ") != 0) continue;
    std::istringstream words(line);
    std::string id, parent, device, root, point;
    words >> id >> parent >> device >> root >> point;
    return {root, point};
  }
  return {};
}

/// The folder of the group that this process is in; empty where it is not seen.
fs::path own_group(const Mount& mount) {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::")) continue;
    const fs::path below = fs::path(line.substr(3)).lexically_relative(mount.root);
    if (below.empty() || *below.begin() == "..") return {};
    return (mount.point / below).lexically_normal();
  }
  return {};
}

/// What graders that were killed have left behind.
void remove_leftovers(const fs::path& parent) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(parent, failed)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const int owner = std::atoi(name.c_str() + prefix.size());
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) ::rmdir(entry.path().c_str());
  }
}

fs::path new_group(const fs::path& parent) {
  static std::atomic<unsigned> number = 0;
  const fs::path folder =
      parent / (std::string(prefix) + std::to_string(::getpid()) + "-" + std::to_string(number++));
  return ::mkdir(folder.c_str(), 0755) == 0 ? folder : fs::path();
}

bool can_enter(const fs::path& group) {
  const UniqueFd entrance(::open((group / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  if (!entrance) return false;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::write(entrance.get(), "0", 1) == 1 ? 0 : 1);
  int status = 1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

void remove_group(const fs::path& group) {
  // What was killed there may take a moment to be gone.
  for (int tries = 0; ::rmdir(group.c_str()) != 0 && errno == EBUSY && tries < 100; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

/// Whether groups with limits can be made below `parent`, and entered from where we are.
bool serves(const fs::path& parent) {
  // Where no process is in `parent` itself, or it is the root, its children may get the controllers.
  if (has_controllers(parent)) put(parent / "cgroup.subtree_control", "+memory +pids");
  const fs::path trial = new_group(parent);
  if (trial.empty()) return false;
  const bool usable = has_controllers(trial) && put(trial / "memory.max", "1073741824") &&
                      put(trial / "pids.max", "64") && can_enter(trial);
  remove_group(trial);
  return usable;
}

ControlGroupStatus probe_control_groups() {
  ControlGroupStatus status;
  const Mount mount = find_mount();
  if (mount.point.empty()) {
    status.reason = "no cgroup v2 is mounted";
    status.repair =
        "boot with systemd.unified_cgroup_hierarchy=1; in a container, show it "
        "/sys/fs/cgroup";
    return status;
  }
  const fs::path own = own_group(mount);
  std::error_code missing;
  if (own.empty() || !fs::is_directory(own, missing)) {
    status.reason = "the control group of this process is not seen here";
    status.repair = "in a container, start it with --cgroupns=private";
    return status;
  }
  for (fs::path parent = own;; parent = parent.parent_path()) {
    if (serves(parent)) {
      remove_leftovers(parent);
      status.parent = parent;
      return status;
    }
    if (parent == mount.point || parent == parent.parent_path()) break;
  }
  if (!has_controllers(mount.point)) {
    status.reason = "cgroup v2 does not control memory and processes here";
    status.repair = "boot with systemd.unified_cgroup_hierarchy=1";
  } else {
    status.reason = "no control group is delegated to this user";
    status.repair = "start it with systemd-run --user --scope --property=Delegate=yes";
  }
  return status;
}

}  // namespace

const ControlGroupStatus& control_group_status() {
  static const ControlGroupStatus status = probe_control_groups();
  return status;
}

std::unique_ptr<ControlGroup> ControlGroup::make(std::uint64_t memory_bytes, unsigned processes) {
  if (memory_bytes == 0 && processes == 0) return nullptr;
  const ControlGroupStatus& status = control_group_status();
  if (!status.available()) return nullptr;
  const fs::path folder = new_group(status.parent);
  if (folder.empty()) return nullptr;
  UniqueFd entrance(::open((folder / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  std::unique_ptr<ControlGroup> group(new ControlGroup(folder, std::move(entrance)));
  if (!group->entrance_) return nullptr;
  if (memory_bytes != 0 && !put(folder / "memory.max", std::to_string(memory_bytes)))
    return nullptr;
  if (processes != 0 && !put(folder / "pids.max", std::to_string(processes))) return nullptr;
  put(folder / "memory.swap.max", "0");   // there is none without swap
  put(folder / "memory.oom.group", "1");  // a stage of which a part is gone is of no use
  return group;
}

ControlGroup::ControlGroup(fs::path folder, UniqueFd entrance)
    : folder_(std::move(folder)), entrance_(std::move(entrance)) {}

ControlGroup::~ControlGroup() { remove_group(folder_); }

bool ControlGroup::ran_out_of_memory() const {
  return number_of(folder_ / "memory.events", "oom_kill") != 0;
}

bool ControlGroup::ran_out_of_processes() const {
  return number_of(folder_ / "pids.events", "max") != 0;
}

}  // namespace gridstride

// Bubblewrap: which namespaces and which files a program sees.
#include "grader/sandbox/bubblewrap.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace gridstride {
namespace fs = std::filesystem;
namespace {

constexpr const char* program = "/usr/bin/bwrap";

using Arguments = std::vector<std::string>;

/// User namespaces nest: what could make a new one would hold every capability in it again, so
/// nesting is switched off where bubblewrap and kernel can.
const Arguments strict_namespaces = {"--unshare-user", "--disable-userns"};
const Arguments plain_namespaces = {"--unshare-user-try"};

void append(Arguments& arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
}

void isolate(Arguments& arguments, const Arguments& user_namespace) {
  append(arguments, user_namespace);
  append(arguments, {"--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
                     "--unshare-cgroup-try", "--hostname", "gridstride", "--cap-drop", "ALL",
                     "--die-with-parent", "--new-session"});
}

const fs::path system_folders[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

bool lies_in(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

/// What the system's folders show need not be bound again, and could not be where the way to it
/// goes through symbolic links, as /usr/local/cuda does.
bool is_shown_anyway(const fs::path& path, const ChildOptions& options) {
  const auto holds = [&path](const fs::path& folder) { return lies_in(path, folder); };
  return (holds("/usr") || std::ranges::any_of(system_folders, holds)) &&
         std::ranges::none_of(options.hidden, holds);
}

void show_system(Arguments& arguments) {
  append(arguments, {"--ro-bind", "/usr", "/usr"});
  for (const fs::path& folder : system_folders) {
    std::error_code missing;
    if (fs::is_symlink(folder, missing)) {
      append(arguments, {"--symlink", fs::read_symlink(folder).string(), folder.string()});
    } else if (fs::is_directory(folder, missing)) {
      append(arguments, {"--ro-bind", folder.string(), folder.string()});
    }
  }
  for (const char* file : {"/etc/ld.so.cache", "/etc/alternatives"})
    append(arguments, {"--ro-bind-try", file, file});
}

SandboxStatus probe() {
  SandboxStatus status;
  std::error_code missing;
  if (!fs::exists(program, missing)) {
    status.reason = "bubblewrap is not installed";
    status.repair = "apt-get install bubblewrap";
    return status;
  }
  if (::access(program, X_OK) != 0) {
    status.reason = std::string("you may not run ") + program;
    status.repair =
        "ask whoever runs this machine for it: its package allows everybody (chmod 755)";
    return status;
  }
  ChildOptions trial;
  trial.policy = SandboxPolicy::off;
  trial.limits.wall_seconds = 10;
  trial.command = {program};
  isolate(trial.command, plain_namespaces);
  show_system(trial.command);
  append(trial.command, {"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "/usr/bin/true"});
  const ChildOutcome outcome = run_child(trial);
  if (outcome.succeeded()) {
    status.available = true;
    return status;
  }
  std::string words = outcome.errors.substr(0, outcome.errors.find('\n'));
  status.reason = "bubblewrap cannot make namespaces here (" +
                  (words.empty() ? outcome.describe(trial.limits) : words) + ")";
  status.repair =
      "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
      "kernel.apparmor_restrict_unprivileged_userns=0), or in a container add "
      "--security-opt seccomp=unconfined";
  return status;
}

const Arguments& user_namespace() {
  static const Arguments chosen = [] {
    ChildOptions trial;
    trial.policy = SandboxPolicy::off;
    trial.command = {program};
    isolate(trial.command, strict_namespaces);
    show_system(trial.command);
    append(trial.command, {"--proc", "/proc", "--dev", "/dev", "/usr/bin/true"});
    return run_child(trial).succeeded() ? strict_namespaces : plain_namespaces;
  }();
  return chosen;
}

}  // namespace

const SandboxStatus& sandbox_status() {
  static const SandboxStatus status = probe();
  return status;
}

std::vector<std::string> bubblewrap_command(const ChildOptions& options, bool filtered) {
  Arguments arguments = {program};
  isolate(arguments, user_namespace());
  if (filtered) append(arguments, {"--seccomp", std::to_string(3 + options.inherit.size())});
  show_system(arguments);
  append(arguments, {"--proc", "/proc", "--dev", "/dev"});
  // Files in memory count against nobody's limits, so each place that takes them is small.
  const std::string most = std::to_string(options.limits.file_bytes != 0 ? options.limits.file_bytes
                                                                         : std::uint64_t{1} << 30);
  append(arguments, {"--size", most, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"});
  append(arguments, {"--size", most, "--tmpfs", "/tmp"});
  for (const auto& folder : options.hidden)
    append(arguments, {"--size", "1048576", "--tmpfs", folder.string()});
  for (const auto& path : options.readable) {
    if (!is_shown_anyway(path, options))
      append(arguments, {"--ro-bind", path.string(), path.string()});
  }
  for (const auto& path : options.writable)
    append(arguments, {"--bind", path.string(), path.string()});
  append(arguments, {"--remount-ro", "/"});
  append(arguments, {"--chdir", options.working_folder.empty() ? std::string("/tmp")
                                                               : options.working_folder.string()});
  arguments.push_back("--");
  append(arguments, options.command);
  return arguments;
}

}  // namespace gridstride

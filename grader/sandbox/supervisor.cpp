// Starts the supervisor. We have threads, and memory that holds expected values: so it is a program
// of its own, not a fork of us. A fork may call nothing that takes a lock, malloc for one, which
// another thread may hold at that moment.
#include "grader/sandbox/supervisor.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "common/paths.h"
#include "grader/sandbox/process_tree.h"
#include "grader/sandbox/supervisor_protocol.h"

namespace gridstride {
namespace {

[[noreturn]] void cannot_start(const std::string& what, int error) {
  throw SandboxError("cannot start " + what + ": " + std::strerror(error));
}

struct Pipe {
  UniqueFd read, write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw SandboxError(std::string("cannot make a pipe: ") + std::strerror(errno));
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// The arguments of posix_spawn that say which descriptors the supervisor has, and that it has a
/// session of its own and no signal before it says what to do with signals.
class SpawnSetup {
 public:
  /// Descriptor i of the supervisor is descriptors[i] of ours.
  explicit SpawnSetup(const std::vector<int>& descriptors) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    const int count = static_cast<int>(descriptors.size());
    for (int target = 0; target < count; ++target) {
      // Moved out of the way first, so that no dup2 overwrites a descriptor still to be moved.
      moved_.emplace_back(
          ::fcntl(descriptors[static_cast<std::size_t>(target)], F_DUPFD_CLOEXEC, count));
      if (!moved_.back())
        throw SandboxError(std::string("cannot pass a descriptor: ") + std::strerror(errno));
      ::posix_spawn_file_actions_adddup2(&actions_, moved_.back().get(), target);
    }
    sigset_t all;
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  std::vector<UniqueFd> moved_;
};

unsigned threads_on_machine() {
  unsigned threads = 0;
  for (const ProcessInfo& process : list_processes()) threads += process.threads;
  return threads;
}

/// In the order of SupervisorArgument.
std::vector<std::string> supervisor_command(const ChildOptions& options,
                                            const std::string& working_folder,
                                            const Confinement& confinement) {
  const ResourceLimits& limits = options.limits;
  // The kernel counts all of a user's threads, ours and strangers' included, so this bound is loose
  // and only stops runaways between two looks of the watch, which counts exactly.
  const unsigned processes =
      limits.processes == 0 ? 0 : threads_on_machine() + limits.processes + 64;
  std::vector<std::string> command = {
      (build_folder() / "bin/gridstride-supervisor").string(),
      working_folder,
      std::to_string(static_cast<std::uint64_t>(std::ceil(limits.cpu_seconds))),
      std::to_string(limits.file_bytes),
      std::to_string(processes),
      std::to_string(limits.open_files),
      confinement.drop_root ? "1" : "0",
      std::to_string(3 + options.inherit.size()),
      confinement.filter >= 0 ? "1" : "0",
      confinement.group >= 0 ? "1" : "0",
      std::to_string(confinement.folders.size()),
      std::to_string(options.environment.size())};
  command.insert(command.end(), confinement.folders.begin(), confinement.folders.end());
  for (const auto& [name, value] : options.environment) command.push_back(name + "=" + value);
  command.insert(command.end(), options.command.begin(), options.command.end());
  return command;
}

/// What the supervisor says of its start: false when it ends before it says anything.
bool read_start(int fd, int& value) {
  ssize_t told;
  do {
    told = ::read(fd, &value, sizeof value);
  } while (told < 0 && errno == EINTR);
  return told == sizeof value;
}

}  // namespace

Supervisor start_supervisor(const ChildOptions& options, const std::string& working_folder,
                            const Confinement& confinement) {
  Pipe control = make_pipe(), report = make_pipe(), start = make_pipe();
  Pipe output = make_pipe(), errors = make_pipe();
  const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ::fcntl(output.read.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(errors.read.get(), F_SETFL, O_NONBLOCK);

  std::vector<std::string> command = supervisor_command(options, working_folder, confinement);
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);

  Supervisor supervisor;
  {
    const bool has_errors = ::fcntl(STDERR_FILENO, F_GETFD) >= 0;
    // In the order of SupervisorDescriptor.
    std::vector<int> descriptors = {
        control.read.get(), report.write.get(), has_errors ? STDERR_FILENO : nothing.get(),
        start.write.get(),  nothing.get(),      output.write.get(),
        errors.write.get()};
    descriptors.insert(descriptors.end(), options.inherit.begin(), options.inherit.end());
    if (confinement.filter >= 0) descriptors.push_back(confinement.filter);
    if (confinement.group >= 0) descriptors.push_back(confinement.group);
    const SpawnSetup setup(descriptors);
    const int error = ::posix_spawn(&supervisor.id, arguments[0], setup.actions(),
                                    setup.attributes(), arguments.data(), environ);
    if (error != 0) cannot_start(command.front(), error);
  }
  start.write.reset();
  supervisor.control = std::move(control.write);
  supervisor.report = std::move(report.read);
  supervisor.output = std::move(output.read);
  supervisor.errors = std::move(errors.read);
  report.write.reset();

  int running = 0, error = 0;
  const bool runs = read_start(start.read.get(), running);
  if (runs && !read_start(start.read.get(), error)) return supervisor;
  supervisor.control.reset();
  ::waitpid(supervisor.id, nullptr, 0);
  if (!runs) throw SandboxError(command.front() + " ended before it could start anything");
  cannot_start(options.command.front(), error);
}

}  // namespace gridstride

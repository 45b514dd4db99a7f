// A device program, with sockets and memory at the numbers where it looks for them.

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "common/shared_bytes.h"
#include "common/simulator/device/control.h"
#include "common/unique_fd.h"

namespace gridstride::sim {
namespace {

std::pair<UniqueFd, UniqueFd> socket_pair() {
  std::array<int, 2> fds{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) {
    throw DeviceProcessError(std::string("no socket for the device process: ") +
                             std::strerror(errno));
  }
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

// Where the child finds its sockets: above the standard streams, dup2 clears close-on-exec.
constexpr int child_client_fd = 3, child_control_fd = 4, child_shared_fd = 5;

/// File actions of posix_spawn.
class Actions {
 public:
  Actions() { posix_spawn_file_actions_init(&actions_); }
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  void dup(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
  void drop(int output) {
    posix_spawn_file_actions_addopen(&actions_, output, "/dev/null", O_WRONLY, 0);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

/// A copy of `fd` above those that the child uses, so that one dup2 cannot overwrite another's
/// source.
UniqueFd moved_up(int fd) {
  const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 10);
  if (copy < 0) throw DeviceProcessError("no file descriptor left for the device process");
  return UniqueFd(copy);
}

pid_t spawn(const DeviceProcessOptions& options, int client, int control, int shared) {
  std::vector<std::string> words = options.launcher;
  for (const std::string& word :
       {options.program.string(), std::string("--client"), std::to_string(child_client_fd),
        std::string("--control"), std::to_string(child_control_fd), std::string("--shared"),
        std::to_string(child_shared_fd), std::string("--schedule-seed"),
        std::to_string(options.schedule_seed), std::string("--instruction-budget"),
        std::to_string(options.instruction_budget)})
    words.push_back(word);
  words.insert(words.end(), options.options.begin(), options.options.end());
  if (!options.profile.empty()) {
    words.push_back("--profile");
    words.push_back(options.profile);
  }
  if (!options.trace.empty()) {
    words.push_back("--trace");
    words.push_back(options.trace.string());
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const UniqueFd client_copy = moved_up(client), control_copy = moved_up(control);
  const UniqueFd shared_copy = moved_up(shared);
  Actions actions;
  actions.dup(client_copy.get(), child_client_fd);
  actions.dup(control_copy.get(), child_control_fd);
  actions.dup(shared_copy.get(), child_shared_fd);
  if (options.silent) actions.drop(STDERR_FILENO);
  pid_t pid = -1;
  const int error =
      posix_spawn(&pid, arguments[0], actions.get(), nullptr, arguments.data(), environ);
  if (error != 0) {
    throw DeviceProcessError(words.front() + " cannot be started: " + std::strerror(error));
  }
  return pid;
}

}  // namespace

StartedDevice start_device(const DeviceProcessOptions& options, const SharedBytes& shared) {
  auto [client, client_child] = socket_pair();
  auto [control, control_child] = socket_pair();
  StartedDevice started;
  started.pid = spawn(options, client_child.get(), control_child.get(), shared.fd());
  started.client = std::move(client);
  started.control = std::move(control);
  return started;
}

}  // namespace gridstride::sim

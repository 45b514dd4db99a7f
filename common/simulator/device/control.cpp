// Starts a device process and speaks for the judge.
#include "common/simulator/device/control.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/simulator/device/blocking.h"
#include "common/simulator/device/packing.h"
#include "common/simulator/device/protocol.h"

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
  std::vector<std::string> words{options.program.string(),
                                 "--client",
                                 std::to_string(child_client_fd),
                                 "--control",
                                 std::to_string(child_control_fd),
                                 "--shared",
                                 std::to_string(child_shared_fd),
                                 "--schedule-seed",
                                 std::to_string(options.schedule_seed),
                                 "--instruction-budget",
                                 std::to_string(options.instruction_budget)};
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
    throw DeviceProcessError(options.program.string() +
                             " cannot be started: " + std::strerror(error));
  }
  return pid;
}

}  // namespace

std::vector<std::byte> DeviceProcess::ask(std::uint16_t number,
                                          const std::vector<std::byte>& payload) {
  if (pid_ < 0) throw DeviceProcessError("the device process was ended");
  const Deadline deadline = std::chrono::steady_clock::now() + timeout_;
  try {
    send_message(control_.get(), number, payload, deadline);
    Message reply = receive_message(control_.get(), wire::max_activity_bytes, deadline);
    if (reply.operation == static_cast<std::uint16_t>(wire::Reply::ok)) {
      return std::move(reply.payload);
    }
    wire::Reader reader(reply.payload);
    wire::In in{reader};
    wire::Failure failure;
    travel(in, failure);
    throw DeviceProcessRefused("the device process refused: " + failure.message, failure.code);
  } catch (const ConnectionTimeout&) {
    // A late answer would be taken for that of the next request.
    kill();
    throw DeviceProcessTimeout("the device process did not answer within " +
                               std::to_string(timeout_.count()) + " ms and was ended");
  } catch (const ConnectionLost&) {
    throw DeviceProcessError(how_it_ended());
  }
}

template <auto function, class... Arguments>
auto DeviceProcess::call(const Arguments&... arguments) {
  using Request = wire::RequestFor<function, wire::JudgeRequests>;
  try {
    const auto reply = ask(Request::number, Request::pack(arguments...));
    return Request::result(reply, arguments...);
  } catch (const wire::WireError& error) {
    throw DeviceProcessError(std::string("the device process broke the protocol: ") + error.what());
  }
}

DeviceProcess::DeviceProcess(const DeviceProcessOptions& options) : timeout_(options.timeout) {
  auto [client, client_child] = socket_pair();
  auto [control, control_child] = socket_pair();
  client_ = std::move(client);
  control_ = std::move(control);
  pid_ = spawn(options, client_child.get(), control_child.get(), shared_.fd());
  client_child.reset();
  control_child.reset();
  try {
    properties_ = call<&Device::properties>();
  } catch (...) {
    kill();
    throw;
  }
}

DeviceProcess::~DeviceProcess() { kill(); }

DeviceProcess::DeviceProcess(DeviceProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      client_(std::move(other.client_)),
      control_(std::move(other.control_)),
      shared_(std::move(other.shared_)),
      timeout_(other.timeout_),
      properties_(std::move(other.properties_)) {}

DeviceProcess& DeviceProcess::operator=(DeviceProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(client_, other.client_);
  std::swap(control_, other.control_);
  std::swap(shared_, other.shared_);
  std::swap(timeout_, other.timeout_);
  std::swap(properties_, other.properties_);
  return *this;
}

std::string DeviceProcess::how_it_ended() {
  int status = 0;
  if (pid_ < 0 || waitpid(pid_, &status, 0) != pid_) return "the device process was ended";
  pid_ = -1;
  if (WIFSIGNALED(status)) {
    return std::string("the device process was ended by a signal: ") + strsignal(WTERMSIG(status));
  }
  return "the device process ended with exit status " + std::to_string(WEXITSTATUS(status));
}

std::span<std::byte> DeviceProcess::share(std::uint64_t bytes) {
  try {
    return shared_.grow(bytes);
  } catch (const std::system_error& error) {
    throw DeviceProcessError(error.what());
  }
}

std::vector<DeviceAddress> DeviceProcess::begin_call(const std::vector<CallRegion>& regions) {
  auto addresses = call<&Device::begin_call>(regions);
  if (addresses.size() == regions.size()) return addresses;
  throw DeviceProcessError("the device process broke the protocol: other regions than asked for");
}

CallReport DeviceProcess::end_call() { return call<&Device::end_call>(); }

bool DeviceProcess::alive() {
  if (pid_ < 0) return false;
  if (waitpid(pid_, nullptr, WNOHANG) == 0) return true;
  pid_ = -1;
  return false;
}

void DeviceProcess::kill() noexcept {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace gridstride::sim

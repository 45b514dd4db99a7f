// A line to `gridstride-gpu-device --watch` for each look, and a line back.
#include "grader/judge/timing/linked_watch.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/unique_fd.h"

extern char** environ;

namespace gridstride {
namespace {

/// A look takes a way there and back, and NVML some milliseconds.
constexpr std::chrono::seconds longest_look{5};

class LinkedWatch final : public sim::GpuWatch {
 public:
  LinkedWatch(UniqueFd lines, pid_t pid) : lines_(std::move(lines)), pid_(pid) {
    const std::string about = line();
    ready_ = !about.empty();
    ecc_ = about.starts_with("ecc");
    mig_ = about.ends_with("mig");
  }
  ~LinkedWatch() override {
    lines_.reset();  // then it ends
    ::kill(pid_, SIGTERM);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  LinkedWatch(const LinkedWatch&) = delete;
  LinkedWatch& operator=(const LinkedWatch&) = delete;

  bool ready() const { return ready_; }
  sim::GpuSample sample() override {
    constexpr char ask = '\n';
    if (!ready_ || ::send(lines_.get(), &ask, 1, MSG_NOSIGNAL) != 1) return {};
    return sim::sample_in(line());
  }
  bool ecc() const override { return ecc_; }
  bool mig() const override { return mig_; }

 private:
  /// The next line; empty, and nothing more is asked, where none comes in time.
  std::string line() {
    const auto end = std::chrono::steady_clock::now() + longest_look;
    std::string text;
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      pollfd polled{.fd = lines_.get(), .events = POLLIN, .revents = 0};
      char letter = 0;
      if (left.count() <= 0 || ::poll(&polled, 1, static_cast<int>(left.count())) <= 0 ||
          ::read(lines_.get(), &letter, 1) != 1) {
        ready_ = false;
        return {};
      }
      if (letter == '\n') return text;
      text += letter;
    }
  }

  UniqueFd lines_;
  pid_t pid_;
  bool ready_ = true, ecc_ = false, mig_ = false;
};

}  // namespace

std::unique_ptr<sim::GpuWatch> watch_of_host(const sim::link::LinkHost& host,
                                             const std::string& pci_bus_id) {
  std::vector<std::string> words = host.running("gridstride-gpu-device --watch " + pci_bus_id);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::array<int, 2> fds{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) return nullptr;
  UniqueFd ours(fds[0]);
  const UniqueFd theirs(fds[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDOUT_FILENO);
  pid_t pid = -1;
  const int error =
      ::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return nullptr;
  auto watch = std::make_unique<LinkedWatch>(std::move(ours), pid);
  if (!watch->ready()) return nullptr;
  return watch;
}

}  // namespace gridstride

// posix_spawn, a pipe, and signals that reach the child before they end us.
#include "common/subprocess.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/unique_fd.h"

extern char** environ;

namespace gridstride {
namespace {

// What the handlers share with run_process(); signal handlers can reach nothing else.
volatile std::sig_atomic_t caught_signal = 0;
volatile pid_t running_child = 0;

void pass_on(int signal) {
  caught_signal = signal;
  if (running_child > 0) ::kill(running_child, signal);
}

/// SIGINT and SIGTERM go to the child while one of these lives.
class PassSignalsOn {
 public:
  PassSignalsOn() {
    struct sigaction action {};
    action.sa_handler = pass_on;
    ::sigaction(SIGINT, &action, &old_interrupt_);
    ::sigaction(SIGTERM, &action, &old_terminate_);
    caught_signal = 0;
  }
  ~PassSignalsOn() {
    running_child = 0;
    ::sigaction(SIGINT, &old_interrupt_, nullptr);
    ::sigaction(SIGTERM, &old_terminate_, nullptr);
  }
  PassSignalsOn(const PassSignalsOn&) = delete;
  PassSignalsOn& operator=(const PassSignalsOn&) = delete;

 private:
  struct sigaction old_interrupt_ {
  }, old_terminate_{};
};

class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  void duplicate(int from, int to) { ::posix_spawn_file_actions_adddup2(&actions_, from, to); }
  void discard(int fd) {
    ::posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_WRONLY, 0);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (added.count(std::string(text.substr(0, text.find('=')))) == 0) all.emplace_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> all;
  for (std::string& text : strings) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

void read_lines(int fd, const std::function<void(std::string_view)>& on_line) {
  std::string pending;
  char chunk[4096];
  for (;;) {
    const ssize_t count = ::read(fd, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    pending.append(chunk, static_cast<std::size_t>(count));
    for (std::size_t end; (end = pending.find('\n')) != std::string::npos;) {
      on_line(std::string_view(pending).substr(0, end));
      pending.erase(0, end + 1);
    }
  }
  if (!pending.empty()) on_line(pending);
}

}  // namespace

Interrupted::Interrupted(int signal)
    : std::runtime_error(signal == SIGINT ? "stopped by Ctrl-C" : "stopped by a signal"),
      signal_(signal) {}

SubprocessResult run_process(const Subprocess& process) {
  FileActions actions;
  UniqueFd read_end, write_end;
  if (process.on_line) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
    read_end.reset(ends[0]);
    write_end.reset(ends[1]);
    actions.duplicate(ends[1], STDOUT_FILENO);
  }
  if (process.merge_errors) actions.duplicate(STDOUT_FILENO, STDERR_FILENO);
  if (process.hide_errors) actions.discard(STDERR_FILENO);

  std::vector<std::string> arguments = process.command;
  std::vector<std::string> environment = environment_with(process.environment);
  const PassSignalsOn signals;
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments.at(0).c_str(), actions.get(), nullptr,
                                   pointers(arguments).data(), pointers(environment).data());
  if (error != 0)
    throw std::runtime_error("cannot run " + arguments[0] + ": " + std::strerror(error));
  running_child = child;
  write_end.reset();
  if (process.on_line) read_lines(read_end.get(), process.on_line);

  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  running_child = 0;
  if (caught_signal != 0) throw Interrupted(caught_signal);
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status)};
}

std::string output_of(const std::vector<std::string>& command) {
  if (find_program(command.at(0)).empty()) return {};
  std::string output;
  Subprocess process;
  process.command = command;
  process.hide_errors = true;
  process.on_line = [&output](std::string_view line) { output += std::string(line) + "\n"; };
  return run_process(process).succeeded() ? output : std::string();
}

std::filesystem::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return std::filesystem::path(::access(name.c_str(), X_OK) == 0 ? name : "");
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path candidate = std::filesystem::path(folder) / name;
    if (!folder.empty() && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace gridstride

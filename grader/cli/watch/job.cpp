// posix_spawn with two pipes. Signals are blocked here (watch.cpp), so the child gets an empty mask.
#include "grader/cli/watch/job.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

extern char** environ;

namespace gridstride::cli {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// Ours, and what is added to it.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!more.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : more) all.push_back(name + "=" + value);
  return all;
}

/// A pipe whose end to read from is `reading`; the other end is returned.
UniqueFd open_pipe(UniqueFd& reading) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  reading.reset(pipe[0]);
  ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  return UniqueFd(pipe[1]);
}

/// Appends what has been written; closes the pipe at its end.
void read_into(std::string& text, UniqueFd& pipe) {
  std::array<char, 4096> chunk;
  while (pipe) {
    const ssize_t count = ::read(pipe.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return pipe.reset();
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

Job::Job(const std::vector<std::string>& command,
         const std::map<std::string, std::string>& environment) {
  const UniqueFd output = open_pipe(output_fd_), errors = open_pipe(errors_fd_);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, output.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, errors.get(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);

  std::vector<std::string> words = command, variables = environment_with(environment);
  const int error = ::posix_spawn(&pid_, command.at(0).c_str(), &files, &attributes,
                                  pointers(words).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    pid_ = -1;
    throw std::runtime_error("cannot start " + command.at(0) + ": " + std::strerror(error));
  }
}

Job::~Job() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGTERM);
  output_fd_.reset();  // or it could wait for us to read
  errors_fd_.reset();
  reap(/*forced=*/true);
}

bool Job::take() {
  read_into(output_, output_fd_);
  read_into(errors_, errors_fd_);
  if (output_fd_ || errors_fd_) return false;
  reap(/*forced=*/false);
  return true;
}

/// `forced`: one that does not end within seconds is killed.
void Job::reap(bool forced) {
  constexpr timespec step{0, 10'000'000};
  constexpr int most_steps = 500;
  int status = 0;
  for (int i = 0; forced && i < most_steps; ++i) {
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return;
    }
    ::nanosleep(&step, nullptr);
  }
  if (forced) ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace gridstride::cli

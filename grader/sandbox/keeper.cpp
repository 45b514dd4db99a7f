// Fork, fork, exec; and the keeper's loop in between.
#include "grader/sandbox/keeper.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "grader/sandbox/process_tree.h"

namespace gridstride {
namespace {

struct Pipe {
  UniqueFd read, write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw SandboxError(std::string("cannot make a pipe: ") + std::strerror(errno));
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void limit(int resource, rlim_t soft, rlim_t hard) {
  const rlimit value{soft, hard};
  ::setrlimit(resource, &value);
}

/// Everything a child needs, made before the fork so that the child allocates nothing.
struct Image {
  std::vector<char*> arguments, environment;
  std::vector<std::string> variables;
  std::string working_folder;
  std::vector<int> descriptors;  ///< become 0, 1, 2, 3, …
  rlim_t cpu_seconds = 0, file_bytes = 0, processes = 0;
  bool drop_root = false;
};

/// A user that nobody else is, so that neither files nor processes of others can be touched; and
/// limits on processes do not hold for root. Where that is not allowed, all stays as it is.
void become_nobody() {
  const auto user = static_cast<uid_t>(61000 + ::getpid() % 4000);
  if (::setgroups(0, nullptr) == 0 && ::setresgid(user, user, user) == 0) [[maybe_unused]]
    const int refused = ::setresuid(user, user, user);
}

[[noreturn]] void become(Image& image, int failure_pipe) {
  ::setpgid(0, 0);
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);

  limit(RLIMIT_CORE, 0, 0);
  if (image.cpu_seconds != 0) limit(RLIMIT_CPU, image.cpu_seconds, image.cpu_seconds + 1);
  if (image.file_bytes != 0) limit(RLIMIT_FSIZE, image.file_bytes, image.file_bytes);
  if (image.processes != 0) limit(RLIMIT_NPROC, image.processes, image.processes);

  // Moved out of the way first, so that no dup2 overwrites a descriptor still to be moved.
  const int count = static_cast<int>(image.descriptors.size());
  for (int& fd : image.descriptors) fd = ::fcntl(fd, F_DUPFD, count + 1);
  failure_pipe = ::fcntl(failure_pipe, F_DUPFD_CLOEXEC, count + 1);
  for (int target = 0; target < count; ++target)
    ::dup2(image.descriptors[static_cast<std::size_t>(target)], target);
  ::dup2(failure_pipe, count);
  ::fcntl(count, F_SETFD, FD_CLOEXEC);
  ::close_range(static_cast<unsigned>(count) + 1, ~0u, 0);

  if (image.drop_root) become_nobody();
  if (::chdir(image.working_folder.c_str()) == 0)
    ::execve(image.arguments[0], image.arguments.data(), image.environment.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(count, &error, sizeof error);
  ::_exit(127);
}

/// Waits for the program's end or the control pipe's, whichever comes first.
KeeperReport keep(pid_t program, int control, int child_signals) {
  KeeperReport report;
  for (;;) {
    pollfd watched[] = {{control, POLLIN, 0}, {child_signals, POLLIN, 0}};
    ::poll(watched, 2, -1);
    signalfd_siginfo ignored;
    while (::read(child_signals, &ignored, sizeof ignored) > 0) {
    }
    // Orphans of the program come here too and are reaped on the way.
    for (pid_t gone; (gone = ::waitpid(-1, &report.wait_status, WNOHANG)) > 0;) {
      if (gone == program) return report;
    }
    if (watched[0].revents != 0) {
      report.stopped = true;
      return report;
    }
  }
}

[[noreturn]] void run_keeper(Image& image, int control, int report_pipe, int failure_pipe) {
  ::setsid();
  become_urgent();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_DUMPABLE, 0);  // what we were copied from knows the expected values
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_IGN);
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &child, nullptr);
  ::signal(SIGCHLD, SIG_DFL);

  const pid_t program = ::fork();
  if (program == 0) become(image, failure_pipe);
  if (program < 0) {
    const int error = errno;
    [[maybe_unused]] const ssize_t told = ::write(failure_pipe, &error, sizeof error);
    ::_exit(1);
  }
  ::setpgid(program, program);  // here as well, so that it holds before either goes on
  // Nothing else may be held open here: others wait for the ends of those descriptors.
  ::dup2(control, 0);
  ::dup2(report_pipe, 1);
  ::close_range(2, ~0u, 0);
  const int child_signals = ::signalfd(-1, &child, SFD_NONBLOCK);
  const KeeperReport report = keep(program, 0, child_signals);
  ::kill(-program, SIGKILL);  // all of its group at once, however fast they multiply
  kill_all_children();
  [[maybe_unused]] const ssize_t told = ::write(1, &report, sizeof report);
  ::_exit(0);
}

unsigned threads_on_machine() {
  unsigned threads = 0;
  for (const ProcessInfo& process : list_processes()) threads += process.threads;
  return threads;
}

}  // namespace

Keeper start_keeper(const ChildOptions& options, const std::string& working_folder, Bare bare) {
  Pipe control = make_pipe(), report = make_pipe(), failure = make_pipe();
  Pipe output = make_pipe(), errors = make_pipe();
  const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ::fcntl(output.read.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(errors.read.get(), F_SETFL, O_NONBLOCK);

  Image image;
  image.working_folder = working_folder;
  image.drop_root = bare.drop_root;
  for (const std::string& argument : options.command)
    image.arguments.push_back(const_cast<char*>(argument.c_str()));
  image.arguments.push_back(nullptr);
  for (const auto& [name, value] : options.environment)
    image.variables.push_back(name + "=" + value);
  for (std::string& variable : image.variables) image.environment.push_back(variable.data());
  image.environment.push_back(nullptr);
  image.descriptors = {nothing.get(), output.write.get(), errors.write.get()};
  image.descriptors.insert(image.descriptors.end(), options.inherit.begin(), options.inherit.end());
  image.cpu_seconds = static_cast<rlim_t>(std::ceil(options.limits.cpu_seconds));
  image.file_bytes = options.limits.file_bytes;
  // The kernel counts all of a user's threads, ours and strangers' included, so this bound is loose
  // and only stops runaways between two looks of the watch, which counts exactly.
  if (options.limits.processes != 0)
    image.processes = threads_on_machine() + options.limits.processes + 64;

  Keeper keeper;
  keeper.id = ::fork();
  if (keeper.id < 0)
    throw SandboxError(std::string("cannot start a process: ") + std::strerror(errno));
  if (keeper.id == 0)
    run_keeper(image, control.read.get(), report.write.get(), failure.write.get());
  failure.write.reset();
  keeper.control = std::move(control.write);
  keeper.report = std::move(report.read);
  keeper.output = std::move(output.read);
  keeper.errors = std::move(errors.read);
  report.write.reset();

  int error = 0;
  ssize_t told;
  do {
    told = ::read(failure.read.get(), &error, sizeof error);
  } while (told < 0 && errno == EINTR);
  if (told == sizeof error) {
    keeper.control.reset();
    ::waitpid(keeper.id, nullptr, 0);
    throw SandboxError("cannot start " + options.command.front() + ": " + std::strerror(error));
  }
  return keeper;
}

}  // namespace gridstride

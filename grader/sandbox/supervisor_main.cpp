// gridstride-supervisor: starts a program that nobody trusts, waits for it, and kills what it
// leaves behind. Its arguments and descriptors: supervisor_protocol.h.
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "grader/sandbox/landlock.h"
#include "grader/sandbox/process_tree.h"
#include "grader/sandbox/supervisor_protocol.h"

namespace {

using gridstride::SupervisorReport;

/// The program that this process becomes after a fork.
struct Executable {
  const char* working_folder = nullptr;
  std::vector<char*> arguments, environment, folders;  ///< each ends in a null pointer
  int descriptors = 0;                                 ///< a filter's and a group's included
  rlim_t cpu_seconds = 0, file_bytes = 0, processes = 0, open_files = 0;
  bool drop_root = false, filtered = false, grouped = false;
};

Executable executable_in(char** arguments) {
  const auto number = [arguments](gridstride::SupervisorArgument which) {
    return std::strtoull(arguments[which], nullptr, 10);
  };
  Executable executable;
  executable.working_folder = arguments[gridstride::supervisor_folder];
  executable.cpu_seconds = number(gridstride::supervisor_cpu_seconds);
  executable.file_bytes = number(gridstride::supervisor_file_bytes);
  executable.processes = number(gridstride::supervisor_processes);
  executable.open_files = number(gridstride::supervisor_open_files);
  executable.drop_root = number(gridstride::supervisor_drop_root) != 0;
  executable.filtered = number(gridstride::supervisor_filter) != 0;
  executable.grouped = number(gridstride::supervisor_group) != 0;
  executable.descriptors = static_cast<int>(number(gridstride::supervisor_descriptors)) +
                           static_cast<int>(executable.filtered) +
                           static_cast<int>(executable.grouped);
  char** folder = arguments + gridstride::supervisor_fixed_arguments;
  char** variable = folder + number(gridstride::supervisor_folders);
  executable.folders.assign(folder, variable);
  executable.folders.push_back(nullptr);
  char** command = variable + number(gridstride::supervisor_variables);
  executable.environment.assign(variable, command);
  executable.environment.push_back(nullptr);
  while (*command != nullptr) executable.arguments.push_back(*command++);
  executable.arguments.push_back(nullptr);
  return executable;
}

void say(int fd, int value) {
  [[maybe_unused]] const ssize_t told = ::write(fd, &value, sizeof value);
}

void limit(int resource, rlim_t soft, rlim_t hard) {
  const rlimit value{soft, hard};
  ::setrlimit(resource, &value);
}

/// A user that nobody else is, so that neither files nor processes of others can be touched; and
/// limits on processes do not hold for root. Where that is not allowed, all stays as it is.
void become_nobody() {
  constexpr uid_t first_user = 61000, users = 4000;  // above those that systems give out
  const uid_t user = first_user + static_cast<uid_t>(::getpid()) % users;
  if (::setgroups(0, nullptr) == 0 && ::setresgid(user, user, user) == 0) [[maybe_unused]]
    const int refused = ::setresuid(user, user, user);
}

/// No way to more rights than it has, and no system call that the filter in `file` refuses.
bool filter_system_calls(int file) {
  static sock_filter instructions[BPF_MAXINSNS];
  const ssize_t bytes = ::read(file, instructions, sizeof instructions);
  ::close(file);
  if (bytes <= 0) return false;
  const sock_fprog program{
      static_cast<unsigned short>(static_cast<std::size_t>(bytes) / sizeof(sock_filter)),
      instructions};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool enter_group(int entrance) {
  const bool entered = ::write(entrance, "0", 1) == 1;
  ::close(entrance);
  return entered;
}

[[noreturn]] void become(const Executable& executable) {
  ::setpgid(0, 0);
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);

  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_MSGQUEUE, 0, 0);
  if (executable.cpu_seconds != 0)
    limit(RLIMIT_CPU, executable.cpu_seconds, executable.cpu_seconds + 1);
  if (executable.file_bytes != 0) limit(RLIMIT_FSIZE, executable.file_bytes, executable.file_bytes);
  if (executable.processes != 0) limit(RLIMIT_NPROC, executable.processes, executable.processes);
  if (executable.open_files != 0)
    limit(RLIMIT_NOFILE, executable.open_files, executable.open_files);

  // The program's descriptors move down by `supervisor_program`, each to a place that is free by
  // then; what tells of a failure moves behind them all.
  const int count = executable.descriptors;
  const int start = ::fcntl(gridstride::supervisor_start, F_DUPFD_CLOEXEC,
                            gridstride::supervisor_program + count);
  for (int target = 0; target < count; ++target)
    ::dup2(gridstride::supervisor_program + target, target);
  ::dup3(start, count, O_CLOEXEC);
  ::close_range(static_cast<unsigned>(count) + 1, ~0u, 0);

  const bool grouped = !executable.grouped || enter_group(count - 1);
  const int filter = executable.grouped ? count - 2 : count - 1;
  if (executable.drop_root) become_nobody();
  if (grouped && ::chdir(executable.working_folder) == 0 &&
      (executable.folders.front() == nullptr ||
       gridstride::write_only_in(executable.folders.data())) &&
      (!executable.filtered || filter_system_calls(filter))) {
    ::execve(executable.arguments[0], executable.arguments.data(), executable.environment.data());
  }
  say(count, errno);
  ::_exit(127);
}

/// Waits for the program's end, the control pipe's or SIGTERM, whichever comes first.
SupervisorReport supervise(pid_t program, int signals) {
  SupervisorReport report;
  for (;;) {
    pollfd watched[] = {{gridstride::supervisor_control, POLLIN, 0}, {signals, POLLIN, 0}};
    ::poll(watched, 2, -1);
    bool told_to_stop = watched[0].revents != 0;
    signalfd_siginfo signal;
    while (::read(signals, &signal, sizeof signal) > 0) told_to_stop |= signal.ssi_signo == SIGTERM;
    // Orphans of the program come here too and are reaped on the way.
    for (pid_t gone; (gone = ::waitpid(-1, &report.wait_status, WNOHANG)) > 0;) {
      if (gone == program) return report;
    }
    if (told_to_stop) {
      report.stopped = true;
      return report;
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count <= gridstride::supervisor_fixed_arguments) {
    std::fprintf(stderr, "gridstride-supervisor is started by the graders, not by hand.\n");
    return 2;
  }
  const Executable executable = executable_in(arguments);
  ::close_range(static_cast<unsigned>(gridstride::supervisor_program + executable.descriptors), ~0u,
                0);
  gridstride::become_urgent();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_DUMPABLE, 0);  // the program must not write the report by way of our memory
  for (const int signal : {SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_IGN);
  sigset_t awaited;
  ::sigemptyset(&awaited);
  for (const int signal : {SIGCHLD, SIGTERM}) {
    ::sigaddset(&awaited, signal);
    ::signal(signal, SIG_DFL);
  }
  ::sigprocmask(SIG_SETMASK, &awaited, nullptr);
  say(gridstride::supervisor_start, 0);

  const pid_t program = ::fork();
  if (program == 0) become(executable);
  if (program < 0) {
    say(gridstride::supervisor_start, errno);
    return 1;
  }
  ::setpgid(program, program);  // here as well, so that it holds before either goes on
  // Nothing else may be held open here: others wait for the ends of those descriptors.
  ::close_range(gridstride::supervisor_report + 1, ~0u, 0);
  const int signals = ::signalfd(-1, &awaited, SFD_NONBLOCK);
  const SupervisorReport report = supervise(program, signals);
  ::kill(-program, SIGKILL);  // all of its group at once, however fast they multiply
  gridstride::kill_all_children();
  [[maybe_unused]] const ssize_t told =
      ::write(gridstride::supervisor_report, &report, sizeof report);
  return 0;
}

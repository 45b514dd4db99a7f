// ChildProcess: the thread that drains output and watches limits.
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/unique_fd.h"
#include "grader/sandbox/bubblewrap.h"
#include "grader/sandbox/control_group.h"
#include "grader/sandbox/held_memory.h"
#include "grader/sandbox/process_tree.h"
#include "grader/sandbox/sandbox.h"
#include "grader/sandbox/supervisor.h"
#include "grader/sandbox/supervisor_protocol.h"
#include "grader/sandbox/system_calls.h"

namespace gridstride {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using End = ChildOutcome::End;

constexpr auto shortest_pause = std::chrono::milliseconds(20);
constexpr auto longest_pause = std::chrono::milliseconds(100);
/// Looking through /proc may take one part in so many of a core, unless the pauses get too long.
constexpr int pause_per_look = 20;

/// When something is looked at again that took from `begin` until now to look at.
Clock::time_point next_look(Clock::time_point begin) {
  const auto end = Clock::now();
  return end +
         std::clamp<Clock::duration>((end - begin) * pause_per_look, shortest_pause, longest_pause);
}

/// Whether memory has been looked at is asked so often.
constexpr auto memory_pause = std::chrono::milliseconds(10);

/// bubblewrap itself: the outer process and the namespace's init.
constexpr unsigned sandbox_processes = 2;

/// Keeps the first `limit` bytes and drops the rest. False at the end of the stream.
bool drain(int fd, std::string& kept, bool& truncated, std::size_t limit) {
  char chunk[16 << 10];
  for (;;) {
    const ssize_t count = ::read(fd, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    const std::size_t room = limit - std::min(limit, kept.size());
    const auto size = static_cast<std::size_t>(count);
    kept.append(chunk, std::min(room, size));
    truncated |= size > room;
  }
}

/// Whether a user who owns nothing finds all that the program needs.
bool anybody_can_run(const ChildOptions& options) {
  if (!options.writable.empty() || !options.working_folder.empty()) return false;
  std::vector<fs::path> needed = options.readable;
  needed.emplace_back(options.command.front());
  needed.push_back(fs::temp_directory_path());
  return std::ranges::all_of(needed, [](fs::path path) {
    std::error_code failed;
    if ((fs::status(path, failed).permissions() & fs::perms::others_read) == fs::perms::none)
      return false;
    for (path = path.parent_path(); path != path.root_path(); path = path.parent_path()) {
      if ((fs::status(path, failed).permissions() & fs::perms::others_exec) == fs::perms::none)
        return false;
    }
    return !failed;
  });
}

/// Whether the files below a folder take more room than that; so many that nobody counts them do.
bool holds_more_than(const fs::path& folder, std::uint64_t bytes) {
  constexpr int most_files = 10'000;
  std::uint64_t sum = 0;
  int files = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    struct stat file {};
    if (::lstat(at->path().c_str(), &file) == 0)
      sum += static_cast<std::uint64_t>(file.st_blocks) * 512;
    if (sum > bytes || ++files > most_files) return true;
  }
  return false;
}

}  // namespace

struct ChildProcess::State {
  ResourceLimits limits;
  SystemCalls system_calls = SystemCalls::all;
  bool sandboxed = false;
  std::optional<TemporaryFolder> private_folder;  ///< stands in for the sandbox's own /tmp
  std::unique_ptr<ControlGroup> group;            ///< null where there are none
  Supervisor supervisor;
  std::optional<ProcessTree> tree;  ///< below the supervisor
  UniqueFd wake;
  std::atomic<bool> kill_requested{false}, done{false};
  ChildOutcome outcome;
  std::thread watch;
  std::atomic<std::uint64_t> peak_memory{0};
  Clock::time_point started = Clock::now();

  void run();
  std::optional<End> too_many(std::vector<pid_t>& processes);
  std::optional<End> too_much(const std::vector<pid_t>& processes);
  void finish(std::optional<End> stopped);
};

/// Looks at what runs below the supervisor; the limit that it exceeds, if any. Fills `processes`.
std::optional<End> ChildProcess::State::too_many(std::vector<pid_t>& processes) {
  // It would not grow any more, nor end.
  if (group && group->ran_out_of_processes()) return End::processes;
  processes.clear();
  unsigned threads = 0;
  for (const ProcessInfo& process : tree->look()) {
    if (process.id == supervisor.id) continue;
    processes.push_back(process.id);
    threads += process.threads;
  }
  if (limits.processes != 0 && threads > limits.processes + (sandboxed ? sandbox_processes : 0))
    return End::processes;
  return std::nullopt;
}

/// Looks at what they hold; the limit that it exceeds, if any.
std::optional<End> ChildProcess::State::too_much(const std::vector<pid_t>& processes) {
  const std::uint64_t memory = held_memory(processes);
  peak_memory = std::max(peak_memory.load(), memory);
  if (limits.memory_bytes != 0 && memory > limits.memory_bytes) return End::memory;
  if (private_folder && system_calls != SystemCalls::all && limits.file_bytes != 0 &&
      holds_more_than(private_folder->path(), limits.file_bytes))
    return End::files;
  return std::nullopt;
}

void ChildProcess::State::run() {
  const bool watched = limits.memory_bytes != 0 || limits.processes != 0;
  // Counting what a fork bomb holds would take longer than it needs to grow, and whoever reads what a
  // process has mapped waits while it forks. So that is another thread's, which nobody waits for.
  std::vector<pid_t> processes;
  auto processes_due = started, memory_due = started;
  std::future<std::optional<End>> memory;
  std::optional<End> stopped;
  bool output_open = true, errors_open = true;
  for (;;) {
    int wait_ms = -1;
    const auto now = Clock::now();
    if (!stopped) {
      if (kill_requested) stopped = End::killed;
      const std::chrono::duration<double> age = now - started;
      if (!stopped && limits.wall_seconds != 0) {
        const double left = limits.wall_seconds - age.count();
        if (left <= 0) stopped = End::wall_clock;
        wait_ms = static_cast<int>(std::min(left, 1000.0) * 1000) + 1;
      }
      if (!stopped && watched) {
        if (now >= processes_due) {
          stopped = too_many(processes);
          processes_due = next_look(now);
        }
        if (memory.valid() &&
            memory.wait_for(Clock::duration::zero()) == std::future_status::ready) {
          const auto seen = memory.get();
          memory_due = next_look(memory_due);
          if (!stopped) stopped = seen;
        }
        if (!stopped && !memory.valid() && now >= memory_due) {
          memory_due = Clock::now();
          memory = std::async(std::launch::async, [this, processes] {
            become_urgent();
            return too_much(processes);
          });
        }
        const auto next = std::min(processes_due, memory.valid() ? now + memory_pause : memory_due);
        const auto pause = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
        wait_ms =
            wait_ms < 0 ? static_cast<int>(pause) : std::min(wait_ms, static_cast<int>(pause));
      }
      if (stopped) {
        supervisor.control.reset();
        wait_ms = -1;
      }
    }
    pollfd polled[] = {{supervisor.report.get(), POLLIN, 0},
                       {output_open ? supervisor.output.get() : -1, POLLIN, 0},
                       {errors_open ? supervisor.errors.get() : -1, POLLIN, 0},
                       {stopped ? -1 : wake.get(), POLLIN, 0}};
    ::poll(polled, 4, wait_ms);
    if (polled[1].revents != 0)
      output_open = drain(supervisor.output.get(), outcome.output, outcome.output_truncated,
                          limits.output_bytes);
    if (polled[2].revents != 0)
      errors_open = drain(supervisor.errors.get(), outcome.errors, outcome.errors_truncated,
                          limits.output_bytes);
    if (polled[0].revents != 0) break;
  }
  drain(supervisor.output.get(), outcome.output, outcome.output_truncated, limits.output_bytes);
  drain(supervisor.errors.get(), outcome.errors, outcome.errors_truncated, limits.output_bytes);
  finish(stopped);
}

void ChildProcess::State::finish(std::optional<End> stopped) {
  SupervisorReport report;
  const bool reported = ::read(supervisor.report.get(), &report, sizeof report) == sizeof report;
  ::waitpid(supervisor.id, nullptr, 0);
  const std::chrono::duration<double> age = Clock::now() - started;
  outcome.wall_seconds = age.count();
  outcome.peak_memory_bytes = peak_memory;
  const int status = report.wait_status;
  if (!reported) {
    outcome.end = End::signalled;
    outcome.signal = SIGKILL;
  } else if (report.stopped &&
             !stopped) {  // not by us: StopChildrenOnSignal, or the program itself
    outcome.end = End::signalled;
    outcome.signal = SIGTERM;
  } else if (report.stopped) {
    outcome.end = *stopped;
  } else if (WIFSIGNALED(status)) {
    outcome.end = End::signalled;
    outcome.signal = WTERMSIG(status);
  } else {
    outcome.exit_code = WEXITSTATUS(status);
    // bubblewrap tells of its program's signal as shells do.
    if (sandboxed && outcome.exit_code > 128 && outcome.exit_code < 128 + NSIG) {
      outcome.end = End::signalled;
      outcome.signal = outcome.exit_code - 128;
      outcome.exit_code = 0;
    }
  }
  if (outcome.end == End::signalled && outcome.signal == SIGXCPU) outcome.end = End::cpu_time;
  if (group && !report.stopped) {
    if (group->ran_out_of_memory()) outcome.end = End::memory;
    if (group->ran_out_of_processes()) outcome.end = End::processes;
  }
  supervisor = {};
  done = true;
}

ChildProcess::ChildProcess(const ChildOptions& options) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.limits = options.limits;
  state.system_calls = options.system_calls;
  if (options.policy != SandboxPolicy::off) {
    const SandboxStatus& status = sandbox_status();
    state.sandboxed = status.available;
    if (!status.available && options.policy == SandboxPolicy::required)
      throw SandboxError(status.reason + ". Repair: " + status.repair);
  }
  ChildOptions own = options;
  std::string folder = "/";
  Confinement confinement;
  const ResourceLimits& limits = options.limits;
  // What the kernel counts beside what the watch does: page tables, stacks of the kernel, buffers.
  state.group = ControlGroup::make(
      limits.memory_bytes + limits.memory_bytes / 16,
      limits.processes == 0 ? 0 : limits.processes + (state.sandboxed ? sandbox_processes : 0));
  if (state.group) confinement.group = state.group->entrance();
  const bool filtered =
      options.system_calls != SystemCalls::all && why_no_system_call_filter().empty();
  const UniqueFd filter = filtered ? system_call_filter() : UniqueFd();
  if (state.sandboxed) {
    own.environment.try_emplace("TMPDIR", "/tmp");
    if (filtered) own.inherit.push_back(filter.get());
    own.command = bubblewrap_command(options, filtered);
  } else {
    state.private_folder.emplace();
    own.environment.try_emplace("TMPDIR", state.private_folder->path().string());
    folder = options.working_folder.empty() ? state.private_folder->path().string()
                                            : options.working_folder.string();
    confinement.drop_root = ::geteuid() == 0 && anybody_can_run(options);
    if (confinement.drop_root) fs::permissions(state.private_folder->path(), fs::perms::all);
    confinement.filter = filter.get();
    if (options.system_calls != SystemCalls::all) {
      confinement.folders.push_back(state.private_folder->path().string());
      for (const fs::path& path : options.writable) confinement.folders.push_back(path.string());
    }
  }
  state.wake = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  state.started = Clock::now();
  state.supervisor = start_supervisor(own, folder, confinement);
  state.tree.emplace(state.supervisor.id);
  state.watch = std::thread([&state] {
    // Signals belong to the thread that runs the grader.
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    become_urgent();
    state.run();
  });
}

ChildProcess::~ChildProcess() {
  if (!state_) return;
  kill();
  wait();
}

ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    if (state_) {
      kill();
      wait();
    }
    state_ = std::move(other.state_);
  }
  return *this;
}

void ChildProcess::kill() {
  state_->kill_requested = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t told = ::write(state_->wake.get(), &one, sizeof one);
}

bool ChildProcess::running() const { return !state_->done; }

bool ChildProcess::sandboxed() const { return state_->sandboxed; }

const ChildOutcome& ChildProcess::wait() {
  if (state_->watch.joinable()) state_->watch.join();
  return state_->outcome;
}

ChildOutcome run_child(const ChildOptions& options) { return ChildProcess(options).wait(); }

std::string ChildOutcome::describe(const ResourceLimits& limits) const {
  switch (end) {
    case End::exited:
      return fmt::format("ended with exit code {}", exit_code);
    case End::signalled:
      return fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
    case End::wall_clock:
      return fmt::format("took longer than {:g} s", limits.wall_seconds);
    case End::cpu_time:
      return fmt::format("used more than {:g} s of processor time", limits.cpu_seconds);
    case End::memory:
      return fmt::format("used more than {} MiB of memory", limits.memory_bytes >> 20);
    case End::processes:
      return fmt::format("started more than {} processes and threads", limits.processes);
    case End::files:
      return fmt::format("wrote more than {} MiB of files", limits.file_bytes >> 20);
    case End::killed:
      return "was stopped by the grader";
  }
  return {};
}

}  // namespace gridstride

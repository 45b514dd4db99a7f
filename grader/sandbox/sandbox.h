// Runs a program that nobody trusts: student code, or the compiler that reads it.
//
// Two layers. Bubblewrap, where it works, gives the program namespaces of its own: no network, no
// process but its own, a file system that holds the system's libraries and what is named here,
// nothing writable but a private /tmp. The second layer needs nothing from the system: limits on
// processor time, file size, memory, processes, wall clock and output, and a supervisor process
// that leaves nothing of the program behind, daemons and what ignores SIGTERM included.
//
// Address space is not limited: compilers and sanitizers reserve far more than they use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/sandbox/system_calls.h"

namespace gridstride {

/// Bubblewrap or nothing; bubblewrap where it works; only the second layer.
enum class SandboxPolicy { required, when_available, off };

/// Whether bubblewrap works on this machine. Found out once, by trying.
struct SandboxStatus {
  bool available = false;
  std::string reason;  ///< why not, one sentence; empty when available
  std::string repair;  ///< what to do about it, one sentence or command; empty when available
};
const SandboxStatus& sandbox_status();

/// The program could not be started: no sandbox under SandboxPolicy::required, no such program, out
/// of processes. Never the student's fault.
class SandboxError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Of the program and all that it starts, together. 0 means no limit of ours.
struct ResourceLimits {
  double wall_seconds = 10;
  double cpu_seconds = 0;                ///< of each process
  std::uint64_t memory_bytes = 0;        ///< of all kinds, watched every few milliseconds
  std::uint64_t file_bytes = 64u << 20;  ///< of each file, and of the private /tmp
  unsigned processes = 0;                ///< processes and threads
  unsigned open_files = 0;               ///< of each process, pipes and sockets included
  std::size_t output_bytes =
      64u << 10;  ///< kept of stdout and of stderr, each; the rest is dropped
};

struct ChildOptions {
  /// The program's path and its arguments.
  std::vector<std::string> command;
  /// The whole environment; nothing is inherited.
  std::map<std::string, std::string> environment;
  /// Files and folders seen read-only, at the paths they have outside. The system's own folders of
  /// programs and libraries (/usr, /lib…, the linker's cache, /etc/alternatives) need not be named.
  std::vector<std::filesystem::path> readable;
  /// Folders seen and writable, at the paths they have outside.
  std::vector<std::filesystem::path> writable;
  /// Folders that look empty, even where they lie below one that is readable.
  std::vector<std::filesystem::path> hidden;
  /// Where the program starts; empty: its private /tmp.
  std::filesystem::path working_folder;
  /// Descriptors of ours that the program gets, as 3, 4, …; they stay open here.
  std::vector<int> inherit;
  ResourceLimits limits;
  /// What it may ask of the system. But for `all`, it also writes nowhere but in `writable` and in
  /// its /tmp, with bubblewrap or, where the kernel has Landlock, without.
  SystemCalls system_calls = SystemCalls::all;
  SandboxPolicy policy = SandboxPolicy::when_available;
};

/// What became of a program.
struct ChildOutcome {
  enum class End {
    exited,      ///< by itself, with `exit_code`
    signalled,   ///< by `signal`
    wall_clock,  ///< stopped: took longer than limits.wall_seconds
    cpu_time,    ///< stopped: limits.cpu_seconds
    memory,      ///< stopped: limits.memory_bytes
    processes,   ///< stopped: limits.processes
    files,       ///< stopped: limits.file_bytes, of all files together
    killed,      ///< stopped by kill()
  };
  End end = End::exited;
  int exit_code = 0;
  int signal = 0;
  std::string output, errors;  ///< the first limits.output_bytes of stdout and stderr
  bool output_truncated = false, errors_truncated = false;
  double wall_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;  ///< as far as the watch saw it

  bool succeeded() const { return end == End::exited && exit_code == 0; }
  /// "was ended by signal 11 (Segmentation fault)", "used more than 512 MiB of memory", …
  std::string describe(const ResourceLimits& limits) const;
};

/// A running program. Output is drained and limits are watched by a thread of its own, so the owner
/// may block elsewhere. Destruction kills it. No part of it is alive after wait() has returned.
class ChildProcess {
 public:
  /// Starts the program; throws SandboxError.
  explicit ChildProcess(const ChildOptions& options);
  ~ChildProcess();
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;

  /// Stops the program and all that it started, at once. Safe to call at any time.
  void kill();
  /// True while any part of it runs.
  bool running() const;
  /// Waits for the end, by itself or by a limit.
  const ChildOutcome& wait();
  /// Whether bubblewrap is around it.
  bool sandboxed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Starts a program and waits for it.
ChildOutcome run_child(const ChildOptions& options);

}  // namespace gridstride

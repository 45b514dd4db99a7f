// The judge's end of a runner: starts it, asks it, and makes sense of how it ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/judge/cases/random.h"
#include "grader/judge/runners/installation.h"
#include "grader/judge/runners/stage_clock.h"
#include "grader/runner/arguments.h"
#include "grader/runner/protocol.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {

/// The runner cannot go on, or said that the stage failed.
class RunnerError : public std::runtime_error {
 public:
  enum class Kind {
    cuda,        ///< a CUDA error of the stage; `code` holds it
    exception,   ///< the stage threw
    not_loaded,  ///< its library does not load
    ended,       ///< the process is gone
    memory,      ///< stopped: too much memory
    processes,   ///< stopped: too many processes
    timed_out,   ///< no answer in time
    forged,      ///< bytes in the socket that the runner did not send
    refused,     ///< the runner itself could not do what the judge asked
  };
  RunnerError(Kind kind, const std::string& message, int code = 0)
      : std::runtime_error(message), kind_(kind), code_(code) {}
  Kind kind() const { return kind_; }
  int code() const { return code_; }

 private:
  Kind kind_;
  int code_;
};

struct RunnerOptions {
  const Installation* installation = nullptr;
  int device_socket = -1;                        ///< to the device process
  std::vector<std::filesystem::path> libraries;  ///< stage libraries that it may load
  std::shared_ptr<StageClock> clock;  ///< the stage's; null: no limit on its calls together
};

class RunnerClient {
 public:
  using Seconds = std::chrono::duration<double>;

  /// Throws CannotGrade, SandboxError.
  explicit RunnerClient(const RunnerOptions& options);
  ~RunnerClient();

  // Each throws RunnerError. After any kind but `cuda`, `exception` and `not_loaded` the runner is
  // gone; after `cuda` it may be of no use any more.

  /// Runs the library's constructors. Returns what its function takes.
  std::vector<ArgumentInfo> load(const std::filesystem::path& library, const std::string& function,
                                 Seconds limit);
  /// load(), and throws RunnerError where the function takes other arguments than the contract's.
  void load_stage(const std::filesystem::path& library, const std::string& function,
                  const std::vector<ArgumentInfo>& arguments);
  /// Starts CUDA, which is nobody's call.
  void start();
  /// Calls once, with arguments that lie on the device already. `limit` is of TimeTaken for `device`, the process.
  void call(const std::vector<protocol::Argument>& arguments, Seconds limit, pid_t device);

  /// Stops the process and returns what it wrote to stderr, cleaned.
  std::string stop();

 private:
  std::vector<std::byte> ask(protocol::Operation operation, protocol::Writer& arguments,
                             Seconds limit, std::size_t result_bytes, pid_t device = -1);
  [[noreturn]] void throw_ended(const std::string& during);

  std::shared_ptr<StageClock> clock_;
  Rng numbers_;
  ResourceLimits limits_;
  std::optional<protocol::Channel> channel_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace gridstride

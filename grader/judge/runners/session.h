// One stage, loaded into a runner of its own, and its calls.
//
// There are two kinds, and they differ in who holds a call's arguments and its clock. In a
// TrustedSession it is the device process, to which student code has no more access than to a GPU;
// in a ClaimedSession it is the runner, where student code can do anything, so that inputs are
// early and times are claims. A device process for a real GPU would make the second superfluous.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/device/device.h"
#include "grader/judge/cases/call.h"
#include "grader/judge/runners/installation.h"
#include "grader/judge/runners/runner_client.h"
#include "grader/judge/runners/stage_clock.h"
#include "grader/runner/arguments.h"

namespace gridstride {

struct SessionOptions {
  const Installation* installation = nullptr;
  bool gpu = false;
  std::filesystem::path library;
  std::string function;
  std::vector<ArgumentInfo> arguments;  ///< as the judge's contract has them
  std::shared_ptr<StageClock> clock;    ///< null: no limit on a stage's calls together
  // Of the simulated device:
  std::uint64_t schedule_seed = 0;
  std::uint64_t instruction_budget = 0;  ///< warp instructions of one launch
};

/// Bytes changed outside an argument's elements, where no kernel may write.
struct GuardDamage {
  std::size_t argument = 0;
  std::uint64_t before = 0, after = 0;  ///< bytes changed
};

struct ChangedInput {
  std::size_t argument = 0;
  std::uint64_t index = 0;  ///< of the first element changed
};

/// What one call did.
struct CallResult {
  std::optional<RunnerError> error;  ///< the call failed; what follows is then empty but `activity`
  std::vector<std::vector<std::byte>> outputs;  ///< one for each parameter, empty for others
  /// No byte of any output differs from what was there before the call, and there was one.
  bool untouched = false;
  std::vector<GuardDamage> damage;
  std::vector<ChangedInput> changed_inputs;
  std::optional<sim::Activity> activity;  ///< of the simulated device
  std::string said;                       ///< stderr of a runner that is gone, a few lines
};

class Session {
 public:
  using Seconds = RunnerClient::Seconds;

  virtual ~Session() = default;

  /// Makes ready for run() with the arguments of `call`; throws RunnerError.
  virtual void prepare(const Call& call) = 0;
  /// Fills outputs and scratch anew, calls once and verifies everything. After an error the session
  /// is of no more use.
  virtual CallResult run(const Call& call, Seconds limit) = 0;
};

/// Of the device that `options` name. Throws RunnerError (the library does not load), CannotGrade,
/// SandboxError.
std::unique_ptr<Session> open_session(const SessionOptions& options);

}  // namespace gridstride

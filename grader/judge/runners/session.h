// One stage, loaded into a runner of its own on a device of its own.
//
// The judge trusts what it computes from outputs, and on the simulated device what the device
// process tells it; all else a session returns are the runner's claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/simulator/device/control.h"
#include "common/simulator/device/device.h"
#include "grader/judge/cases/call.h"
#include "grader/judge/cases/suite.h"
#include "grader/judge/runners/installation.h"
#include "grader/judge/runners/runner_client.h"
#include "grader/judge/runners/stage_clock.h"
#include "grader/runner/arguments.h"
#include "grader/runner/protocol.h"

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

/// What the runner is to allocate for an argument, or the value that it is to pass.
protocol::Allocation allocation_for(const CallArgument& argument, std::uint64_t guard_bytes);

class Session {
 public:
  using Seconds = RunnerClient::Seconds;

  /// Throws RunnerError (the library does not load), CannotGrade, SandboxError.
  explicit Session(const SessionOptions& options);

  /// Allocates the arguments of `call` and copies its inputs to the device; throws RunnerError.
  void prepare(const Call& call);
  /// Fills outputs and scratch anew, calls once and verifies everything. `cold` empties the
  /// simulated L2 first. After an error the session is of no more use.
  CallResult run(const Call& call, Seconds limit, bool cold = false);

  // On a real device. All throw RunnerError.

  /// Writes what was redrawn over the inputs, and sentinels over the outputs.
  void apply(const Call& call, const Redraw& redraw);
  /// Launches back to back; `flush_bytes` are overwritten before them.
  protocol::Timing time(std::uint64_t flush_bytes, std::uint32_t launches, Seconds limit);
  /// The outputs, without a check of anything else.
  CallResult outputs(const Call& call);
  /// Inputs and guard bands after timed calls.
  CallResult inspect(const Call& call);

 private:
  void refill(const Call& call);
  void verify(const Call& call, CallResult& result);
  void verify_output(const CallArgument& argument, std::size_t index, CallResult& result);
  void verify_input(const CallArgument& argument, std::size_t index, CallResult& result);
  CallResult failed(RunnerError error);

  std::optional<sim::DeviceProcess> device_;  ///< outlives the runner, which holds its socket
  std::unique_ptr<RunnerClient> runner_;
  std::vector<protocol::Allocation> allocations_;
  std::vector<std::byte> sentinels_;  ///< what each argument's allocation is filled with
  std::uint64_t guard_bytes_;
};

}  // namespace gridstride

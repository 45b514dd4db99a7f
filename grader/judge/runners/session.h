// One stage, loaded into a runner of its own, and its calls on a device process that nobody but the
// judge commands: that of the simulated GPU, or that of a real one.
//
// The device process makes the memory of a call's arguments, puts the inputs there and starts the
// clock in one step, and stops the clock and takes the outputs in another; bytes come and go through
// memory that judge and device process share. The runner is told where the arguments lie once the
// clock runs, and to call. What it says is not believed where it could gain by it: a runner that
// calls twice, early, never, or claims to have returned, gets what the device did in the meantime.
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
#include "grader/judge/runners/grading.h"
#include "grader/judge/runners/installation.h"
#include "grader/judge/runners/runner_client.h"
#include "grader/judge/runners/stage_clock.h"
#include "grader/runner/allocation.h"
#include "grader/runner/arguments.h"
#include "grader/runner/protocol.h"

namespace gridstride {

struct SessionOptions {
  const Installation* installation = nullptr;
  bool gpu = false;  ///< a real one
  std::filesystem::path library;
  std::string function;
  std::vector<ArgumentInfo> arguments;  ///< as the judge's contract has them
  std::shared_ptr<StageClock> clock;    ///< null: no limit on a stage's calls together
  /// A device process of the same kind, taken in place of a new one as long as it runs. Null: always a new one.
  std::shared_ptr<sim::DeviceProcess> started;
  // Of the simulated device:
  std::uint64_t schedule_seed = 0;
  std::uint64_t instruction_budget = 0;  ///< warp instructions of one launch
  /// After a call that did not end, ask the device what it was asked to do: where a kernel runs, it
  /// does not answer, and that takes as long as a request may.
  bool look_after_timeout = false;
  std::filesystem::path trace;  ///< DeviceProcessOptions::trace
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
  /// One for each parameter, empty for others and where nobody wanted to look.
  std::vector<std::vector<std::byte>> outputs;
  /// No byte of any output differs from what was there before the call, and there was one, which
  /// was looked at.
  bool untouched = false;
  std::vector<GuardDamage> damage;
  std::vector<ChangedInput> changed_inputs;
  std::optional<sim::Activity> activity;
  std::string said;  ///< stderr of a runner that is gone, a few lines
};

/// What is looked at after a call, beside what takes no time: the guard bands, and what the device
/// says of itself. It is decided before the call, and the runner cannot know.
struct Look {
  bool outputs = true;  ///< brought to the judge
  bool inputs = true;   ///< held against what was given
};

class Session {
 public:
  using Seconds = RunnerClient::Seconds;

  /// Starts the device process. Throws CannotGrade, sim::DeviceLinkLost.
  explicit Session(const SessionOptions& options);

  // The rest throws sim::DeviceProcessError when the device process fails.

  /// Starts the runner and loads the library, whose code may ask the device for anything from here
  /// on. Must come before run(). Throws RunnerError (the library does not load), CannotGrade,
  /// SandboxError.
  void load();
  /// Makes ready for run() with the arguments of `call`: their contents are copied to where the
  /// device process finds them.
  void prepare(const Call& call);
  /// Changes the contents that prepare() has copied. Throws std::logic_error where something else
  /// than elements of an input is written.
  void apply(const Call& call, const Redraw& redraw);
  /// Whether calls can be made: load() has succeeded, and no call has failed since.
  bool usable() const { return usable_; }
  /// Has the device process fill all arguments anew, and calls once. After an error the session is
  /// of no more use.
  CallResult run(const Call& call, Seconds limit, Look look = {}) {
    return result(call, this->call(limit, look), look);
  }

  /// run() in two steps, the first with all that needs the device. `look` is the same in both, and
  /// `call` what prepare() was given.
  struct Called {
    sim::CallReport report;
    CallResult failure;  ///< has an error, or there was none
  };
  Called call(Seconds limit, Look look);
  CallResult result(const Call& call, Called called, Look look);

 private:
  /// Returns what the stage is to be called with. Throws RunnerError.
  std::vector<protocol::Argument> begin(Look look);
  /// Throws RunnerError.
  sim::CallReport end();
  CallResult failed(const RunnerError& error);
  /// Ends both processes.
  void give_up(const RunnerError& error, CallResult& result);

  SessionOptions options_;
  sim::DeviceProcess device_;             ///< outlives the runner, which holds its socket
  std::unique_ptr<RunnerClient> runner_;  ///< null until load()
  std::vector<Allocation> allocations_;
  /// One for each argument, of no bytes for a scalar; with all that can be looked at.
  std::vector<sim::CallRegion> regions_;
  std::uint64_t shared_bytes_ = 0;  ///< that the regions refer to
  bool usable_ = false;
};

/// How the device process of a session is started. Throws CannotGrade where it is not built.
sim::DeviceProcessOptions device_options(const SessionOptions& options);

}  // namespace gridstride

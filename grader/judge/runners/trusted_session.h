// A stage on a device process that nobody but the judge commands.
//
// The device process makes the memory of a call's arguments, puts the inputs there and starts the
// clock in one step, and stops the clock and takes the outputs in another; bytes come and go through
// memory that judge and device process share. The runner is told where the arguments lie once the
// clock runs, and to call. What it says is not believed where it could gain by it: a runner that
// calls twice, early, never, or claims to have returned, gets what the device did in the meantime.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/simulator/device/control.h"
#include "common/simulator/device/device.h"
#include "grader/judge/cases/call.h"
#include "grader/judge/runners/runner_client.h"
#include "grader/judge/runners/session.h"
#include "grader/judge/runners/stage_clock.h"
#include "grader/runner/protocol.h"

namespace gridstride {

class TrustedSession final : public Session {
 public:
  /// As open_session().
  explicit TrustedSession(const SessionOptions& options);

  void prepare(const Call& call) override;
  CallResult run(const Call& call, Seconds limit) override;

 private:
  /// Returns what the stage is to be called with. Throws RunnerError.
  std::vector<protocol::Argument> begin(const Call& call);
  /// Throws RunnerError.
  sim::CallReport end();
  CallResult result_of(const Call& call, sim::CallReport report);
  CallResult failed(const RunnerError& error);

  sim::DeviceProcess device_;  ///< outlives the runner, which holds its socket
  std::shared_ptr<StageClock> clock_;
  std::unique_ptr<RunnerClient> runner_;
  std::vector<protocol::Allocation> allocations_;
  std::vector<sim::CallRegion> regions_;  ///< one for each argument, of no bytes for a scalar
  std::uint64_t shared_bytes_ = 0;        ///< that the regions refer to
};

}  // namespace gridstride

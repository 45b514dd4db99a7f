// A stage on a real GPU, whose driver the runner itself calls. So the runner gets inputs before the
// clock starts and says what time has passed: the judge trusts what it computes from outputs, all
// else is the runner's claim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "grader/judge/cases/call.h"
#include "grader/judge/cases/suite.h"
#include "grader/judge/runners/runner_client.h"
#include "grader/judge/runners/session.h"
#include "grader/runner/protocol.h"

namespace gridstride {

class ClaimedSession final : public Session {
 public:
  /// As open_session().
  explicit ClaimedSession(const SessionOptions& options);

  /// Allocates the arguments of `call` and copies its inputs to the device.
  void prepare(const Call& call) override;
  CallResult run(const Call& call, Seconds limit) override;

  // All throw RunnerError.

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

  std::unique_ptr<RunnerClient> runner_;
  std::vector<protocol::Allocation> allocations_;
  std::vector<std::byte> fillers_;  ///< of each argument's allocation
};

}  // namespace gridstride

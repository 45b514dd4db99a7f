// What came of one case, and how the ends of runners become verdicts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/simulator/check/finding.h"
#include "common/simulator/device/control.h"
#include "common/simulator/device/device.h"
#include "grader/judge/runners/runner_client.h"
#include "grader/report/results.h"

namespace gridstride {

struct CaseOutcome {
  Verdict verdict = Verdict::pass;
  std::string message;             ///< empty for a pass
  std::string note;                ///< what was not checked, if anything
  std::string printed;             ///< by the stage's kernels, quoted; empty where nothing was
  sim::SourcePosition where = {};  ///< of what the simulated device saw
  bool untouched = false;          ///< the call wrote to no output
  bool runner_lost = false;        ///< later cases need a new one
  bool refused = false;    ///< of that, a call of the runtime failed and the process went on
  bool link_lost = false;  ///< the device on another host cannot be reached any more
  bool tried = true;       ///< false where earlier cases have ended too many runners
};

/// A runner that failed, told as what the stage did: whatever it says and however it ends, student
/// code may be the reason. `said` is its stderr, and quoted as its own words. `refusals` are the
/// simulated device's (sim::Activity).
CaseOutcome outcome_of(const RunnerError& error, const std::string& said,
                       const std::vector<std::string>& refusals = {});

/// A simulated device that failed after it had begun to work for the stage.
CaseOutcome outcome_of(const sim::DeviceProcessError& error);

/// What the simulated device saw; nothing when it saw nothing wrong.
std::optional<CaseOutcome> outcome_of(const sim::Activity& activity);

/// The first thing that the simulated device could not check, or empty.
std::string note_of(const sim::Activity& activity);

/// What kernels printed, in a few lines that show whose words they are, or empty.
std::string words_about(const sim::Printed& printed);

/// "3_sequential.cu:21", or empty.
std::string place(const sim::SourcePosition& position);

}  // namespace gridstride

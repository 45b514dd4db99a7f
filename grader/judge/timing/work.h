// Whether a timed call's answer can have come from the device.
#pragma once

#include <string>

#include "common/simulator/device/device.h"
#include "grader/judge/cases/call.h"
#include "grader/judge/correctness/outcome.h"

namespace gridstride {

/// Suspicious when no kernel was launched, or the inputs were copied to the host.
CaseOutcome judge_work(const Call& call, const sim::Activity& activity, const std::string& who);

}  // namespace gridstride

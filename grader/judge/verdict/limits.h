// Bounds on what the simulated device counted, and on what left a real one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/simulator/device/device.h"
#include "grader/report/results.h"

namespace gridstride {

/// Every named counter (counters.h) over all launches of a call, and the bytes that it copied
/// (named_bytes.h).
std::map<std::string, double> counters_of(const sim::Activity& activity);

/// Holds a call against lab.toml's `limits`, each with the source line that costs most. Throws
/// CannotGrade for a limit on something that is not counted.
std::vector<LimitResult> check_limits(const std::map<std::string, double>& limits,
                                      const sim::Activity& activity);

/// Holds against the limit on it, if there is one, also what has left a real GPU.
void count_in(std::vector<LimitResult>& limits, std::uint64_t device_to_host_bytes);

/// "bank_conflicts is 4096, at most 0 allowed; most of it at 2_strided.cu:14"; one line each for
/// those that are not met.
std::string explain(const std::vector<LimitResult>& limits);

}  // namespace gridstride

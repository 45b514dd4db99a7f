// One launch of one case of a stage, recorded step by step: the material of `lab trace`.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/simulator/base/dim3.h"
#include "common/simulator/trace/trace.h"
#include "grader/judge/options.h"
#include "grader/judge/runners/grading.h"
#include "grader/judge/trace_case.h"
#include "grader/judge/verdict/stage_result.h"

namespace gridstride {

struct WantedTrace {
  WantedCase which;
  std::string kernel;             ///< by its name or a part of it; empty: the one that shows most
  std::int64_t launch = -1;       ///< of all launches, from 0; -1: the one that shows most
  std::vector<sim::Dim3> blocks;  ///< empty: the one that shows most
  bool registers = false;         ///< TraceRequest::registers
  std::uint64_t most_steps = sim::TraceRequest::default_steps;
  std::uint64_t most_bytes = sim::TraceRequest::default_bytes;
};

/// {"name", "source" (path), "verdict", "message", "case", "why", "wrong", "arguments", "recorded"}:
/// "wrong" is null or the first wrong element, {"argument", "index", "text", "expected", "got"};
/// "recorded" what TraceFile writes, null where nothing ran. A stage that is decided already keeps its
/// verdict. Throws NoSuchCase, CannotGrade, SandboxError, sim::DeviceProcessError.
nlohmann::json trace_stage(const Grading& grading, const StageState& stage,
                           const WantedTrace& wanted);

/// Writes trace_stage() of what the command line asks for to the file that it names. Throws as that
/// does, and NoSuchCase where a block is not named "3", "3,1" or "3,1,0".
void write_trace(const Grading& grading, const StageState& stage, const Options& options);

}  // namespace gridstride

// Launches recorded: of a stage by its grader, of a program that is run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/simulator/trace/trace.h"
#include "grader/tools/commands.h"
#include "grader/tools/simulate.h"

namespace gridstride::cli {

/// Whether a user means a program or its source by these words, and not a stage. Throws ConfigError.
bool names_program(const std::vector<std::string>& names, const Places& places);

/// `options` for a stage that is perhaps named by a path: one in solutions/ asks for those. Throws UnknownName.
TraceOptions with_paths(TraceOptions options, const Places& places);

/// What grade-`lab` writes of the launch (trace_stage.h); `more` are further words for it. Throws UsageError,
/// std::runtime_error.
nlohmann::json record_stage(const std::string& lab, const std::string& stage,
                            const TraceOptions& options, const Places& places,
                            const std::vector<std::string>& more = {});

/// What the device wrote of the launch, and what became of the program.
struct RecordedProgram {
  nlohmann::json recorded;
  Simulated simulated;
};

/// `request` with the kernel, launch and blocks of `options`; `debug` as SimOptions has it. Throws as the commands do, and
/// std::runtime_error where nothing was recorded.
RecordedProgram record_program(const Places& places, const TraceOptions& options,
                               sim::TraceRequest request, bool debug);

/// What a command ends with, by the verdict on the stage that it showed.
int exit_code_of(const std::string& verdict);

}  // namespace gridstride::cli

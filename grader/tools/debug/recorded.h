// What `lab debug` goes through: one launch of a stage or a program, built for a debugger and recorded whole.
#pragma once

#include <optional>
#include <string>

#include "common/simulator/playback/playback.h"
#include "grader/tools/commands.h"

namespace gridstride::cli {

struct Recorded {
  std::string title;                      ///< "reduction/3_sequential", or the program
  std::optional<sim::Playback> playback;  ///< nothing where no kernel ran that could be recorded
  std::string words;                      ///< then: why, and what became of the stage
  int exit_code = 0;                      ///< what `lab debug` ends with
};

/// Builds with `-G`, runs, records. With no_build the course's own programs are taken as they are. The compiler and the program write where we do.
/// Throws UsageError, UnknownName, FallsShort, std::runtime_error.
Recorded record_to_debug(const Places& places, const DebugOptions& options);

}  // namespace gridstride::cli

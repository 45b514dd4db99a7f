// Commands that programs of their own carry out. What grades is built first and soon; what only some ask for is
// built when they do.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grader/cli/command.h"

namespace gridstride::cli {

struct OtherCommand {
  const char* name;     ///< "trace"
  const char* program;  ///< in bin/: "gridstride-tools"
  const char* what;     ///< for `--help`
};

std::span<const OtherCommand> other_commands();

/// The one with this name; null when there is none.
const OtherCommand* other_command(std::string_view name);

/// Brings the program of `command` up to date, unless `arguments` hold "--no-build", and becomes it. `arguments`
/// begin with the command's name. Throws UsageError, std::runtime_error.
[[noreturn]] void run_other_program(const Places& places, const OtherCommand& command,
                                    const std::vector<std::string>& arguments);

}  // namespace gridstride::cli

// From the arguments of main() to a command that is ready to run.
#pragma once

#include <functional>

#include "grader/cli/command.h"

namespace gridstride::cli {

/// The command that the arguments name, its options bound; null after `--help`, which is printed.
/// Throws UsageError.
std::function<int(const Places&)> parse_command_line(int argc, char** argv);

}  // namespace gridstride::cli

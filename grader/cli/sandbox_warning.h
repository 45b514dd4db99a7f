// The one warning of a machine without a sandbox.
#pragma once

#include <string>
#include <vector>

namespace gridstride::cli {

/// Where student code cannot be put into a sandbox: says so on standard error, why, and the repair.
/// Once a command, however often it is called.
void warn_without_sandbox();

/// What a lab's grader is told, so that it does not say again what warn_without_sandbox() has said.
std::vector<std::string> sandbox_options();

}  // namespace gridstride::cli

// How bubblewrap is called, and whether it works here.
#pragma once

#include <string>
#include <vector>

#include "grader/sandbox/sandbox.h"

namespace gridstride {

/// The command that runs options.command in bubblewrap. Only when sandbox_status().available.
std::vector<std::string> bubblewrap_command(const ChildOptions& options);

}  // namespace gridstride

// How bubblewrap is called, and whether it works here.
#pragma once

#include <string>
#include <vector>

#include "grader/sandbox/sandbox.h"

namespace gridstride {

/// The command that runs options.command in bubblewrap. With `filtered`, bubblewrap itself gets a
/// filter of system calls behind the program's descriptors. Only when sandbox_status().available.
std::vector<std::string> bubblewrap_command(const ChildOptions& options, bool filtered);

}  // namespace gridstride

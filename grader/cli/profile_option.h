// The simulated GPU that a command is told to use.
#pragma once

#include <string>

namespace gridstride::cli {

/// Throws UsageError when `profile` names no GPU that can be simulated; empty is the default one.
void check_profile(const std::string& profile);

}  // namespace gridstride::cli

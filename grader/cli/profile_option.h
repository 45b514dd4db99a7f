// The simulated GPU that a command is told to use.
#pragma once

#include <string>

namespace gridstride::cli {

/// Its compute capability, 90 for 9.0. Throws UsageError when `profile` names no GPU that can be simulated;
/// empty is the default one.
int check_profile(const std::string& profile);

}  // namespace gridstride::cli

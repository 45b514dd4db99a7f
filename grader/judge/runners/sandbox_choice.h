// Whether what is graded is kept apart from the rest of the machine.
#pragma once

#include "grader/sandbox/sandbox.h"

namespace gridstride {

/// Where there is no sandbox: throws SandboxError if `policy` requires one, and warns on standard error if it would take
/// one.
void choose_sandbox(SandboxPolicy policy);

}  // namespace gridstride

// See the header.
#include "grader/judge/runners/sandbox_choice.h"

#include <cstdio>

#include "grader/sandbox/sandbox.h"

namespace gridstride {

void choose_sandbox(SandboxPolicy policy) {
  const SandboxStatus& sandbox = sandbox_status();
  if (sandbox.available) return;
  if (policy == SandboxPolicy::required)
    throw SandboxError("There is no sandbox: " + sandbox.reason + ". Repair: " + sandbox.repair);
  if (policy == SandboxPolicy::when_available)
    std::fprintf(stderr,
                 "Warning: no sandbox (%s): what is graded can do what you can. Grade only your "
                 "own code. Repair: %s\n",
                 sandbox.reason.c_str(), sandbox.repair.c_str());
}

}  // namespace gridstride

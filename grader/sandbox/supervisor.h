// The process between us and the program: starts it, waits for it, leaves nothing of it behind.
//
// Daemons escape a process group, but not a subreaper: whatever the program's processes leave
// behind becomes the supervisor's child. The supervisor also outlives us just long enough to clean
// up when we are killed: it sees the control pipe close.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/unique_fd.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {

struct Supervisor {
  pid_t id = 0;
  UniqueFd control;         ///< close it to stop the program
  UniqueFd report;          ///< one SupervisorReport, or end of file when the supervisor was killed
  UniqueFd output, errors;  ///< the program's stdout and stderr, non-blocking
};

/// How a program is started, beside what bubblewrap does where that is around it.
struct Confinement {
  /// Root's programs run as a user that owns nothing, where the system lets them.
  bool drop_root = false;
  /// A filter of system calls (system_calls.h); -1: none.
  int filter = -1;
  /// The entrance of its control group (control_group.h); -1: none.
  int group = -1;
  /// Where it may write, by Landlock; empty: wherever its user may.
  std::vector<std::string> folders = {};
};

/// Starts bin/gridstride-supervisor, and by it options.command with the environment, descriptors
/// and limits of `options`, in `working_folder`. Throws SandboxError.
Supervisor start_supervisor(const ChildOptions& options, const std::string& working_folder,
                            const Confinement& confinement);

}  // namespace gridstride

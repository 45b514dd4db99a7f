// The process between us and the program: starts it, waits for it, leaves nothing of it behind.
//
// Daemons escape a process group, but not a subreaper: whatever the program's processes leave
// behind becomes the keeper's child. The keeper also outlives us just long enough to clean up when
// we are killed: it sees the control pipe close.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/unique_fd.h"
#include "grader/sandbox/sandbox.h"

namespace gridstride {

/// What the keeper writes to its status pipe, once, when nothing of the program is left.
struct KeeperReport {
  int wait_status = 0;   ///< of the program, as waitpid gives it
  bool stopped = false;  ///< the control pipe closed before the program ended
};

struct Keeper {
  pid_t id = 0;
  UniqueFd control;         ///< close it to stop the program
  UniqueFd report;          ///< one KeeperReport, or end of file when the keeper was killed
  UniqueFd output, errors;  ///< the program's stdout and stderr, non-blocking
};

/// How a program is started that has no bubblewrap around it.
struct Bare {
  /// Root's programs run as a user that owns nothing, where the system lets them.
  bool drop_root = false;
};

/// Starts options.command with the environment, descriptors and limits of `options`, in
/// `working_folder`. Throws SandboxError.
Keeper start_keeper(const ChildOptions& options, const std::string& working_folder, Bare bare);

}  // namespace gridstride

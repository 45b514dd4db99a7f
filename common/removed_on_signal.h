// Folders that must go also when a signal ends the process, where no destructor runs.
#pragma once

#include <string>

namespace gridstride {

/// When a signal ends this process that nobody has asked for (Ctrl-C, SIGTERM, SIGPIPE, an abort; not SIGKILL), the folder
/// is removed first with all it holds, and the signal ends the process all the same. Signals that are ignored or
/// handled stay so. A process that was forked off does not count as this one.
void remove_on_signal(const std::string& folder);

/// The folder need not be removed any more.
void removed_otherwise(const std::string& folder);

}  // namespace gridstride

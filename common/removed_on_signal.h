// Folders that must go also when a signal ends the process, where no destructor runs.
#pragma once

#include <signal.h>

#include <string>

namespace gridstride {

/// When a signal ends this process that nobody has asked for (Ctrl-C, SIGTERM, SIGPIPE, an abort; not SIGKILL), the folder
/// is removed first with all it holds, and the signal ends the process all the same. Signals that are ignored or
/// handled stay so. A process that was forked off does not count as this one.
void remove_on_signal(const std::string& folder);

/// While it lives, such a signal waits: between a folder's making and the call above it would leave the folder. Of a
/// process with several threads another one may take it meanwhile.
class EndingSignalsWait {
 public:
  EndingSignalsWait();
  ~EndingSignalsWait();
  EndingSignalsWait(const EndingSignalsWait&) = delete;
  EndingSignalsWait& operator=(const EndingSignalsWait&) = delete;

 private:
  sigset_t before_;
};

/// The folder need not be removed any more.
void removed_otherwise(const std::string& folder);

}  // namespace gridstride

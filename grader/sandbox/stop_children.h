// Ctrl-C while children work in a folder of ours.
#pragma once

#include <stop_token>
#include <thread>

#include "common/remember_signals.h"

namespace gridstride {

/// While one of these lives, a signal that would end this process (RememberSignals) stops those that run_child() has
/// started, again and again, and not itself: who waits for them sees them fail, when nothing of them is left, and
/// cleans up. Whoever made it then ends what it was at, and the process, if caught() tells of a signal.
class StopChildrenOnSignal {
 public:
  StopChildrenOnSignal();
  /// 0: none has come.
  int caught() const { return signals_.caught(); }

 private:
  RememberSignals signals_;
  std::jthread watch_;
};

}  // namespace gridstride

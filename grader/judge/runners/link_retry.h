// Work on a device on another host is done again when the connection was lost meanwhile.
#pragma once

#include "common/simulator/device/control.h"

namespace gridstride {

/// So many times in all. Each makes a new connection, which itself is tried for some seconds.
inline constexpr int link_tries = 3;

/// Returns what `work` does. Before it is done again, `forget` ends what belongs to the old connection. Throws
/// what `work` does, and sim::DeviceLinkLost when the connection is lost each time.
template <class Work, class Forget>
auto with_link(Work work, Forget forget) {
  for (int left = link_tries;; --left) {
    try {
      return work();
    } catch (const sim::DeviceLinkLost&) {
      forget();
      if (left == 1) throw;
    }
  }
}

}  // namespace gridstride

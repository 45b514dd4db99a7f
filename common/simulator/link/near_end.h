// The near end of a link: a process that stands where a device process would stand.
#pragma once

#include <string>
#include <vector>

#include "common/simulator/link/frames.h"

namespace gridstride::sim::link {

/// The numbers of what a device process is given.
struct NearDescriptors {
  int client = -1, control = -1, shared = -1;
};

/// Starts `far`, a command whose standard streams are the far end's (ssh and its words), and passes on until the
/// judge has gone. Returns the exit status: what the device process had, link_lost_status when the far end is
/// lost. A far end that is lost before the device process has started is tried again for some seconds.
int run_near_end(const NearDescriptors& fds, const Start& start,
                 const std::vector<std::string>& far);

}  // namespace gridstride::sim::link

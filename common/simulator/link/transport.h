// What it takes to ask a device process for something, and to be answered.
#pragma once

#include <chrono>
#include <functional>

#include "common/simulator/device/blocking.h"

namespace gridstride::sim {

/// Seconds between the end of a request and the begin of the next, of a client that does nothing
/// between them: the median of many small ones. They go the way that a program's go, through a
/// RequestServer, which does `work` for each, as the caches are not the same behind a driver's call.
/// Client and server are two threads of this process, so that no program has a part in it. 0 where
/// no socket can be had.
std::chrono::duration<double> transport_seconds(const std::function<void()>& work, Waiting server);

}  // namespace gridstride::sim

// What it takes to ask a device process for something, and to be answered.
#pragma once

#include <functional>

#include "common/simulator/gpu/call_clock.h"

namespace gridstride::sim {

/// Seconds between the end of a request and the begin of the next, of a client that does nothing
/// between them: the median of many small ones. They go the way that a program's go, through a
/// RequestServer, which does `work` for each, as the caches are not the same behind a driver's call.
/// Client and server are two threads of this process, so that no program has a part in it. 0 where
/// no socket can be had.
CallClock::Seconds transport_seconds(const std::function<void()>& work);

}  // namespace gridstride::sim

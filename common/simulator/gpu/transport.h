// What it takes to ask a device process for something, and to be answered.
#pragma once

#include "common/simulator/gpu/call_clock.h"

namespace gridstride::sim {

/// Measured between two threads of this process, so that no client has a part in it: the median of
/// many small requests and answers over a socket.
CallClock::Seconds transport_seconds();

}  // namespace gridstride::sim

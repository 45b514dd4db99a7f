// Which pages are managed memory, for the handler of page faults: it runs in the middle of anything,
// and may take no lock before it knows that the page is one of ours.
#pragma once

#include <cstdint>

#include "common/simulator/device/device.h"

namespace gridstride::sim {

/// Both ends are multiples of a page. One thread at a time.
void set_managed_pages(DeviceAddress begin, std::uint64_t bytes, bool managed);

/// Takes no lock and allocates nothing: any thread may call it, a signal handler too.
bool is_managed_page(DeviceAddress address) noexcept;

}  // namespace gridstride::sim

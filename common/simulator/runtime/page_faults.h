// Host accesses to pages that are not there: managed memory is fetched, other device memory named.
#pragma once

namespace gridstride::sim {

/// Takes SIGSEGV for addresses in the device's range; every other one goes on to whoever had it.
void handle_page_faults();

}  // namespace gridstride::sim

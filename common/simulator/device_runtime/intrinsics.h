// Intrinsics of the device runtime, functions that have no PTX: printf, the heap, assert, launches.
#pragma once

#include <cstdint>
#include <string>

#include "common/simulator/program/call_site.h"

namespace gridstride::sim {

/// Null when there is none of that name.
Intrinsic find_intrinsic(const std::string& name);

/// Its parts: launches, copies, streams, events; and what can be asked.
Intrinsic find_launch_intrinsic(const std::string& name);
Intrinsic find_query_intrinsic(const std::string& name);

/// `lane` gives a block of the heap back with the call `inst`. False when it is the start of no live one.
bool release_on_heap(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t address);

/// Whether it is a cuda… function of the device runtime.
bool is_of_device_runtime(const std::string& name);

}  // namespace gridstride::sim

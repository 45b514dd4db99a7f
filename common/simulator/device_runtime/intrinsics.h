// Functions of the device runtime that have no PTX: printf, the heap, assert, launches.
#pragma once

#include <string>

#include "common/simulator/program/call_site.h"

namespace gridstride::sim {

/// Null when there is none of that name.
NativeFunction find_native(const std::string& name);

/// Its parts: launches, copies, streams, events; and what can be asked.
NativeFunction find_launch_native(const std::string& name);
NativeFunction find_query_native(const std::string& name);

}  // namespace gridstride::sim

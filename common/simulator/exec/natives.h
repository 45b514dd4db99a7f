// Functions of the device runtime that have no PTX: printf, the heap, assert.
#pragma once

#include <string>

#include "common/simulator/exec/interpreter.h"

namespace gridstride::sim {

/// Null when there is none of that name.
NativeFunction find_native(const std::string& name);

}  // namespace gridstride::sim

// Calls, returns and jumps through tables.
#pragma once

#include <cstdint>

#include "common/simulator/exec/interpreter.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {

/// The running split calls. Lanes that call through different pointers diverge.
void call(Warp& warp, const Inst& inst, std::int32_t pc);
/// The running split returns; from a kernel, it ends.
void return_from(Warp& warp);
/// The running split jumps; lanes with different indices diverge.
void branch_table(Warp& warp, const Inst& inst);

}  // namespace gridstride::sim

// Decodes one kernel and the functions it can reach.
#pragma once

#include <cstdint>

#include "common/simulator/decode/decode_context.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {

/// Fills `out` for `program.module.functions[function]`. `symbols` holds the module's variables and
/// functions. Throws Unsupported, naming opcode, kernel and source line.
void build_kernel(const Program& program, std::uint32_t function, const KernelSymbols& symbols,
                  KernelCode& out);

}  // namespace gridstride::sim

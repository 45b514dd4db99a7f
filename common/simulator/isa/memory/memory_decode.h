// What the decoders of loads, stores and atomics share.
#pragma once

#include <cstddef>

#include "common/simulator/decode/decode_context.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {

/// The state space among the modifiers; generic when there is none.
ptx::Space take_space(Modifiers& modifiers);
/// Ordering and scope: instructions are executed in order and at once, so all of them hold anyway;
/// the race checker wants to know. `polls` is set for those that may wait for another thread.
void take_order(Modifiers& modifiers, MemoryUse& use);
void take_cache_hints(Modifiers& modifiers);
/// Operands that .L2::cache_hint adds at the end: 0, or 1, the policy that createpolicy has made.
std::size_t take_cache_policy(ProgramContext& context, Modifiers& modifiers,
                              const ptx::Instruction& instruction);

/// Sets `a`, `imm` and `extra` of `out` from an address operand, and `use`, which must live as long
/// as the program; the width and count of `out` must be set. False when the operand is not an
/// address. `memory` is what is known about it.
bool decode_address(ProgramContext& context, const ptx::Operand& operand, ptx::Space space,
                    Inst& out, MemoryUse& use, MemoryOperand& memory);

/// cp.async.bulk, whose first modifiers have been taken (bulk.cpp).
bool decode_bulk_copy(const ptx::Instruction& instruction, ProgramContext& context,
                      Modifiers& modifiers, Inst& out);

}  // namespace gridstride::sim

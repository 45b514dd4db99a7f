// Moves: registers, special registers, addresses, and packing of several registers into one.
#pragma once

#include "common/simulator/decode/decode.h"

namespace gridstride::sim {

bool decode_mov(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);
/// cvta and cvta.to: between a space's own addresses and generic ones (address_spaces.h).
bool decode_cvta(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);

}  // namespace gridstride::sim

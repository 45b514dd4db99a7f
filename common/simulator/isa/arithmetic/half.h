// Arithmetic on f16, bf16 and their packed pairs.
#pragma once

#include "common/simulator/decode/decode.h"

namespace gridstride::sim {

/// add sub mul fma min max abs neg on f16, f16x2, bf16, bf16x2; ex2 and tanh too.
bool decode_half(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);

}  // namespace gridstride::sim

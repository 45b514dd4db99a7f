// Reciprocals, roots and transcendental functions.
#pragma once

#include "common/simulator/decode/decode.h"

namespace gridstride::sim {

/// rcp sqrt rsqrt sin cos ex2 lg2 tanh.
bool decode_special(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);

}  // namespace gridstride::sim

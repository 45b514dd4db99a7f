// Opcodes that integers and floats share (add, sub, mul …) are decoded in integer.cpp, which hands
// the floating-point types over to this.
#pragma once

#include "common/simulator/decode/decode.h"

namespace gridstride::sim {

/// add sub mul mad div min max abs neg on f16, f16x2, bf16, bf16x2, f32, f64.
bool decode_float_arithmetic(const ptx::Instruction& instruction, DecodeContext& context,
                             Inst& out);

}  // namespace gridstride::sim

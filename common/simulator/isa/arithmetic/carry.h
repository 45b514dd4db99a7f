// Integer arithmetic with the carry flag, from which wider integers are built.
#pragma once

#include "common/simulator/decode/decode.h"

namespace gridstride::sim {

/// add.cc addc addc.cc sub.cc subc subc.cc mad.lo.cc mad.hi.cc madc.lo madc.hi (and .cc).
bool decode_carry(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);

}  // namespace gridstride::sim

// Video instructions on two or four numbers in a word: what __vabsdiffu4 and its like become.
#pragma once

#include "common/simulator/decode/decode.h"

namespace gridstride::sim {

/// vadd, vsub, vavrg, vabsdiff, vmin, vmax with 2 or 4 behind the name. Byte selectors and masks
/// are not known to the parser: compilers do not write them.
bool decode_video(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);

}  // namespace gridstride::sim

// Decoders of bitfield.cpp; the table that names them is in logic.cpp.
#pragma once

#include "common/simulator/decode/decode.h"

namespace gridstride::sim {

bool decode_bfind(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);
bool decode_bfe(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);
bool decode_bfi(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);
bool decode_bmsk(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);
bool decode_prmt(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);
bool decode_fns(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);
bool decode_szext(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);
bool decode_lop3(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);

}  // namespace gridstride::sim

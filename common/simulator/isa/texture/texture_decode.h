// What the decoders of texture and surface instructions share.
#pragma once

#include <cstdint>

#include "common/simulator/decode/decode_context.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/texture/sampler.h"

namespace gridstride::sim {

/// Registers of the coordinates; no_register for those that the geometry does not have.
struct TexelPlaceRegisters {
  VectorRegister layer = no_register;
  VectorRegister axes[3] = {no_register, no_register, no_register};
};

bool take_geometry(Modifiers& modifiers, TexelGeometry& geometry);
/// Binds `[handle, {coordinates}]`: the handle to `a` of `out`, coordinates of `type`, layers of
/// 32-bit integers.
bool bind_place(const ptx::Operand& operand, TexelGeometry geometry, ptx::Type type,
                ProgramContext& context, Inst& out, TexelPlaceRegisters& at);

/// What txq and suq ask for.
enum class Extent : std::uint8_t { width, height, depth, layers };
using ExtentHandlers = Handler[4];
std::uint32_t extent_of(const TexelRegion& region, Extent extent);
/// `txq.width.b32 d, [handle]`, by one handler for each extent.
bool decode_query(const ptx::Instruction& instruction, ProgramContext& context,
                  const ExtentHandlers& handlers, Inst& out);

}  // namespace gridstride::sim

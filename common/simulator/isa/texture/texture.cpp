// tex, tld4, txq: fetches through texture objects, 64-bit handles in a register.
//
// In the Inst: `a` is the register of the handle, `extra` a TextureUse. Arrays have one level:
// .level and .grad, which choose among several, change nothing.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/simulator/decode/decode_context.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/texture/texture_access.h"
#include "common/simulator/isa/texture/texture_decode.h"
#include "common/simulator/texture/sampler.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

struct TextureUse {
  VectorRegister results[4] = {no_register, no_register, no_register, no_register};
  TexelPlaceRegisters place;
  TexelGeometry geometry{};
  bool integer = false;         ///< coordinates
  bool gathers = false;         ///< tld4
  std::uint32_t component = 0;  ///< tld4
};

FetchCoordinates coordinates(const Warp& warp, const TextureUse& use, std::uint32_t lane) {
  const auto bits = [&](VectorRegister from) {
    return from == no_register ? 0u
                               : vector_register<const std::uint32_t>(warp.registers, from)[lane];
  };
  FetchCoordinates at;
  at.integer = use.integer;
  at.layer = bits(use.place.layer);
  if (use.integer) {
    at.texel = static_cast<std::int32_t>(bits(use.place.axes[0]));
  } else {
    at.x = std::bit_cast<float>(bits(use.place.axes[0]));
    at.y = std::bit_cast<float>(bits(use.place.axes[1]));
    at.z = std::bit_cast<float>(bits(use.place.axes[2]));
  }
  return at;
}

/// Of the texture unit, for texels that lie side by side (model/measure/textures.csv): four lanes a cycle,
/// of 16 bytes two; filtered, of 8 bytes two and of 16 one, and half of it in three dimensions. Memory in
/// one dimension is loaded as it is.
std::uint32_t unit_cycles(const Texture& texture, TexelGeometry geometry, int lanes) {
  const std::uint32_t bytes = texture.region.format.bytes();
  const auto all = static_cast<std::uint32_t>(lanes);
  if (texture.region.array == 0 && texture.region.layout.linear() &&
      geometry == TexelGeometry::d1) {
    return bytes > 8 ? (all + 5) / 6 : (all + 15) / 16;
  }
  std::uint32_t times = bytes > 8 ? 2 : 1;
  if (texture.how.linear) times = std::max(bytes / 4, 1u) * (geometry == TexelGeometry::d3 ? 2 : 1);
  return (all + 3) / 4 * times;
}

void fetch(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto& use = *static_cast<const TextureUse*>(inst.extra);
  const GlobalMemory& memory = warp.grid->memory;
  TouchedSectors touched;
  std::uint32_t cycles = 0;
  for_each_object(warp, inst, mask, texture_of, [&](const Texture& texture, LaneMask lanes) {
    const std::uint32_t bytes = texture.region.format.bytes();
    cycles += unit_cycles(texture, use.geometry, std::popcount(lanes));
    for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const FetchCoordinates at = coordinates(warp, use, lane);
      const FetchPlan plan =
          use.gathers ? plan_gather(texture, at) : plan_fetch(texture, use.geometry, at);
      for (std::uint32_t i = 0; i < plan.count; ++i) {
        const DeviceAddress address = plan.taps[i].address;
        if (address == 0) continue;
        // The memory of a texture in linear memory may have been freed.
        if (!warp.grid->window.allows(address, bytes, false)) {
          warp.grid->findings.bad_global(thread_of(warp, lane), inst.source, address, bytes,
                                         Access::load);
        }
        touched.add(address);
        if (plan.taps[i].weight == 0) continue;
        check_initialised(warp, inst, lane, address, bytes);
        tell(TexelAccess{warp, inst, lane, texture.region, address, bytes, Access::load});
      }
      const TexelValue value = use.gathers ? gather(texture, plan, use.component, memory)
                                           : filter(texture, plan, memory);
      for (unsigned k = 0; k < 4; ++k) {
        vector_register<std::uint32_t>(warp.registers, use.results[k])[lane] = value[k];
      }
    }
  });
  touched.count_fetch(warp, inst, cycles);
}

bool bind_results(const Operand& operand, Type type, ProgramContext& context, TextureUse& use) {
  if (operand.kind != Operand::Kind::vector || operand.elements.size() != 4) return false;
  for (unsigned k = 0; k < 4; ++k) {
    if (!fits(operand.elements[k], type, context)) return false;
    use.results[k] = context.destination(operand.elements[k], type);
  }
  return true;
}

/// The level of .level, the gradients of .grad: read as operands, without effect.
bool read_floats(const Operand& operand, ProgramContext& context) {
  if (operand.kind != Operand::Kind::vector) {
    if (!fits(operand, Type::f32, context)) return false;
    context.source(operand, Type::f32);
    return true;
  }
  for (const Operand& element : operand.elements) {
    if (element.kind == Operand::Kind::vector || !read_floats(element, context)) return false;
  }
  return true;
}

template <auto extent>
void query_texture(Warp& warp, const Inst& inst, LaneMask mask) {
  for_each_object(warp, inst, mask, texture_of, [&](const Texture& texture, LaneMask lanes) {
    for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      vector_register<std::uint32_t>(warp.registers, inst.dst)[std::countr_zero(rest)] =
          extent_of(texture.region, extent);
    }
  });
}

}  // namespace

bool decode_tex(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  const auto& operands = instruction.operands;
  Modifiers modifiers(instruction);
  const std::size_t more = modifiers.take("level") ? 1 : modifiers.take("grad") ? 2 : 0;
  auto* use = context.make<TextureUse>();
  if (!modifiers.take("v4") || !take_geometry(modifiers, use->geometry)) return false;
  const Type result = modifiers.take_type(), place = modifiers.take_type();
  use->integer = place == Type::s32;
  const bool known = (result == Type::f32 || result == Type::s32 || result == Type::u32) &&
                     (place == Type::f32 || (use->integer && use->geometry == TexelGeometry::d1));
  if (!known || !modifiers.done() || operands.size() != 2 + more) return false;
  if (!bind_results(operands[0], result, context, *use) ||
      !bind_place(operands[1], use->geometry, place, context, out, use->place)) {
    return false;
  }
  for (std::size_t i = 2; i < operands.size(); ++i) {
    if (!read_floats(operands[i], context)) return false;
  }
  out.extra = use;
  out.handler = out.full_handler = fetch;
  return true;
}

bool decode_tld4(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  auto* use = context.make<TextureUse>();
  use->gathers = true;
  bool known = false;
  for (const char* component : {"r", "g", "b", "a"}) {
    if (modifiers.take(component)) {
      known = true;
      break;
    }
    ++use->component;
  }
  if (!known || !modifiers.take("2d") || !modifiers.take("v4")) return false;
  const Type result = modifiers.take_type(), place = modifiers.take_type();
  known = (result == Type::f32 || result == Type::s32 || result == Type::u32) && place == Type::f32;
  if (!known || !modifiers.done() || instruction.operands.size() != 2) return false;
  use->geometry = TexelGeometry::d2;
  out.extra = use;
  out.handler = out.full_handler = fetch;
  return bind_results(instruction.operands[0], result, context, *use) &&
         bind_place(instruction.operands[1], use->geometry, place, context, out, use->place);
}

bool decode_txq(const Instruction& instruction, DecodeContext& base, Inst& out) {
  static constexpr ExtentHandlers handlers = {
      query_texture<Extent::width>, query_texture<Extent::height>, query_texture<Extent::depth>,
      query_texture<Extent::layers>};
  return decode_query(instruction, static_cast<ProgramContext&>(base), handlers, out);
}

}  // namespace gridstride::sim

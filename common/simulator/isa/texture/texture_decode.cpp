// See texture_decode.h.
#include "common/simulator/isa/texture/texture_decode.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace gridstride::sim {

using ptx::Operand;
using ptx::Type;

bool take_geometry(Modifiers& modifiers, TexelGeometry& geometry) {
  static constexpr const char* names[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (!modifiers.take(names[i])) continue;
    geometry = static_cast<TexelGeometry>(i);
    return true;
  }
  return false;
}

bool bind_place(const Operand& operand, TexelGeometry geometry, Type type, ProgramContext& context,
                Inst& out, TexelPlaceRegisters& at) {
  // A named texture (.texref) would stand there as a symbol: those are long gone.
  const bool handle =
      operand.kind == Operand::Kind::address && operand.index >= 0 && operand.offset == 0;
  if (!handle || operand.elements.size() != 1) return false;
  Operand object = operand;
  object.kind = Operand::Kind::reg;
  if (!bind_source(object, Type::b64, context, out.a)) return false;

  const bool layered = geometry == TexelGeometry::a1 || geometry == TexelGeometry::a2 ||
                       geometry == TexelGeometry::acube;
  const bool flat = geometry == TexelGeometry::d1 || geometry == TexelGeometry::a1;
  const bool deep = geometry == TexelGeometry::d3 || geometry == TexelGeometry::cube ||
                    geometry == TexelGeometry::acube;
  const std::size_t axes = flat ? 1 : deep ? 3 : 2;
  const Operand& list = operand.elements[0];
  const bool vector = list.kind == Operand::Kind::vector;
  const std::size_t count = vector ? list.elements.size() : 1;
  if (count < axes + layered || count > 4) return false;
  const auto element = [&](std::size_t i) -> const Operand& {
    return vector ? list.elements[i] : list;
  };
  if (layered && !bind_source(element(0), Type::b32, context, at.layer)) return false;
  for (std::size_t i = 0; i < axes; ++i) {
    if (!bind_source(element(i + layered), type, context, at.axes[i])) return false;
  }
  return true;
}

std::uint32_t extent_of(const TexelRegion& region, Extent extent) {
  switch (extent) {
    case Extent::width:
      return region.width;
    case Extent::height:
      return region.height;
    case Extent::depth:
      return region.layered ? 1 : region.depth;
    case Extent::layers:
      return region.layered ? region.depth : 0;
  }
  return 0;
}

bool decode_query(const ptx::Instruction& instruction, ProgramContext& context,
                  const ExtentHandlers& handlers, Inst& out) {
  static constexpr const char* names[] = {"width", "height", "depth", "array_size"};
  Modifiers modifiers(instruction);
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (!modifiers.take(names[i])) continue;
    out.handler = out.full_handler = handlers[i];
  }
  const auto& operands = instruction.operands;
  const bool known = out.handler != nullptr && modifiers.take("b32") && modifiers.done();
  if (!known || operands.size() != 2) return false;
  const bool handle = operands[1].kind == Operand::Kind::address && operands[1].index >= 0 &&
                      operands[1].offset == 0 && operands[1].elements.empty();
  if (!handle) return false;
  Operand object = operands[1];
  object.kind = Operand::Kind::reg;
  return bind_source(object, Type::b64, context, out.a) &&
         bind_destination(operands[0], Type::b32, context, out.dst);
}

}  // namespace gridstride::sim

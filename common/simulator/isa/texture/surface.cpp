// suld, sust, sured, suq: arrays read and written through surface objects, without any conversion
// (.b). x counts bytes, y rows, and layers and slices follow.
//
// In the Inst: `a` is the register of the handle, `width` and `count` are the bytes and the number
// of the elements, `extra` a SurfaceUse. Outside the array .trap ends the kernel, .zero reads 0 and
// writes nothing, .clamp takes the nearest place inside.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "common/simulator/decode/decode_context.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/texture/texture_access.h"
#include "common/simulator/isa/texture/texture_decode.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

enum class Outside : std::uint8_t { trap, zero, clamp };

/// One element changed in place, with the operand's bits.
using Reduction = std::uint64_t (*)(std::uint64_t old, std::uint64_t operand);

struct SurfaceUse {
  VectorRegister registers[4] = {no_register, no_register, no_register,
                                 no_register};  ///< of the elements
  bool wide = false;                            ///< their registers hold 8 bytes a lane
  TexelPlaceRegisters place;
  TexelGeometry geometry{};
  Outside outside = Outside::trap;
  Reduction reduction = nullptr;  ///< sured
};

const SurfaceUse& surface_use(const Inst& inst) {
  return *static_cast<const SurfaceUse*>(inst.extra);
}

/// x in bytes, y, z or the layer.
std::array<std::int32_t, 3> place_of(const Warp& warp, const SurfaceUse& use, std::uint32_t lane) {
  const auto value = [&](VectorRegister from) {
    return from == no_register ? 0
                               : vector_register<const std::int32_t>(warp.registers, from)[lane];
  };
  return {value(use.place.axes[0]), value(use.place.axes[1]),
          use.place.layer != no_register ? value(use.place.layer) : value(use.place.axes[2])};
}

/// Where the access of one lane goes; nothing when it is outside and has no effect there.
std::optional<DeviceAddress> address_of(Warp& warp, const Inst& inst, const TexelRegion& region,
                                        std::uint32_t lane, bool writes) {
  const SurfaceUse& use = surface_use(inst);
  const std::uint32_t bytes = std::uint32_t{inst.width} * inst.count;
  std::array<std::int32_t, 3> at = place_of(warp, use, lane);
  const std::int64_t last[3] = {std::int64_t{region.width} * region.format.bytes() - bytes,
                                std::int64_t{region.height} - 1, std::int64_t{region.depth} - 1};
  bool inside = last[0] >= 0;
  for (unsigned i = 0; i < 3; ++i) inside = inside && at[i] >= 0 && at[i] <= last[i];
  if (!inside) {
    if (use.outside == Outside::trap || last[0] < 0) {
      outside_surface(warp, inst, lane, region, at, writes);
    }
    if (use.outside == Outside::zero) return std::nullopt;
    for (unsigned i = 0; i < 3; ++i) {
      at[i] = static_cast<std::int32_t>(std::clamp<std::int64_t>(at[i], 0, last[i]));
    }
  }
  if (at[0] % static_cast<std::int32_t>(bytes) != 0) {
    warp.grid->findings.misaligned(thread_of(warp, lane), inst.source,
                                   static_cast<std::uint32_t>(at[0]), bytes,
                                   writes ? Access::store : Access::load, "surface");
  }
  const auto index = [&](unsigned i) { return static_cast<std::uint64_t>(at[i]); };
  return region.address + region.layout.offset(index(0), index(1), index(2));
}

std::uint64_t element_of(const Warp& warp, const SurfaceUse& use, unsigned k, std::uint32_t lane) {
  return use.wide ? vector_register<const std::uint64_t>(warp.registers, use.registers[k])[lane]
                  : vector_register<const std::uint32_t>(warp.registers, use.registers[k])[lane];
}

/// What a reduction found at its place, and whether a store found there what it stored.
struct AtPlace {
  std::uint64_t found = 0;
  bool unchanged = false;
};

/// Calls use(lane, address or nothing), which gives what was there, for all lanes, and counts what
/// they touch.
template <class Use>
void for_each_place(Warp& warp, const Inst& inst, LaneMask mask, Access access, Use&& use) {
  const bool writes = access != Access::load;
  TouchedSectors touched;
  for_each_object(warp, inst, mask, surface_of, [&](const TexelRegion& region, LaneMask lanes) {
    for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const auto address = address_of(warp, inst, region, lane, writes);
      if (address) touched.add(*address);
      const AtPlace there = use(lane, address);
      if (!address) continue;
      const std::uint32_t bytes = std::uint32_t{inst.width} * inst.count;
      tell(TexelAccess{warp, inst, lane, region, *address, bytes, access, there.found,
                       there.unchanged});
    }
  });
  touched.count_surface(warp, inst, writes);
}

void load(Warp& warp, const Inst& inst, LaneMask mask) {
  const SurfaceUse& use = surface_use(inst);
  const std::uint32_t bytes = std::uint32_t{inst.width} * inst.count;
  for_each_place(warp, inst, mask, Access::load, [&](std::uint32_t lane, auto address) {
    if (address) check_initialised(warp, inst, lane, *address, bytes);
    for (unsigned k = 0; k < inst.count; ++k) {
      std::uint64_t value = 0;
      if (address) {
        std::memcpy(&value, warp.grid->memory.host(*address + k * inst.width), inst.width);
      }
      if (use.wide) {
        vector_register<std::uint64_t>(warp.registers, use.registers[k])[lane] = value;
      } else {
        vector_register<std::uint32_t>(warp.registers, use.registers[k])[lane] =
            static_cast<std::uint32_t>(value);
      }
    }
    return AtPlace{};
  });
}

void store(Warp& warp, const Inst& inst, LaneMask mask) {
  const SurfaceUse& use = surface_use(inst);
  for_each_place(warp, inst, mask, Access::store, [&](std::uint32_t lane, auto address) {
    AtPlace there;
    if (!address) return there;
    mark_initialised(warp, *address, std::uint32_t{inst.width} * inst.count);
    there.unchanged = true;
    for (unsigned k = 0; k < inst.count; ++k) {
      const std::uint64_t value = element_of(warp, use, k, lane);
      std::byte* const at = warp.grid->memory.host(*address + k * inst.width);
      there.unchanged = there.unchanged && std::memcmp(at, &value, inst.width) == 0;
      std::memcpy(at, &value, inst.width);
    }
    return there;
  });
}

void reduce(Warp& warp, const Inst& inst, LaneMask mask) {
  const SurfaceUse& use = surface_use(inst);
  for_each_place(warp, inst, mask, Access::atomic, [&](std::uint32_t lane, auto address) {
    if (!address) return AtPlace{};
    check_initialised(warp, inst, lane, *address, inst.width);
    mark_initialised(warp, *address, inst.width);
    std::byte* at = warp.grid->memory.host(*address);
    std::uint64_t found = 0;
    std::memcpy(&found, at, inst.width);
    const std::uint64_t left = use.reduction(found, element_of(warp, use, 0, lane));
    std::memcpy(at, &left, inst.width);
    return AtPlace{.found = found};
  });
}

bool take_outside(Modifiers& modifiers, Outside& outside) {
  if (modifiers.take("trap")) return outside = Outside::trap, true;
  if (modifiers.take("zero")) return outside = Outside::zero, true;
  if (modifiers.take("clamp")) return outside = Outside::clamp, true;
  return false;
}

/// Geometry and clamping, which all of them name.
bool take_common(Modifiers& modifiers, SurfaceUse& use) {
  return modifiers.take("b") && take_geometry(modifiers, use.geometry) &&
         use.geometry != TexelGeometry::cube && use.geometry != TexelGeometry::acube &&
         take_outside(modifiers, use.outside);
}

bool bind_elements(const Operand& operand, Type type, bool is_load, ProgramContext& context,
                   const Inst& out, SurfaceUse& use) {
  const bool vector = operand.kind == Operand::Kind::vector;
  if ((vector ? operand.elements.size() : 1) != out.count) return false;
  use.wide = out.width == 8;
  for (unsigned k = 0; k < out.count; ++k) {
    const Operand& one = vector ? operand.elements[k] : operand;
    const bool bound = is_load ? bind_destination(one, type, context, use.registers[k])
                               : bind_source(one, type, context, use.registers[k]);
    if (!bound) return false;
  }
  return true;
}

template <bool is_load>
bool decode_access(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  const auto& operands = instruction.operands;
  Modifiers modifiers(instruction);
  for (const char* hint : {"ca", "cg", "cs", "cv", "wb", "wt"}) modifiers.take(hint);
  auto* use = context.make<SurfaceUse>();
  if (modifiers.take("v2")) out.count = 2;
  if (modifiers.take("v4")) out.count = 4;
  if (!take_common(modifiers, *use)) return false;
  const Type type = modifiers.take_type();
  const std::size_t width = ptx::size_of(type);
  const bool known = is_untyped(type) && width <= 8 && width * out.count <= 16;
  if (!known || !modifiers.done() || operands.size() != 2) return false;
  out.width = static_cast<std::uint8_t>(width);
  out.extra = use;
  out.handler = out.full_handler = is_load ? load : store;
  const Operand &place = operands[is_load ? 1 : 0], &value = operands[is_load ? 0 : 1];
  return bind_place(place, use->geometry, Type::b32, context, out, use->place) &&
         bind_elements(value, type, is_load, context, out, *use);
}

template <class T>
Reduction reduction_named(Modifiers& modifiers) {
  if (modifiers.take("add")) {
    return [](std::uint64_t old, std::uint64_t operand) { return old + operand; };
  }
  if (modifiers.take("min")) {
    return [](std::uint64_t old, std::uint64_t operand) {
      return static_cast<std::uint64_t>(std::min(static_cast<T>(old), static_cast<T>(operand)));
    };
  }
  if (modifiers.take("max")) {
    return [](std::uint64_t old, std::uint64_t operand) {
      return static_cast<std::uint64_t>(std::max(static_cast<T>(old), static_cast<T>(operand)));
    };
  }
  return nullptr;
}

Reduction bitwise_named(Modifiers& modifiers) {
  if (modifiers.take("and")) {
    return [](std::uint64_t old, std::uint64_t operand) { return old & operand; };
  }
  if (modifiers.take("or")) {
    return [](std::uint64_t old, std::uint64_t operand) { return old | operand; };
  }
  return nullptr;
}

template <auto extent>
void query_surface(Warp& warp, const Inst& inst, LaneMask mask) {
  for_each_object(warp, inst, mask, surface_of, [&](const TexelRegion& region, LaneMask lanes) {
    for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      vector_register<std::uint32_t>(warp.registers, inst.dst)[std::countr_zero(rest)] =
          extent_of(region, extent);
    }
  });
}

}  // namespace

bool decode_suld(const Instruction& instruction, DecodeContext& context, Inst& out) {
  return decode_access<true>(instruction, context, out);
}

bool decode_sust(const Instruction& instruction, DecodeContext& context, Inst& out) {
  return decode_access<false>(instruction, context, out);
}

bool decode_sured(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  const auto& operands = instruction.operands;
  Modifiers modifiers(instruction);
  auto* use = context.make<SurfaceUse>();
  if (!take_common(modifiers, *use)) return false;
  const Type type = modifiers.take_type();
  if (type == Type::u32) use->reduction = reduction_named<std::uint32_t>(modifiers);
  if (type == Type::s32) use->reduction = reduction_named<std::int32_t>(modifiers);
  if (type == Type::u64) use->reduction = reduction_named<std::uint64_t>(modifiers);
  if (type == Type::s64) use->reduction = reduction_named<std::int64_t>(modifiers);
  if (type == Type::b32) use->reduction = bitwise_named(modifiers);
  if (!use->reduction || !modifiers.done() || operands.size() != 2) return false;
  out.width = static_cast<std::uint8_t>(ptx::size_of(type));
  out.extra = use;
  out.handler = out.full_handler = reduce;
  return bind_place(operands[0], use->geometry, Type::b32, context, out, use->place) &&
         bind_elements(operands[1], type, false, context, out, *use);
}

bool decode_suq(const Instruction& instruction, DecodeContext& base, Inst& out) {
  static constexpr ExtentHandlers handlers = {
      query_surface<Extent::width>, query_surface<Extent::height>, query_surface<Extent::depth>,
      query_surface<Extent::layers>};
  return decode_query(instruction, static_cast<ProgramContext&>(base), handlers, out);
}

}  // namespace gridstride::sim

// What the lanes of a recorded warp read and write, and what warp operations give them.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/simulator/base/address_spaces.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/trace_recorder.h"
#include "common/simulator/program/memory_use.h"
#include "common/simulator/program/sync_operation.h"

namespace gridstride::sim {
namespace {

struct Place {
  TraceSpace space = TraceSpace::global;
  std::uint64_t at = 0;
};

/// As lane_addresses() of isa/memory has them.
std::uint64_t address_of(const Warp& warp, const Inst& inst, std::uint32_t lane) {
  const auto offset = static_cast<std::uint64_t>(inst.imm);
  if (inst.a == no_register) return offset;
  if (use_of(inst).base_bytes == 8)
    return vector_register<std::uint64_t>(warp.registers, inst.a)[lane] + offset;
  return vector_register<std::uint32_t>(warp.registers, inst.a)[lane] +
         static_cast<std::uint32_t>(offset);
}

/// False for parameters, which are no memory that a trace shows.
bool find_place(ptx::Space space, std::uint64_t address, Place& place) {
  place.at = address;
  switch (space) {
    case ptx::Space::shared:
      place.space = TraceSpace::shared;
      return true;
    case ptx::Space::local:
      place.space = TraceSpace::local;
      return true;
    case ptx::Space::param:
      return false;
    case ptx::Space::generic:
      if (in_window(address, shared_window)) {
        place = {TraceSpace::shared, address - shared_window};
      } else if (in_window(address, local_window)) {
        place = {TraceSpace::local, address - local_window};
      } else {
        return !in_window(address, param_window);
      }
      return true;
    case ptx::Space::global:
    case ptx::Space::constant:
      return true;
  }
  return true;
}

/// Where the bytes lie on the host; null when they are nobody's.
const std::byte* host_of(const Warp& warp, TraceSpace space, std::uint32_t lane,
                         std::uint64_t place, std::uint64_t bytes) {
  if (space == TraceSpace::global) {
    return warp.grid->memory.contains(place, bytes) ? warp.grid->memory.host(place) : nullptr;
  }
  if (space == TraceSpace::shared) {
    const std::size_t size = warp.block->shared.size();
    return place <= size && bytes <= size - place ? warp.block->shared.data() + place : nullptr;
  }
  const std::uint64_t stack = warp.grid->kernel.local_stack;
  if (place > stack || bytes > stack - place) return nullptr;
  return warp.local + lane * stack + place;
}

std::uint64_t bits_at(const std::byte* from, std::uint32_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, std::min<std::size_t>(bytes, sizeof bits));
  return bits;
}

/// The operand that lanes store, by element; as elements are, without what a wider register has above.
std::uint64_t stored(const Warp& warp, const Inst& inst, std::uint32_t lane,
                     std::uint32_t element) {
  const MemoryUse& use = use_of(inst);
  const VectorRegister at = use.registers[element];
  if (at == no_register) return 0;
  const std::uint64_t bits = use.lane_bytes == 8
                                 ? vector_register<std::uint64_t>(warp.registers, at)[lane]
                                 : vector_register<std::uint32_t>(warp.registers, at)[lane];
  return inst.width >= 8 ? bits : bits & ((std::uint64_t{1} << 8 * inst.width) - 1);
}

template <class Each>
void for_lanes(LaneMask lanes, Each each) {
  for (; lanes != 0; lanes &= lanes - 1) each(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

/// What stands in memory at the lanes' places; empty when any of them is nobody's.
std::vector<std::uint64_t> found(const Warp& warp, const TraceAccess& access) {
  std::vector<std::uint64_t> values;
  std::size_t i = 0;
  bool good = true;
  for_lanes(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t place = access.places[i++];
    const std::byte* from =
        host_of(warp, access.space, lane, place, std::uint64_t{access.bytes} * access.count);
    good = good && from != nullptr;
    for (std::uint32_t k = 0; good && k < access.count; ++k)
      values.push_back(bits_at(from + std::size_t{k} * access.bytes, access.bytes));
  });
  if (!good) values.clear();
  return values;
}

}  // namespace

std::vector<TraceAccess> accesses_before(const Warp& warp, const TraceOp& op, const Inst& inst,
                                         LaneMask lanes) {
  std::vector<TraceAccess> accesses;
  const bool moves =
      op.kind == TraceKind::load || op.kind == TraceKind::store || op.kind == TraceKind::atomic;
  if (!moves || lanes == 0 || use_of(inst).frame_param) return accesses;
  const MemoryUse& use = use_of(inst);
  for (const TraceSpace space : {TraceSpace::global, TraceSpace::shared, TraceSpace::local}) {
    TraceAccess access;
    access.space = space;
    access.kind = op.kind;
    access.bytes = inst.width;
    access.count = inst.count;
    for_lanes(lanes, [&](std::uint32_t lane) {
      Place place;
      if (!find_place(use.space, address_of(warp, inst, lane), place) || place.space != space)
        return;
      access.lanes |= 1u << lane;
      access.places.push_back(place.at);
    });
    if (access.lanes == 0) continue;
    access.values = found(warp, access);
    if (op.kind == TraceKind::store && !access.values.empty()) {
      access.values.clear();
      for_lanes(access.lanes, [&](std::uint32_t lane) {
        for (std::uint32_t k = 0; k < access.count; ++k)
          access.values.push_back(stored(warp, inst, lane, k));
      });
    }
    accesses.push_back(std::move(access));
  }
  return accesses;
}

void fill_in_after(const Warp& warp, std::vector<TraceAccess>& accesses) {
  for (TraceAccess& access : accesses) {
    if (access.kind == TraceKind::atomic) access.after = found(warp, access);
  }
}

std::vector<std::uint64_t> results_of(const Warp& warp, const Inst& inst, const TraceOp& op,
                                      LaneMask lanes) {
  std::vector<std::uint64_t> results;
  if (inst.dst == no_register) return results;
  const bool predicate = op.text.find(".pred") != std::string::npos;
  for_lanes(lanes, [&](std::uint32_t lane) {
    results.push_back(predicate ? *vector_register<LaneMask>(warp.registers, inst.dst) >> lane & 1
                                : vector_register<std::uint32_t>(warp.registers, inst.dst)[lane]);
  });
  return results;
}

std::vector<std::uint32_t> sources_of(const Warp& warp, const Inst& inst, LaneMask lanes) {
  const auto& text = warp.grid->kernel.origins[inst.source];
  std::vector<std::uint32_t> sources;
  if (!text.instruction) return sources;
  for_lanes(lanes, [&](std::uint32_t lane) {
    const std::uint32_t clamp = vector_register<std::uint32_t>(warp.registers, inst.c)[lane];
    const std::uint32_t distance =
        vector_register<std::uint32_t>(warp.registers, inst.b)[lane] & 31;
    const std::uint32_t c = clamp & 31, segment = clamp >> 8 & 31;
    const std::uint32_t last = (lane & segment) | (c & ~segment);
    std::uint32_t from = (lane & segment) | (distance & ~segment);
    bool inside = from <= last;
    if (text.instruction->has("up")) {
      from = lane - distance;
      inside = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(last);
    } else if (text.instruction->has("down")) {
      from = lane + distance;
      inside = from <= last;
    } else if (text.instruction->has("bfly")) {
      from = lane ^ distance;
      inside = from <= last;
    }
    sources.push_back(inside ? from & 31 : lane);
  });
  return sources;
}

}  // namespace gridstride::sim

// Which lanes of an atomic operation will store: a compare-and-swap that finds another value leaves
// nothing behind, and so hands nothing on.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "common/simulator/exec/warp.h"
#include "common/simulator/program/instruction.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {

/// Lanes of `mask`, served lowest first, that store. Before they have. `addresses`: 32, of any kind;
/// `memory(lane)`: where on the host its address is.
template <class Address, class Memory>
LaneMask storing_lanes(const Warp& warp, const Inst& inst, LaneMask mask, const Address* addresses,
                       Memory memory) {
  const MemoryUse& use = use_of(inst);
  if (use.compared == no_register || use.replacement == no_register) return mask;
  const auto bits_of = [&](VectorRegister at, std::uint32_t lane) {
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * inst.width);
    return all &
           (use.lane_bytes == 8 ? vector_register<const std::uint64_t>(warp.registers, at)[lane]
                                : vector_register<const std::uint32_t>(warp.registers, at)[lane]);
  };
  LaneMask storing = 0;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::uint64_t found = 0;
    std::memcpy(&found, memory(lane), inst.width);
    for (LaneMask before = storing; before != 0; before &= before - 1) {
      const auto other = static_cast<std::uint32_t>(std::countr_zero(before));
      if (addresses[other] == addresses[lane]) found = bits_of(use.replacement, other);
    }
    if (found == bits_of(use.compared, lane)) storing |= LaneMask{1} << lane;
  }
  return storing;
}

}  // namespace gridstride::sim

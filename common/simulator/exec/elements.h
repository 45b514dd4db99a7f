// The values that a memory instruction moves, in their registers.
#pragma once

#include <cstdint>

#include "common/simulator/exec/warp.h"
#include "common/simulator/program/instruction.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {

/// The bits of one element in a vector register.
inline std::uint64_t element(const Warp& warp, const MemoryUse& use, unsigned index,
                             std::uint32_t lane) {
  return use.lane_bytes == 8
             ? vector_register<const std::uint64_t>(warp.registers, use.registers[index])[lane]
             : vector_register<const std::uint32_t>(warp.registers, use.registers[index])[lane];
}

}  // namespace gridstride::sim

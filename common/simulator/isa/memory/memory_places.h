// Where the lanes of one memory instruction end up, in whatever space.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/simulator/exec/grid_run.h"
#include "common/simulator/program/instruction.h"

namespace gridstride::sim {

struct MemoryPlaces {
  std::byte* at[warp_size];            ///< on the host
  std::uint64_t addresses[warp_size];  ///< lanes in `global`: device addresses
  std::uint32_t offsets[warp_size];    ///< lanes in `shared`: offsets in shared memory
  LaneMask global = 0, shared = 0;
};

/// Checks an access of `bytes` a lane, counts it (but for atomics, whose costs are their own), and
/// says where it goes.
void find_places(Warp& warp, const Inst& inst, LaneMask mask, std::uint32_t bytes, Access access,
                 MemoryPlaces& out);

}  // namespace gridstride::sim

// How many blocks of a kernel an SM holds at once, and how many registers its threads need.
#pragma once

#include <cstdint>

#include "common/simulator/model/profile.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

struct Occupancy {
  std::uint32_t blocks = 0;  ///< resident on one multiprocessor; 0: the block does not fit
  double fraction = 0;       ///< resident threads over the most there can be
  const char* limiter = "";  ///< "threads", "blocks", "registers" or "shared"
};

/// The rules of the CUDA occupancy calculator: each limit alone, the least of them counts.
/// `shared_bytes`: static and dynamic shared memory of a block.
Occupancy occupancy(const MultiprocessorLimits& limits, std::uint32_t block_threads,
                    std::uint32_t registers, std::uint64_t shared_bytes);

/// Registers that a thread of `kernel` needs, estimated from its PTX, which names one register for
/// each value ever computed. Counted is the largest number of 32-bit values that are alive at one
/// place (from first writing to last use in program order, stretched over the loops that enclose
/// them), plus what the hardware always takes; then rounded up to 8, and bounded by what
/// __launch_bounds__ asks for. ptxas reuses registers across reordered code, so this is an
/// estimate: it is within a few registers on kernels of the kind that a course has, and never
/// decides alone.
std::uint32_t estimate_registers(const ptx::Function& kernel, const MultiprocessorLimits& limits);

}  // namespace gridstride::sim

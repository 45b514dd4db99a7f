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

/// Bytes of the L1 that one of `blocks` blocks on a multiprocessor has for itself, of a kernel of which
/// `resident` fit with `shared_bytes` each: the driver sets shared memory aside for as many as fit, and
/// those that are there share the rest.
std::uint64_t l1_share(const MultiprocessorLimits& limits, std::uint32_t resident,
                       std::uint64_t shared_bytes, std::uint64_t blocks);

/// Registers that a thread of `kernel` needs, estimated from its PTX, which names one register for
/// each value ever computed. Counted is the largest number of 32-bit values that are needed later
/// at one place, but for integers that are the same for the whole warp, which have registers of
/// their own; plus what is always taken; then rounded up to 8, and bounded by what
/// __launch_bounds__ asks for. ptxas reorders and unrolls, so this is an estimate: of 96 kernels of
/// the labs half come out as ptxas has them for sm_90, and a third a step of 8 off
/// (grader/records/compare_registers.py).
/// Throws Unsupported for a branch table that is not there.
std::uint32_t estimate_registers(const ptx::Function& kernel, const MultiprocessorLimits& limits);

/// The registers of a thread in a launch of `block_threads`, where nobody but estimate_registers() knows
/// them: `estimated`, but no more than let one block fit. An estimate is no reason to refuse a launch,
/// which may well be legal.
std::uint32_t registers_of_launch(const MultiprocessorLimits& limits, std::uint32_t block_threads,
                                  std::uint32_t estimated);

/// The largest block of threads that take `registers` each: more the hardware refuses.
std::uint32_t most_threads(const MultiprocessorLimits& limits, std::uint32_t registers);

}  // namespace gridstride::sim

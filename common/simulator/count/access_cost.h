// What one warp-wide memory access costs: sectors in global memory, wavefronts in shared memory.
//
// The rules were found on an H200 and reproduce its counters on every pattern tried; the table of
// patterns is testdata/h200-access-patterns.csv. A lane's access is aligned to its own size, so it
// never crosses a sector.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace gridstride::sim {

/// The sectors of one 128-byte line that a request touches.
struct LineTouch {
  std::uint64_t line;       ///< address / 128
  std::uint32_t sectors;    ///< bits 0-3
  std::uint32_t lanes = 0;  ///< that touch each of them, 8 bits each from the lowest
};

/// The distinct lines of a request, in the order of their first lane.
struct LineTouches {
  std::array<LineTouch, 32> lines;  ///< the first `count`
  std::uint32_t count = 0;
  std::uint32_t sectors() const {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < count; ++i) sum += std::popcount(lines[i].sectors);
    return sum;
  }
};

/// Sectors over the lanes of `mask`; `addresses` has 32 entries.
LineTouches touched_lines(const std::uint64_t* addresses, std::uint32_t mask);

/// Cycles that a global access occupies the L1, which is one array with shared memory: lanes with 8 and
/// 16 bytes are served in the same groups, and a line that lanes of two groups want is looked up twice.
/// `touches`: touched_lines() of the same addresses.
std::uint32_t l1_passes(const LineTouches& touches, const std::uint64_t* addresses,
                        std::uint32_t mask, std::uint32_t bytes);

/// The fewest sectors that hold `bytes` bytes for each lane of `mask`.
inline std::uint32_t ideal_sectors(std::uint32_t mask, std::uint32_t bytes) {
  return (static_cast<std::uint32_t>(std::popcount(mask)) * bytes + 31) / 32;
}

/// True when all lanes of `mask`, which is not 0, have one address.
bool all_equal(const std::uint64_t* addresses, std::uint32_t mask);

/// L2 operations of a global atomic: over the sectors, the largest number of lanes on one address.
struct AtomicCost {
  struct Sector {
    std::uint64_t number;      ///< address / 32
    std::uint32_t operations;  ///< largest number of lanes on one address
  };
  std::array<Sector, 32> touched;
  std::uint32_t count = 0;    ///< of sectors touched
  std::uint32_t sectors = 0;  ///< operations in all of them
  std::uint32_t serial = 0;   ///< largest number of lanes on one address of the whole request
};
AtomicCost global_atomic_cost(const std::uint64_t* addresses, std::uint32_t mask);

struct SharedCost {
  std::uint32_t wavefronts = 0;
  std::uint32_t ideal = 0;  ///< without bank conflicts
};
/// Shared load or store of `bytes` (1, 2, 4, 8 or 16) a lane at byte `offsets` (32 entries).
SharedCost shared_access_cost(const std::uint32_t* offsets, std::uint32_t mask,
                              std::uint32_t bytes);
/// The same for lanes 0 to `lanes` - 1 of up to 4 bytes, `stride` bytes apart from a multiple of 4
/// (stride a multiple of 4 too), in constant time.
SharedCost shared_stride_cost(std::uint32_t lanes, std::int32_t stride);
/// Largest number of lanes of `mask`, which is not 0, that have one offset.
std::uint32_t most_on_one(const std::uint32_t* offsets, std::uint32_t mask);
/// Of a shared atomic of 4 or 8 bytes that is a compare-and-swap loop. In each iteration one lane of a bank
/// succeeds, whatever words the others want; those of 8 bytes are served 16 lanes at a time. Measured on
/// an H200 (model/measure/cas_loops.csv): additions of floats to words of their own take 2.8, 7.1, 18, 54
/// and 169 clocks with 1, 2, 4, 8 and 16 lanes a bank; 16 lanes on one word 54.
struct CasLoopCost {
  std::uint32_t iterations = 0;
  std::uint32_t passes = 0;  ///< words of one bank that they look at, beyond one each
};
CasLoopCost cas_loop_cost(const std::uint32_t* offsets, std::uint32_t mask, std::uint32_t bytes);
/// Shared atomic: lanes in one bank are served one by one, those on one address included. With
/// `counts_lanes` (adding the constant 1) lanes on one address are counted and added at once.
SharedCost shared_atomic_cost(const std::uint32_t* offsets, std::uint32_t mask, bool counts_lanes);

}  // namespace gridstride::sim

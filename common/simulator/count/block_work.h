// How evenly the blocks of a grid keep the multiprocessors busy when some have more to do than others.
//
// A multiprocessor takes the next block when one of its blocks has ended, and gives those that it has
// equal shares of its time. Which ends when follows from the instructions that each executes. Where blocks
// differ, as those of pictures with a part that is much to compute, some multiprocessors have
// long blocks yet when nothing is left for the others.
#pragma once

#include <cstdint>
#include <span>

namespace gridstride::sim {

/// The time until the last of blocks that are as much work as `work` says has ended, in units of work
/// of one multiprocessor; `resident` fit on each of `multiprocessors`.
double time_of_blocks(std::span<const std::uint64_t> work, std::uint32_t multiprocessors,
                      std::uint32_t resident);

/// Whether some are a quarter more work than others: ragged ends, which make a few blocks a little shorter,
/// are no matter.
bool differ(std::span<const std::uint64_t> work);

/// That over the time of as many blocks that are alike; 1 at least. `work` is not empty.
double imbalance_of_blocks(std::span<const std::uint64_t> work, std::uint32_t multiprocessors,
                           std::uint32_t resident);

/// Lanes of a warp that do an atomic on global memory, of a kernel whose threads take what is left to do from
/// a queue; or none, where the warp passes a barrier.
struct Draw {
  double time = 0;  ///< cycle
  int lanes = 0;
  std::uint32_t warp = 0;
};
/// How long warps go on when nothing is left, at most, of a block that has done `draws` in order, emptied the
/// queue and ended at `ends`. That was when there are as many lanes to come as another block has that finds it
/// empty. Up to the last draw before a barrier: here some warps come there with more work behind them than
/// others, which on a GPU they share.
double longest_behind_queue(std::span<const Draw> draws, int in_vain, std::span<const double> ends);

}  // namespace gridstride::sim

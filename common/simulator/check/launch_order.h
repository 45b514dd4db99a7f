// Which grids of a launch tree lie before which others: dynamic parallelism.
//
// A grid that the host launches and all that it launches in turn are looked at as one. Their blocks are
// numbered through, grid by grid in the order in which they run here, and behind its blocks each grid
// has two more numbers: one that stands for all that the grid itself and its children do, tail
// launches aside, and one that stands for these, too. What lies before a grid is a set of such numbers:
//
// - of the block that launched it what the launching thread has done and knows (a GridClock as it is);
// - of grids that ended before, in the same stream or before an event, the number of the whole;
// - of the parent of a tail launch the number of the grid without tail launches.
//
// So an access lies before a grid when its block is known up to then, or a number is that stands for a
// grid that it belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/simulator/check/clocks.h"

namespace gridstride::sim {

class LaunchOrder {
 public:
  using Grid = std::uint32_t;  ///< a number, in the order in which grids run; 0 is the host's

  /// A grid of `blocks` blocks runs next, which `parent` launched (of the host's it says nothing).
  /// Nothing when the tree grows too large to be looked at: 2^18 grids, or 2^32 blocks.
  std::optional<Grid> add(std::uint64_t blocks, Grid parent = 0, bool is_tail = false);

  /// What is added to the number of a block in its grid.
  std::uint64_t first_block(Grid grid) const { return grids_[grid].first; }
  Grid parent(Grid grid) const { return grids_[grid].parent; }
  /// The grid that block `block`, numbered through, belongs to.
  Grid grid_of(std::uint64_t block) const;

  /// `known` is to hold that the grid has ended and what it launched, but for tail launches.
  void add_ended(GridClock& known, Grid grid) const;
  /// … and those.
  void add_whole(GridClock& known, Grid grid) const;

  /// Whether an access of `block` lies before somebody: `covers(block, thread, timestamp)` says what he
  /// knows, as GridClock::covers() does.
  template <class Covers>
  bool is_before(std::uint64_t block, Covers covers) const {
    Grid grid = grid_of(block);
    if (covers(ended(grid), 0, 0)) return true;
    for (;;) {
      if (covers(whole(grid), 0, 0)) return true;
      if (grid == 0) return false;
      // A tail launch is no part of what its parent did before.
      const bool is_tail = grids_[grid].is_tail;
      grid = grids_[grid].parent;
      if (!is_tail && covers(ended(grid), 0, 0)) return true;
    }
  }

 private:
  struct Placed {
    std::uint64_t first = 0, blocks = 0;
    Grid parent = 0;
    bool is_tail = false;
  };
  std::uint64_t ended(Grid grid) const { return grids_[grid].first + grids_[grid].blocks; }
  std::uint64_t whole(Grid grid) const { return ended(grid) + 1; }

  std::vector<Placed> grids_;
};

}  // namespace gridstride::sim

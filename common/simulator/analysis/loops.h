// Which blocks of a function form loops.
#pragma once

#include <cstdint>
#include <vector>

namespace gridstride::sim {

/// A loop is a set of blocks from each of which every other one can be reached, as large as it can be: of
/// nested loops the outermost.
struct Loops {
  std::vector<std::int32_t>
      of;  ///< by block: the number of its loop; -1 when it does not lead back to itself
  std::int32_t count = 0;
};

/// `successors` as Blocks has them.
Loops loops_of(const std::vector<std::vector<std::int32_t>>& successors);

}  // namespace gridstride::sim

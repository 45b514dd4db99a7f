// The grids of a launch tree, as races between them are looked for and told: dynamic parallelism.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/simulator/base/dim3.h"
#include "common/simulator/check/global_races.h"
#include "common/simulator/check/launch_order.h"
#include "common/simulator/program/program.h"

namespace gridstride::sim {

/// A grid, or a copy or fill, as messages name it.
struct LaunchedGrid {
  const Program* program = nullptr;  ///< lives longer than this
  std::size_t kernel = 0;            ///< of the program
  Dim3 grid, block;
  // Of the thread that launched it, but for the grid that the host launched:
  Dim3 by_thread, by_block;
  std::uint32_t line = 0;  ///< 0 when unknown
  /// Of a copy or fill the rest is that of the grid that asked for it.
  enum class What : std::uint8_t { grid, copy, fill } what = What::grid;
};

/// What the host launched, and all that was launched by it so far.
struct LaunchedGrids {
  LaunchOrder order;
  std::vector<LaunchedGrid> grids;     ///< by LaunchOrder::Grid
  std::unique_ptr<GlobalRaces> races;  ///< null when they are not looked for
};

}  // namespace gridstride::sim

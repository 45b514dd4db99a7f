// See launch_order.h.
#include "common/simulator/check/launch_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace gridstride::sim {
namespace {

constexpr std::size_t most_grids = std::size_t{1} << 18;
constexpr std::uint64_t most_numbers = std::numeric_limits<std::uint32_t>::max();

void add_number(GridClock& known, std::uint64_t number) {
  BlockClock all;
  all.add_epoch(1);
  known.add(number, all);
}

}  // namespace

std::optional<LaunchOrder::Grid> LaunchOrder::add(std::uint64_t blocks, Grid parent, bool is_tail) {
  const auto grid = static_cast<Grid>(grids_.size());
  const std::uint64_t first = grids_.empty() ? 0 : whole(grid - 1) + 1;
  if (grids_.size() >= most_grids || blocks + 2 > most_numbers - first) return std::nullopt;
  grids_.push_back({first, blocks, parent, is_tail});
  return grid;
}

LaunchOrder::Grid LaunchOrder::grid_of(std::uint64_t block) const {
  const auto behind = std::ranges::upper_bound(grids_, block, {}, &Placed::first);
  return static_cast<Grid>(behind - grids_.begin() - 1);
}

void LaunchOrder::add_ended(GridClock& known, Grid grid) const { add_number(known, ended(grid)); }

void LaunchOrder::add_whole(GridClock& known, Grid grid) const { add_number(known, whole(grid)); }

}  // namespace gridstride::sim

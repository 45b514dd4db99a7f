// Races with what other grids of the launch tree did.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "common/simulator/check/global_races.h"
#include "common/simulator/check/launch_order.h"

namespace gridstride::sim {

void GlobalRaces::begin_grid(const LaunchOrder& order, LaunchOrder::Grid grid, GridClock before,
                             std::size_t instructions, GlobalRaceSink& sink,
                             std::span<const std::uint8_t> atomic_bytes) {
  earlier_atomic_bytes_.resize(grid);
  earlier_atomic_bytes_[grid_] = atomic_bytes_;
  atomic_bytes_ = atomic_bytes;
  launch_order_ = &order;
  grid_ = grid;
  first_block_ = order.first_block(grid);
  before_grid_ = std::move(before);
  sink_ = &sink;
  latest_.assign(instructions, 0);
  last_ = {};
}

bool GlobalRaces::before_in_tree(const Step& step, std::uint32_t lane, const Record& record,
                                 std::uint32_t thread, Covers what) const {
  const auto covers = [&](std::uint64_t block, std::uint32_t by, std::uint32_t timestamp) {
    return before_grid_.covers(block, by, timestamp) ||
           step.order.happens_before_across_blocks(step.warp, lane, block, by, timestamp, what);
  };
  if (what == Covers::reads &&
      covers(record.block, BlockClock::reads_of + record.warp, record.timestamp)) {
    return true;
  }
  return covers(record.block, thread, record.timestamp) ||
         launch_order_->is_before(record.block, covers);
}

std::uint8_t GlobalRaces::atomic_bytes(const Record& record) const {
  if (!is_of_earlier_grid(record)) return atomic_bytes_[record.instruction];
  const auto& bytes = earlier_atomic_bytes_[launch_order_->grid_of(record.block)];
  return bytes.empty() ? 0 : bytes[record.instruction];
}

RacingGlobalAccess GlobalRaces::racing(const Record& record, const RacingAccess& access) const {
  if (!is_of_earlier_grid(record)) {
    return {record.block - first_block_, access, record.strength(), grid_};
  }
  const LaunchOrder::Grid grid = launch_order_->grid_of(record.block);
  return {record.block - launch_order_->first_block(grid), access, record.strength(), grid};
}

}  // namespace gridstride::sim

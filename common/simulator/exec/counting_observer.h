// What accesses cost, in sectors, wavefronts and what the caches make of them. Here and not in a
// source file, because handlers know at compile time how wide an access is.
#pragma once

#include <cstdint>

#include "common/simulator/count/access_cost.h"
#include "common/simulator/exec/access_events.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {

struct CountingObserver {
  static void hear(const BlockStart& event);
  static void hear(const GlobalAccess& event);
  static void hear(const SharedAccess& event);
  static void hear(const SharedLine& event);
};

namespace detail {

inline SharedCost cost_of(const LaneLine& line, const std::uint32_t* offsets, LaneMask mask,
                          std::uint32_t bytes) {
  if (line.lanes != 0) {
    const std::uint32_t group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
    if (line.stride == static_cast<std::int32_t>(bytes)) {
      const std::uint32_t groups = line.lanes <= 2 ? 1 : (line.lanes + group - 1) / group;
      return {groups, groups};
    }
    if (line.stride == 0 && bytes > 4) {  // all pairs of lanes are equal
      const std::uint32_t groups = (line.lanes + 2 * group - 1) / (2 * group);
      return {groups, groups};
    }
    if (bytes <= 4 && line.stride % 4 == 0) return shared_stride_cost(line.lanes, line.stride);
  }
  return shared_access_cost(offsets, mask, bytes);
}

inline void count(Warp& warp, const Inst& inst, const SharedCost& cost,
                  const std::uint32_t* offsets, LaneMask mask) {
  InstructionCounts& counts = warp.grid->counters.counts[inst.source];
  ++counts.shared_requests;
  counts.shared_wavefronts += cost.wavefronts;
  counts.shared_ideal += cost.ideal;
  warp.outcome.wavefronts = cost.wavefronts;
  if (cost.wavefronts > cost.ideal) {
    warp.grid->counters.note_pattern(inst, offsets, mask, cost.wavefronts, cost.ideal);
  }
}

/// An access without conflicts.
inline void count_ideal(Warp& warp, const Inst& inst, std::uint32_t wavefronts) {
  InstructionCounts& counts = warp.grid->counters.counts[inst.source];
  ++counts.shared_requests;
  counts.shared_wavefronts += wavefronts;
  counts.shared_ideal += wavefronts;
  warp.outcome.wavefronts = wavefronts;
}

/// An access that stands for several, or for none.
void count_merged(Warp& warp, const Inst& inst, LaneMask mask, const std::uint32_t* offsets);
void count_merged(const SharedLine& event);

}  // namespace detail

inline void CountingObserver::hear(const GlobalAccess& event) {
  if (event.access == Access::atomic) return;  // what those cost, their handlers know
  const auto& [warp, inst, mask, shape, addresses, bytes, access] = event;
  const bool writes = access == Access::store;
  AccessCounters& counters = warp.grid->counters;
  std::uint32_t sectors = 0, ideal = 0;
  if (shape.contiguous) {
    sectors = counters.count_global_run(warp, inst, shape.low, bytes * warp_size, writes);
    ideal = bytes;  // times 32 lanes, by 32 bytes
  } else if (shape.uniform) {
    ideal = counters.count_global_run(warp, inst, shape.low, bytes, writes);
  } else {
    ideal = ideal_sectors(mask, bytes);
    sectors = counters.count_global(warp, inst, addresses, mask, bytes, ideal, writes);
  }
  if (sectors > ideal) counters.note_pattern(inst, addresses, mask, sectors, ideal);
}

inline void CountingObserver::hear(const SharedAccess& event) {
  if (event.access == Access::atomic) return;
  const auto& [warp, inst, mask, line, offsets, bytes, access, joined] = event;
  if (joined && inst.flags != 0) [[unlikely]] {
    detail::count_merged(warp, inst, mask, offsets);
  } else {
    detail::count(warp, inst, detail::cost_of(line, offsets, mask, bytes), offsets, mask);
  }
}

inline void CountingObserver::hear(const SharedLine& event) {
  const std::uint32_t bytes = event.bytes;
  if (event.inst.flags != 0) {
    if (merged_bytes(event.inst.flags) != 0) detail::count_merged(event);
  } else if (event.is_run) {
    detail::count_ideal(event.warp, event.inst, bytes <= 4 ? 1 : bytes / 4);
  } else {  // pairs of lanes that are equal take half the passes
    detail::count_ideal(event.warp, event.inst, bytes <= 8 ? 1 : 2);
  }
}

}  // namespace gridstride::sim

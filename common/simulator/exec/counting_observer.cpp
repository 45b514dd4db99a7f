// See the header.
#include "common/simulator/exec/counting_observer.h"

#include <cstdint>

#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {

void CountingObserver::hear(const BlockStart& event) {
  event.block.cas_loops = {};
  event.block.l1.start(event.block.grid.request.l1_bytes);
}

void detail::count_merged(Warp& warp, const Inst& inst, LaneMask mask,
                          const std::uint32_t* offsets) {
  const std::uint32_t bytes = merged_bytes(inst.flags);
  if (bytes == 0) return;
  // The usual case, one address for each half of the warp: a pass for each.
  std::uint32_t differs = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    differs |= offsets[lane] ^ offsets[lane & 16];
  }
  if (differs == 0 && mask == full_mask && bytes == 16) {
    count(warp, inst, {2, 2}, offsets, mask);
    return;
  }
  std::uint32_t first[warp_size];
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    first[lane] = offsets[lane] - merged_bytes_below(inst.flags);
  }
  count(warp, inst, shared_access_cost(first, mask, bytes), first, mask);
}

void detail::count_merged(const SharedLine& event) {
  const std::uint32_t bytes = merged_bytes(event.inst.flags);
  if (!event.is_run && bytes == 16) return count_ideal(event.warp, event.inst, 2);
  LaneLine line;
  std::uint32_t offsets[warp_size];
  const SharedAccess each = expanded(event, line, offsets);
  count_merged(each.warp, each.inst, each.mask, each.offsets);
}

}  // namespace gridstride::sim

// Reads of what nobody has initialised.
#include <bit>
#include <cstdint>

#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/memory/initialised_bytes.h"

namespace gridstride::sim {
namespace {

void check_initialised(Warp& warp, const Inst& inst, LaneMask mask, const AddressShape& shape,
                       const std::uint64_t* addresses, std::uint32_t bytes) {
  const InitialisedBytes& initialised = warp.grid->memory.initialised();
  if (shape.contiguous || shape.uniform) {
    const std::uint32_t all = shape.contiguous ? bytes * warp_size : bytes;
    if (initialised.all(shape.low - GlobalMemory::base, all)) return;
  }
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t missing =
        initialised.missing_of_lane(addresses[lane] - GlobalMemory::base, bytes);
    if (missing == 0 || !warp.grid->findings.needs(inst.source, missing)) continue;
    return warp.grid->findings.uninitialized_read(thread_of(warp, lane), inst.source,
                                                  ptx::Space::global, addresses[lane], bytes);
  }
}

void mark_initialised(Warp& warp, LaneMask mask, const AddressShape& shape,
                      const std::uint64_t* addresses, std::uint32_t bytes) {
  InitialisedBytes& initialised = warp.grid->memory.initialised();
  if (shape.contiguous) return initialised.set(shape.low - GlobalMemory::base, bytes * warp_size);
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    initialised.set_lane(addresses[std::countr_zero(rest)] - GlobalMemory::base, bytes);
  }
}

void check_initialised(Warp& warp, const Inst& inst, LaneMask mask, const LaneLine& line,
                       const std::uint32_t* offsets, std::uint32_t bytes) {
  const InitialisedBytes& initialised = *warp.block->shared_initialised;
  if (line.is_run(bytes) && initialised.all(offsets[0], line.lanes * bytes)) return;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t missing = initialised.missing_of_lane(offsets[lane], bytes);
    if (missing == 0 || !warp.grid->findings.needs(inst.source, missing)) continue;
    return warp.grid->findings.uninitialized_read(thread_of(warp, lane), inst.source,
                                                  ptx::Space::shared, offsets[lane], bytes);
  }
}

void mark_initialised(InitialisedBytes& initialised, LaneMask mask, const LaneLine& line,
                      const std::uint32_t* offsets, std::uint32_t bytes) {
  if (line.is_run(bytes)) return initialised.set(offsets[0], line.lanes * bytes);
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    initialised.set_lane(offsets[std::countr_zero(rest)], bytes);
  }
}

}  // namespace

void InitialisationObserver::hear(const BlockStart& event) { event.block.forget_shared(); }

void InitialisationObserver::hear(const GlobalAccess& event) {
  const auto& [warp, inst, mask, shape, addresses, bytes, access] = event;
  if (access != Access::store &&
      warp.grid->request.checks.looks_for(FindingKind::uninitialized_read)) {
    check_initialised(warp, inst, mask, shape, addresses, bytes);
  }
  if (access != Access::load) mark_initialised(warp, mask, shape, addresses, bytes);
}

void InitialisationObserver::check(const SharedAccess& event) {
  const auto& [warp, inst, mask, line, offsets, bytes, access, joined] = event;
  InitialisedBytes* initialised = warp.block->shared_initialised;
  if (access != Access::store) check_initialised(warp, inst, mask, line, offsets, bytes);
  if (access != Access::load) mark_initialised(*initialised, mask, line, offsets, bytes);
}

void InitialisationObserver::hear(const BarrierOpening& event) {
  // Mostly everything is written before the first barrier, and nothing is left to look for.
  Block& block = event.block;
  if (block.shared_initialised && block.shared_initialised->all(0, block.shared.size())) {
    block.shared_initialised = nullptr;
  }
}

}  // namespace gridstride::sim

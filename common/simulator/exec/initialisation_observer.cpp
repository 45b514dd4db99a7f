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

/// What the lanes have stored without anybody having written it stays unwritten. `place` is a lane's
/// address in `space`; `leave` is given that and those of its bytes.
template <class Place, class Leave>
void keep_unwritten(Warp& warp, const Inst& inst, LaneMask mask, ptx::Space space, Place place,
                    Leave leave) {
  if (warp.unwritten.empty()) return;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t bytes =
        InitialisationObserver::check_store(warp, inst, space, lane, place(lane));
    if (bytes != 0) leave(place(lane), bytes);
  }
}

void check_initialised(Warp& warp, const Inst& inst, LaneMask mask, const AddressShape& shape,
                       const std::uint64_t* addresses, std::uint32_t bytes) {
  InitialisationObserver::forget_values(warp, inst, mask);
  const InitialisedBytes& initialised = warp.grid->memory.initialised();
  if (shape.contiguous || shape.uniform) {
    const std::uint32_t all = shape.contiguous ? bytes * warp_size : bytes;
    if (initialised.all(shape.low - GlobalMemory::base, all)) return;
  }
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t missing =
        initialised.missing_of_lane(addresses[lane] - GlobalMemory::base, bytes);
    if (missing != 0 && InitialisationObserver::check_load(warp, inst, ptx::Space::global, lane,
                                                           {missing, addresses[lane], bytes})) {
      return;
    }
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
  InitialisationObserver::forget_values(warp, inst, mask);
  const InitialisedBytes& initialised = *warp.block->shared_initialised;
  if (line.is_run(bytes) && initialised.all(offsets[0], line.lanes * bytes)) return;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t missing = initialised.missing_of_lane(offsets[lane], bytes);
    if (missing != 0 && InitialisationObserver::check_load(warp, inst, ptx::Space::shared, lane,
                                                           {missing, offsets[lane], bytes})) {
      return;
    }
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

bool InitialisationObserver::check_load(Warp& warp, const Inst& inst, ptx::Space space,
                                        std::uint32_t lane, const UnwrittenLoad& loaded) {
  FindingLog& findings = warp.grid->findings;
  const NeededBytes needed = findings.needed(inst.source);
  if ((loaded.missing & needed.used) != 0) {
    findings.uninitialized_read(thread_of(warp, lane), inst.source, space, loaded);
    return true;
  }
  if ((loaded.missing & needed.copied) != 0) {
    warp.unwritten.keep(warp.grid->kernel.origins[inst.source].instruction, space, lane, loaded);
  }
  return false;
}

std::uint32_t InitialisationObserver::check_store(Warp& warp, const Inst& inst, ptx::Space space,
                                                  std::uint32_t lane, std::uint64_t address) {
  const UnwrittenStore store =
      unwritten_store(warp.unwritten, warp.grid->copy_sources, inst.source, lane);
  if (store.load && space == ptx::Space::global) {
    warp.grid->findings.unwritten_copy(thread_of(warp, lane), *store.load, lane, inst.source,
                                       address, store.bytes, inst.width * inst.count);
  }
  return store.bytes;
}

void InitialisationObserver::hear(const GlobalAccess& event) {
  const auto& [warp, inst, mask, shape, addresses, bytes, access] = event;
  // An asynchronous copy is no look at what it copies.
  if (access != Access::store && !use_of(inst).asynchronous &&
      warp.grid->request.checks.looks_for(FindingKind::uninitialized_read)) {
    check_initialised(warp, inst, mask, shape, addresses, bytes);
  }
  if (access == Access::load) return;
  mark_initialised(warp, mask, shape, addresses, bytes);
  keep_unwritten(
      warp, inst, mask, ptx::Space::global, [&](std::uint32_t lane) { return addresses[lane]; },
      [&](std::uint64_t address, std::uint32_t missing) {
        warp.grid->memory.initialised().clear_of_lane(address - GlobalMemory::base, missing);
      });
}

void InitialisationObserver::check(const SharedAccess& event) {
  const auto& [warp, inst, mask, line, offsets, bytes, access, joined] = event;
  InitialisedBytes* initialised = warp.block->shared_initialised;
  if (access != Access::store) check_initialised(warp, inst, mask, line, offsets, bytes);
  if (access == Access::load) return;
  mark_initialised(*initialised, mask, line, offsets, bytes);
  keep(event);
}

void InitialisationObserver::keep(const SharedAccess& event) {
  const auto& [warp, inst, mask, line, offsets, bytes, access, joined] = event;
  keep_unwritten(
      warp, inst, mask, ptx::Space::shared,
      [&](std::uint32_t lane) { return std::uint64_t{offsets[lane]}; },
      [&](std::uint64_t offset, std::uint32_t missing) {
        warp.block->leave_unwritten(static_cast<std::uint32_t>(offset), missing);
      });
}

void InitialisationObserver::check(const SharedLine& event) {
  const auto& [warp, inst, first, is_run, bytes, access] = event;
  InitialisedBytes& initialised = *warp.block->shared_initialised;
  if (access == Access::store && is_run && warp.unwritten.empty()) {
    return initialised.set(first, bytes * warp_size);
  }
  const bool written = is_run ? initialised.all(first, bytes * warp_size)
                              : initialised.missing_of_lane(first, bytes) == 0;
  if (access == Access::load && written) return forget_values(warp, inst, full_mask);
  LaneLine line;
  std::uint32_t offsets[warp_size];
  check(expanded(event, line, offsets));
}

void InitialisationObserver::hear(const BarrierOpening& event) {
  // Mostly everything is written before the first barrier, and nothing is left to look for.
  Block& block = event.block;
  if (block.shared_initialised && block.shared_initialised->all(0, block.shared.size())) {
    block.shared_initialised = nullptr;
  }
}

}  // namespace gridstride::sim

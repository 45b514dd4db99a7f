// Where executed accesses meet the race checkers.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/simulator/check/global_races.h"
#include "common/simulator/check/happens_before.h"
#include "common/simulator/check/race_checker.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/compare_and_swap.h"
#include "common/simulator/exec/elements.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {
namespace {

/// Whether the store `inst` leaves in `lane` what is at `memory` as it is.
bool stores_what_is_there(const Warp& warp, const Inst& inst, std::uint32_t lane,
                          const std::byte* memory) {
  const MemoryUse& use = use_of(inst);
  if (use.registers[0] == no_register) return false;  // what it stores comes from elsewhere
  for (unsigned k = 0; k < inst.count; ++k) {
    const std::uint64_t value = element(warp, use, k, lane);
    if (std::memcmp(memory + k * inst.width, &value, inst.width) != 0) return false;
  }
  return true;
}

class GlobalValues final : public StoredValues {
 public:
  GlobalValues(const Warp& warp, const Inst& inst, const std::uint64_t* addresses)
      : warp_(warp), inst_(inst), addresses_(addresses) {}
  bool changes_nothing(std::uint32_t lane) const override {
    return stores_what_is_there(warp_, inst_, lane, warp_.grid->memory.host(addresses_[lane]));
  }

 private:
  const Warp& warp_;
  const Inst& inst_;
  const std::uint64_t* addresses_;
};

/// Whether a shared store would leave memory as it is.
class SharedValues final : public StoredValues {
 public:
  SharedValues(const Warp& warp, const Inst& inst, const std::uint32_t* offsets)
      : warp_(warp), inst_(inst), offsets_(offsets) {}
  bool changes_nothing(std::uint32_t lane) const override {
    return stores_what_is_there(warp_, inst_, lane, warp_.block->shared.data() + offsets_[lane]);
  }

 private:
  const Warp& warp_;
  const Inst& inst_;
  const std::uint32_t* offsets_;
};

/// Whether all lanes of a store of words find them where they have stored them.
template <class At>
bool all_words_are_there(const Warp& warp, const Inst& inst, LaneMask mask, At at) {
  const MemoryUse& use = use_of(inst);
  if (inst.width != 4 || inst.count != 1 || use.lane_bytes != 4) return false;
  if (use.registers[0] == no_register) return false;
  const auto* const values = vector_register<const std::uint32_t>(warp.registers, use.registers[0]);
  std::uint32_t differs = 0;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::uint32_t there = 0;
    std::memcpy(&there, at(lane), sizeof there);
    differs |= there ^ values[lane];
  }
  return differs == 0;
}

/// Calls `collide` with lanes of one store that wrote different values to one place.
template <class Address, class At, class Collide>
void find_collisions(const Warp& warp, const Inst& inst, LaneMask mask, const Address* addresses,
                     At at, Collide collide) {
  if (all_words_are_there(warp, inst, mask, at)) return;
  const std::uint32_t bytes = std::uint32_t{inst.width} * inst.count;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (stores_what_is_there(warp, inst, lane, at(lane))) continue;  // what it wrote is there
    for (std::uint32_t other = warp_size - 1; other > lane; --other) {
      const bool overlaps =
          addresses[other] < addresses[lane] + bytes && addresses[lane] < addresses[other] + bytes;
      if (!(mask >> other & 1) || !overlaps) continue;
      collide(lane, other);
      break;
    }
  }
}

GlobalRaces::Step step_of(Warp& warp, const Inst& inst) {
  return {.order = warp.block->order,
          .warp = warp.index,
          .instruction = inst.source,
          .kind = use_of(inst).kind,
          .live = warp.live,
          .acquires = use_of(inst).acquires,
          .read_only = use_of(inst).read_only,
          .asynchronous = use_of(inst).asynchronous};
}

void check_atomic(GlobalRaces::Step step, const Warp& warp, const Inst& inst, LaneMask mask,
                  const std::uint64_t* addresses, std::uint32_t bytes) {
  step.storing = storing_lanes(warp, inst, mask, addresses, [&](std::uint32_t lane) {
    return warp.grid->memory.host(addresses[lane]);
  });
  warp.grid->global_races->atomic(step, mask, addresses, bytes);
}

void check_global_races(Warp& warp, const Inst& inst, LaneMask mask, const std::uint64_t* addresses,
                        std::uint32_t bytes, Access access) {
  GlobalRaces& races = *warp.grid->global_races;
  const MemoryUse& use = use_of(inst);
  if (use.releases) warp.block->order.release(lanes_of(warp, mask), use.device_wide);
  const GlobalRaces::Step step = step_of(warp, inst);
  switch (access) {
    case Access::load:
      return races.read(step, mask, addresses, bytes);
    case Access::store:
      return races.write(step, mask, addresses, bytes, GlobalValues(warp, inst, addresses));
    case Access::atomic:
      return check_atomic(step, warp, inst, mask, addresses, bytes);
  }
}

void check_read(Warp& warp, const Inst& inst, LaneMask mask, const AddressShape& shape,
                const std::uint64_t* addresses, std::uint32_t bytes) {
  GlobalRaces& races = *warp.grid->global_races;
  if (shape.contiguous && races.read_run(step_of(warp, inst), shape.low, bytes)) return;
  if (shape.uniform) {
    races.read_one(step_of(warp, inst), mask, shape.low, bytes);
  } else {
    check_global_races(warp, inst, mask, addresses, bytes, Access::load);
  }
}

void check_write(Warp& warp, const Inst& inst, LaneMask mask, const AddressShape& shape,
                 const std::uint64_t* addresses, std::uint32_t bytes) {
  GlobalRaces& races = *warp.grid->global_races;
  if (shape.contiguous && races.write_run(step_of(warp, inst), shape.low, bytes)) return;
  check_global_races(warp, inst, mask, addresses, bytes, Access::store);
}

/// What the access is to races; and what it orders.
void set_kind(Warp& warp, LaneMask mask, const std::uint32_t* offsets, const MemoryUse& use,
              Access access) {
  Block& block = *warp.block;
  block.races->set_kind(use.kind);
  if (use.kind == AccessStrength::plain) return;
  if (access == Access::load) {
    return block.flags.load(lanes_of(warp, mask), offsets, use.acquires);
  }
  if (use.releases) block.order.release(lanes_of(warp, mask), use.device_wide);
  block.flags.store(lanes_of(warp, mask), offsets);
}

void check_read(Warp& warp, const Inst& inst, LaneMask mask, const LaneLine& line,
                const std::uint32_t* offsets, std::uint32_t bytes) {
  SharedRaceChecker* races = warp.block->races;
  set_kind(warp, mask, offsets, use_of(inst), Access::load);
  if (line.is_run(bytes)) {
    if (races->read_run(warp.index, line.lanes, offsets[0], bytes, inst.source)) return;
  } else if (line.lanes != 0 && line.stride == 0) {
    races->read_one(warp.index, mask, offsets[0], bytes, inst.source);
    return;
  }
  races->read(warp.index, mask, offsets, bytes, inst.source);
}

void check_write(Warp& warp, const Inst& inst, LaneMask mask, const LaneLine& line,
                 const std::uint32_t* offsets, std::uint32_t bytes) {
  SharedRaceChecker* races = warp.block->races;
  set_kind(warp, mask, offsets, use_of(inst), Access::store);
  if (line.is_run(bytes) &&
      races->write_run(warp.index, line.lanes, offsets[0], bytes, inst.source)) {
    return;
  }
  races->write(warp.index, mask, offsets, bytes, inst.source, SharedValues(warp, inst, offsets));
}

}  // namespace

void RaceObserver::hear(const BlockStart& event) {
  Block& block = event.block;
  const GlobalRaces* const races = block.grid.global_races;
  const bool over =
      races ? block.order.start_block(races->first_block() + block.linear, races->before_grid())
            : block.order.start_block(block.linear);
  block.flags.start_block();
  if (block.races) block.races->start_block(over);
}

namespace {

/// A lane that polls alone for the end of a loop learns what the first value carried that ends it.
/// False when the access is to be checked as any other.
bool check_poll(const GlobalAccess& event) {
  const auto& [warp, inst, mask, shape, addresses, bytes, access] = event;
  const std::uint32_t lane = first_lane(mask);
  const auto learnt = warp.grid->waiting_polls.poll(warp, inst, lane, addresses[lane]);
  if (!learnt) return false;
  if (!learnt->empty()) {
    HappensBefore& order = warp.block->order;
    if (use_of(inst).acquires)
      order.acquire(lanes_of(warp, mask), *learnt);
    else
      order.see(lanes_of(warp, mask), *learnt);
  }
  if (access == Access::atomic && use_of(inst).releases) {
    warp.block->order.release(lanes_of(warp, mask), use_of(inst).device_wide);
  }
  GlobalRaces::Step step = step_of(warp, inst);
  step.learns = false;
  if (access == Access::load) {
    warp.grid->global_races->read(step, mask, addresses, bytes);
  } else {
    check_atomic(step, warp, inst, mask, addresses, bytes);
  }
  return true;
}

/// Somebody may wait for what is changed.
void tell_who_waits(const GlobalAccess& event) {
  const auto& [warp, inst, mask, shape, addresses, bytes, access] = event;
  if (shape.uniform) return warp.grid->waiting_polls.before_change(shape.low, bytes);
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    warp.grid->waiting_polls.before_change(addresses[first_lane(rest)], bytes);
  }
}

}  // namespace

void RaceObserver::check(const GlobalAccess& event) {
  const auto& [warp, inst, mask, shape, addresses, bytes, access] = event;
  if (warp.grid->kernel.only_waits[inst.source] != 0) {
    if ((mask & (mask - 1)) == 0 && check_poll(event)) return;
  } else if (access != Access::load && !warp.grid->waiting_polls.empty() &&
             use_of(inst).kind != AccessStrength::plain) {
    tell_who_waits(event);
  }
  switch (access) {
    case Access::load:
      if (use_of(inst).guesses) return;
      return check_read(warp, inst, mask, shape, addresses, bytes);
    case Access::store:
      return check_write(warp, inst, mask, shape, addresses, bytes);
    case Access::atomic:
      return check_global_races(warp, inst, mask, addresses, bytes, access);
  }
}

void RaceObserver::check(const SharedAccess& event) {
  const auto& [warp, inst, mask, line, offsets, bytes, access, joined] = event;
  if (access == Access::atomic) return;  // atomics are ordered by their handlers
  if (access == Access::load) {
    if (!use_of(inst).guesses) check_read(warp, inst, mask, line, offsets, bytes);
  } else if (!use_of(inst).asynchronous) {
    check_write(warp, inst, mask, line, offsets, bytes);
  }
}

void RaceObserver::check(const SharedCopied& event) {
  const auto& [warp, inst, mask, offsets, bytes, unchanged] = event;
  warp.block->races->write_in_flight(warp.index, mask, offsets, bytes, inst.source, unchanged);
}

void RaceObserver::check(const SharedLine& event) {
  const auto& [warp, inst, first, is_run, bytes, access] = event;
  const MemoryUse& use = use_of(inst);
  if (use.is_usual()) {
    SharedRaceChecker& races = *warp.block->races;
    races.set_kind(AccessStrength::plain);
    if (access == Access::load) {
      if (!is_run) return races.read_one(warp.index, full_mask, first, bytes, inst.source);
      if (races.read_run(warp.index, warp_size, first, bytes, inst.source)) return;
    } else if (is_run && races.write_run(warp.index, warp_size, first, bytes, inst.source)) {
      return;
    }
  }
  LaneLine line;
  std::uint32_t offsets[warp_size];
  check(expanded(event, line, offsets));
}

void RaceObserver::check(const TexelAccess& event) {
  // Surfaces are told of when they have been stored to.
  struct Stored final : StoredValues {
    explicit Stored(bool unchanged) : unchanged_(unchanged) {}
    bool changes_nothing(std::uint32_t) const override { return unchanged_; }

   private:
    bool unchanged_;
  };
  const Warp& warp = event.warp;
  GlobalRaces& races = *warp.grid->global_races;
  const ptx::Instruction* const instruction =
      warp.grid->kernel.origins[event.inst.source].instruction;
  const bool atomic = event.access == Access::atomic;
  const bool by_texture = instruction && instruction->opcode.starts_with('t');
  const GlobalRaces::Step step{.order = warp.block->order,
                               .warp = warp.index,
                               .instruction = event.inst.source,
                               .kind = atomic ? AccessStrength::strong : AccessStrength::plain,
                               .live = warp.live,
                               .read_only = by_texture,
                               .by_texture = by_texture};
  std::uint64_t addresses[warp_size];
  addresses[event.lane] = event.address;
  const LaneMask lane = 1u << event.lane;
  switch (event.access) {
    case Access::load:
      return races.read(step, lane, addresses, event.bytes);
    case Access::store:
      return races.write(step, lane, addresses, event.bytes, Stored(event.unchanged));
    case Access::atomic:
      return races.atomic(step, lane, addresses, event.bytes);
  }
}

void RaceObserver::hear_freed(Warp& warp, const Inst& inst, std::uint32_t lane,
                              std::uint64_t address, std::uint64_t bytes) {
  struct Gone final : StoredValues {
    bool changes_nothing(std::uint32_t) const override { return false; }
  };
  GlobalRaces* const races = warp.grid->global_races;
  if (!races) return;
  const GlobalRaces::Step step{.order = warp.block->order,
                               .warp = warp.index,
                               .instruction = inst.source,
                               .live = warp.live};
  constexpr std::uint64_t word = 4;
  constexpr std::uint64_t looked_at = 64 << 10;  // bytes; of large blocks what lies behind is not
  std::uint64_t addresses[warp_size];
  for (std::uint64_t at = 0; at < std::min(bytes, looked_at); at += word) {
    addresses[lane] = address + at;
    races->write(step, LaneMask{1} << lane, addresses, word, Gone());
  }
}

void RaceObserver::check(const GlobalStored& event) {
  const auto& [warp, inst, mask, addresses] = event;
  find_collisions(
      event.warp, event.inst, event.mask, event.addresses,
      [&](std::uint32_t lane) { return warp.grid->memory.host(addresses[lane]); },
      [&](std::uint32_t lane, std::uint32_t other) {
        const std::uint64_t block = warp.block->linear;
        const AccessStrength kind = use_of(inst).kind;
        warp.grid->findings.race({block, {warp.index * warp_size + lane, inst.source, true}, kind},
                                 {block, {warp.index * warp_size + other, inst.source, true}, kind},
                                 addresses[other]);
      });
}

void RaceObserver::check(const SharedStored& event) {
  const auto& [warp, inst, mask, offsets] = event;
  find_collisions(
      warp, inst, mask, offsets,
      [&](std::uint32_t lane) { return warp.block->shared.data() + offsets[lane]; },
      [&](std::uint32_t lane, std::uint32_t other) {
        warp.block->race({warp.index * warp_size + lane, inst.source, true},
                         {warp.index * warp_size + other, inst.source, true}, offsets[other]);
      });
}

void RaceObserver::hear(const BarrierOpening& event) {
  if (event.everybody) {
    event.block.order.block_barrier();
  } else {
    event.block.order.partial_barrier(event.waiting, event.arrivals);
  }
}

}  // namespace gridstride::sim

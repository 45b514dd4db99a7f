// Where executed accesses meet the race checkers.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/memory/memory_access.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

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

/// Calls `collide` with lanes of one store that wrote different values to one place.
template <class Address, class At, class Collide>
void find_collisions(const Warp& warp, const Inst& inst, LaneMask mask, const Address* addresses,
                     At at, Collide collide) {
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

}  // namespace

bool stores_what_is_there(const Warp& warp, const Inst& inst, std::uint32_t lane,
                          const std::byte* memory) {
  const MemoryUse& use = use_of(inst);
  if (use.rows[0] == no_row) return false;  // what it stores comes from elsewhere
  for (unsigned k = 0; k < inst.count; ++k) {
    const std::uint64_t value = element(warp, use, k, lane);
    if (std::memcmp(memory + k * inst.width, &value, inst.width) != 0) return false;
  }
  return true;
}

void check_store_collisions(Warp& warp, const Inst& inst, LaneMask mask,
                            const std::uint32_t* offsets) {
  if (!warp.block->races) return;
  find_collisions(
      warp, inst, mask, offsets,
      [&](std::uint32_t lane) { return warp.block->shared.data() + offsets[lane]; },
      [&](std::uint32_t lane, std::uint32_t other) {
        warp.block->race({warp.index * warp_size + lane, inst.source, true},
                         {warp.index * warp_size + other, inst.source, true}, offsets[other]);
      });
}

void check_global_collisions(Warp& warp, const Inst& inst, LaneMask mask,
                             const std::uint64_t* addresses) {
  if (!warp.grid->global_races) return;
  find_collisions(
      warp, inst, mask, addresses,
      [&](std::uint32_t lane) { return warp.grid->memory.host(addresses[lane]); },
      [&](std::uint32_t lane, std::uint32_t other) {
        const std::uint64_t block = warp.block->linear;
        const AccessStrength kind = use_of(inst).kind;
        warp.grid->findings.race({block, {warp.index * warp_size + lane, inst.source, true}, kind},
                                 {block, {warp.index * warp_size + other, inst.source, true}, kind},
                                 addresses[other]);
      });
}

void check_global_races(Warp& warp, const Inst& inst, LaneMask mask, const std::uint64_t* addresses,
                        std::uint32_t bytes, Access access) {
  GlobalRaces& races = *warp.grid->global_races;
  const MemoryUse& use = use_of(inst);
  HappensBefore& order = warp.block->order;
  if (use.releases) order.release(warp.index, use.device_wide);
  const GlobalRaces::Step step{order, warp.index, inst.source, use.kind};
  switch (access) {
    case Access::load:
      return races.read(step, mask, addresses, bytes);
    case Access::store:
      return races.write(step, mask, addresses, bytes, GlobalValues(warp, inst, addresses));
    case Access::atomic:
      return races.atomic(step, mask, addresses, bytes);
  }
}

}  // namespace gridstride::sim

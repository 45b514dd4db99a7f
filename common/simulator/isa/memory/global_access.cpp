// Loads and stores in global memory: bounds, sectors, and the data.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/memory/lane_moves.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

/// What can be said about 32 addresses in one pass.
struct Shape {
  std::uint64_t low = 0, high = 0;  ///< the smallest and the largest
  bool uniform = false, contiguous = false, aligned = false;
};

/// Gives inactive lanes the address of an active one, and looks at all.
Shape shape_of(std::uint64_t* addresses, LaneMask mask, std::uint32_t bytes) {
  const std::uint64_t first = addresses[std::countr_zero(mask)];
  if (mask != full_mask) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      addresses[lane] = (mask >> lane & 1) != 0 ? addresses[lane] : first;
    }
  }
  // Device addresses are below 2^63, and what is not is refused by its largest value all the same.
  auto low = static_cast<std::int64_t>(first), high = low;
  std::uint64_t any = 0, differs = 0, strays = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::uint64_t address = addresses[lane];
    low = std::min(low, static_cast<std::int64_t>(address));
    high = std::max(high, static_cast<std::int64_t>(address));
    any |= address;
    differs |= address ^ first;
    strays |= address - first - std::uint64_t{lane} * bytes;
  }
  return {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high), differs == 0,
          strays == 0 && mask == full_mask, (any & (bytes - 1)) == 0};
}

/// Names the lane that is at fault.
[[noreturn]] void refuse(Warp& warp, const Inst& inst, LaneMask mask,
                         const std::uint64_t* addresses, std::uint32_t bytes, Access access) {
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (!warp.grid->window.allows(addresses[lane], bytes, access != Access::load)) {
      warp.grid->findings.bad_global(thread_of(warp, lane), inst.source, addresses[lane], bytes,
                                     access);
    }
    if (addresses[lane] % bytes != 0) {
      warp.grid->findings.misaligned(thread_of(warp, lane), inst.source, addresses[lane], bytes,
                                     access, "global");
    }
  }
  throw std::logic_error("a global access was refused without a reason");
}

/// True when every lane may make its access.
bool allowed(Warp& warp, LaneMask mask, const Shape& shape, const std::uint64_t* addresses,
             std::uint32_t bytes, bool writes) {
  if (!shape.aligned) return false;
  if (shape.high >= shape.low &&
      warp.grid->window.allows(shape.low, shape.high - shape.low + bytes, writes)) {
    return true;
  }
  // Lanes may be in several allocations.
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    if (!warp.grid->window.allows(addresses[std::countr_zero(rest)], bytes, writes)) return false;
  }
  return true;
}

void count(Warp& warp, const Inst& inst, LaneMask mask, const Shape& shape,
           const std::uint64_t* addresses, std::uint32_t bytes, bool writes) {
  std::uint32_t sectors = 0, ideal = 0;
  if (shape.contiguous) {
    sectors =
        warp.grid->counters.count_global_run(warp, inst, shape.low, bytes * warp_size, writes);
    ideal = bytes;  // times 32 lanes, by 32 bytes
  } else if (shape.uniform) {
    ideal = warp.grid->counters.count_global_run(warp, inst, shape.low, bytes, writes);
  } else {
    ideal = ideal_sectors(mask, bytes);
    sectors =
        warp.grid->counters.count_global(warp, inst, touched_lines(addresses, mask), ideal, writes);
  }
  if (sectors > ideal) warp.grid->counters.note_pattern(inst, addresses, mask, sectors, ideal);
}

void check_initialised(Warp& warp, const Inst& inst, LaneMask mask, const Shape& shape,
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

void mark_initialised(Warp& warp, LaneMask mask, const Shape& shape, const std::uint64_t* addresses,
                      std::uint32_t bytes) {
  InitialisedBytes& initialised = warp.grid->memory.initialised();
  if (shape.contiguous) return initialised.set(shape.low - GlobalMemory::base, bytes * warp_size);
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    initialised.set_lane(addresses[std::countr_zero(rest)] - GlobalMemory::base, bytes);
  }
}

GlobalRaces::Step step_of(Warp& warp, const Inst& inst) {
  return {warp.block->order, warp.index, inst.source, use_of(inst).kind};
}

void check_read(Warp& warp, const Inst& inst, LaneMask mask, const Shape& shape,
                const std::uint64_t* addresses, std::uint32_t bytes) {
  GlobalRaces& races = *warp.grid->global_races;
  if (shape.contiguous && races.read_run(step_of(warp, inst), shape.low, bytes)) return;
  if (shape.uniform) {
    races.read_one(step_of(warp, inst), mask, shape.low, bytes);
  } else {
    check_global_races(warp, inst, mask, addresses, bytes, Access::load);
  }
}

void check_write(Warp& warp, const Inst& inst, LaneMask mask, const Shape& shape,
                 const std::uint64_t* addresses, std::uint32_t bytes) {
  GlobalRaces& races = *warp.grid->global_races;
  if (shape.contiguous && races.write_run(step_of(warp, inst), shape.low, bytes)) return;
  check_global_races(warp, inst, mask, addresses, bytes, Access::store);
}

void prefetch(const std::byte* first, std::uint32_t bytes) {
  constexpr std::uint32_t host_line = 64;
  for (std::uint32_t at = 0; at < bytes; at += host_line) __builtin_prefetch(first + at);
}

template <unsigned width, unsigned elements, bool full>
void load(Warp& warp, const Inst& inst, LaneMask mask) {
  constexpr std::uint32_t bytes = width * elements;
  if (full) mask = full_mask;
  alignas(64) std::uint64_t addresses[warp_size];
  lane_addresses(warp, inst, addresses);
  const Shape shape = shape_of(addresses, mask, bytes);
  if (!allowed(warp, mask, shape, addresses, bytes, false)) {
    refuse(warp, inst, mask, addresses, bytes, Access::load);
  }
  const GlobalMemory& memory = warp.grid->memory;
  // The host fetches the data while the access is counted and checked.
  if (shape.contiguous) prefetch(memory.host(shape.low), bytes * warp_size);
  count(warp, inst, mask, shape, addresses, bytes, false);
  const MemoryUse& use = use_of(inst);
  if (warp.grid->global_races) check_read(warp, inst, mask, shape, addresses, bytes);
  if (warp.grid->request.checks.looks_for(FindingKind::uninitialized_read)) {
    check_initialised(warp, inst, mask, shape, addresses, bytes);
  }
  note_poll(warp, use);
  if (full && shape.contiguous) {
    load_run<width, elements>(warp, use, memory.host(shape.low), warp_size);
  } else if (shape.uniform) {
    load_broadcast<width, elements>(warp, use, memory.host(shape.low), mask);
  } else {
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      load_lane<width, elements>(warp, use, memory.host(addresses[lane]), lane);
    }
  }
}

template <unsigned width, unsigned elements, bool full>
void store(Warp& warp, const Inst& inst, LaneMask mask) {
  constexpr std::uint32_t bytes = width * elements;
  if (full) mask = full_mask;
  alignas(64) std::uint64_t addresses[warp_size];
  lane_addresses(warp, inst, addresses);
  const Shape shape = shape_of(addresses, mask, bytes);
  if (!allowed(warp, mask, shape, addresses, bytes, true)) {
    refuse(warp, inst, mask, addresses, bytes, Access::store);
  }
  count(warp, inst, mask, shape, addresses, bytes, true);
  const MemoryUse& use = use_of(inst);
  if (warp.grid->global_races) check_write(warp, inst, mask, shape, addresses, bytes);
  mark_initialised(warp, mask, shape, addresses, bytes);
  const GlobalMemory& memory = warp.grid->memory;
  if (full && shape.contiguous) {
    store_run<width, elements>(warp, use, memory.host(shape.low), warp_size);
  } else {
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      store_lane<width, elements>(warp, use, memory.host(addresses[lane]), lane);
    }
    check_global_collisions(warp, inst, mask, addresses);
  }
}

}  // namespace

void check_and_count_global(Warp& warp, const Inst& inst, LaneMask mask, std::uint64_t* addresses,
                            std::uint32_t bytes, Access access) {
  const Shape shape = shape_of(addresses, mask, bytes);
  if (!allowed(warp, mask, shape, addresses, bytes, access != Access::load)) {
    refuse(warp, inst, mask, addresses, bytes, access);
  }
  if (access != Access::atomic) {
    count(warp, inst, mask, shape, addresses, bytes, access == Access::store);
  }
  if (warp.grid->global_races) check_global_races(warp, inst, mask, addresses, bytes, access);
  if (access != Access::store &&
      warp.grid->request.checks.looks_for(FindingKind::uninitialized_read)) {
    check_initialised(warp, inst, mask, shape, addresses, bytes);
  }
  if (access != Access::load) mark_initialised(warp, mask, shape, addresses, bytes);
}

Handlers global_load(unsigned width, unsigned elements) {
  return choose(width, elements, []<unsigned w, unsigned n>() {
    return Handlers{load<w, n, false>, load<w, n, true>};
  });
}
Handlers global_store(unsigned width, unsigned elements) {
  return choose(width, elements, []<unsigned w, unsigned n>() {
    return Handlers{store<w, n, false>, store<w, n, true>};
  });
}

}  // namespace gridstride::sim

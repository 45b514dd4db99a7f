// Loads and stores in global memory: bounds, sectors, and the data.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "common/simulator/base/lane_words.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/memory/lane_moves.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

/// Gives inactive lanes the address of an active one, and looks at all.
AddressShape shape_of(std::uint64_t* addresses, LaneMask mask, std::uint32_t bytes) {
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
  tell(OtherAccess{warp, inst, mask, ptx::Space::global, addresses, bytes, access, true});
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
bool allowed(Warp& warp, LaneMask mask, const AddressShape& shape, const std::uint64_t* addresses,
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

/// What is known of the addresses, which every lane in `mask` may access: else the grid ends here.
AddressShape checked_shape(Warp& warp, const Inst& inst, LaneMask mask, std::uint64_t* addresses,
                           std::uint32_t bytes, Access access) {
  const AddressShape shape = shape_of(addresses, mask, bytes);
  if (!allowed(warp, mask, shape, addresses, bytes, access != Access::load)) {
    refuse(warp, inst, mask, addresses, bytes, access);
  }
  return shape;
}

/// The same of an access of `bytes`, where mostly all lanes follow one another.
template <std::uint32_t bytes, bool full>
AddressShape shape_of_access(Warp& warp, const Inst& inst, LaneMask mask, std::uint64_t* addresses,
                             Access access) {
  if (full && is_wide_line<bytes>(addresses)) {
    const std::uint64_t first = addresses[0];
    const AddressShape shape{first, first + (warp_size - 1) * bytes, false, true,
                             (first & (bytes - 1)) == 0};
    if (allowed(warp, mask, shape, addresses, bytes, access != Access::load)) return shape;
  }
  return checked_shape(warp, inst, mask, addresses, bytes, access);
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
  const AddressShape shape =
      shape_of_access<bytes, full>(warp, inst, mask, addresses, Access::load);
  const GlobalMemory& memory = warp.grid->memory;
  // The host fetches the data while the access is counted and checked.
  if (shape.contiguous) prefetch(memory.host(shape.low), bytes * warp_size);
  tell(GlobalAccess{warp, inst, mask, shape, addresses, bytes, Access::load});
  const MemoryUse& use = use_of(inst);
  note_poll(warp, inst);
  if (full && shape.contiguous) {
    load_run<width, elements>(warp, use, memory.host(shape.low), warp_size);
  } else if (shape.uniform) {
    load_broadcast<width, elements>(warp, use, memory.host(shape.low), mask);
  } else {
    for_lanes<full>(mask, [&](unsigned lane) {
      load_lane<width, elements>(warp, use, memory.host(addresses[lane]), lane);
    });
  }
}

template <unsigned width, unsigned elements, bool full>
void store(Warp& warp, const Inst& inst, LaneMask mask) {
  constexpr std::uint32_t bytes = width * elements;
  if (full) mask = full_mask;
  alignas(64) std::uint64_t addresses[warp_size];
  lane_addresses(warp, inst, addresses);
  const AddressShape shape =
      shape_of_access<bytes, full>(warp, inst, mask, addresses, Access::store);
  tell(GlobalAccess{warp, inst, mask, shape, addresses, bytes, Access::store});
  note_flag(warp, inst);
  const MemoryUse& use = use_of(inst);
  const GlobalMemory& memory = warp.grid->memory;
  if (full && shape.contiguous) {
    store_run<width, elements>(warp, use, memory.host(shape.low), warp_size);
  } else {
    for_lanes<full>(mask, [&](unsigned lane) {
      store_lane<width, elements>(warp, use, memory.host(addresses[lane]), lane);
    });
    tell(GlobalStored{warp, inst, mask, addresses});
  }
}

}  // namespace

void check_and_count_global(Warp& warp, const Inst& inst, LaneMask mask, std::uint64_t* addresses,
                            std::uint32_t bytes, Access access) {
  const AddressShape shape = checked_shape(warp, inst, mask, addresses, bytes, access);
  tell(GlobalAccess{warp, inst, mask, shape, addresses, bytes, access});
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

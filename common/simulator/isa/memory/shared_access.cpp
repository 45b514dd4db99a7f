// Loads and stores in shared memory: bounds, wavefronts, races, and the data.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "common/simulator/base/lane_words.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/memory/lane_moves.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

/// `lanes` is 0 when it is not of that form. Inactive lanes have any offset.
LaneLine line_of(const std::uint32_t* offsets, LaneMask mask) {
  if ((mask & (mask + 1)) != 0) return {};
  const auto lanes = static_cast<std::uint32_t>(std::popcount(mask));
  const std::uint32_t first = offsets[0], stride = lanes == 1 ? 0 : offsets[1] - first;
  std::uint32_t strays = 0;
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    strays |= lane < lanes ? offsets[lane] ^ (first + lane * stride) : 0;
  }
  return strays == 0 ? LaneLine{lanes, static_cast<std::int32_t>(stride)} : LaneLine{};
}

/// Bytes of shared memory that an access may touch.
struct Window {
  std::uint32_t low = 0, high = 0;
};

Window array_of(const Warp& warp, const Inst& inst) {
  const MemoryUse& use = use_of(inst);
  return {use.low, std::min(use.high, warp.grid->shared_bytes)};
}

[[noreturn]] void refuse(Warp& warp, const Inst& inst, LaneMask mask,
                         const std::uint64_t* addresses, std::uint32_t bytes, Access access,
                         const Window& window) {
  tell(OtherAccess{warp, inst, mask, ptx::Space::shared, addresses, bytes, access, true});
  const MemoryUse& use = use_of(inst);
  const std::uint64_t high = window.high;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t address = addresses[lane];
    if (address < window.low || address > high || bytes > high - address) {
      warp.grid->findings.bad_shared(thread_of(warp, lane), inst.source, address, bytes, access,
                                     use.variable);
    }
    if (address % bytes != 0) {
      warp.grid->findings.misaligned(thread_of(warp, lane), inst.source, address, bytes, access,
                                     "shared");
    }
  }
  throw std::logic_error("a shared access was refused without a reason");
}

/// True when all active lanes are in bounds and aligned; fills `offsets`, those of inactive lanes
/// with an active one's.
bool allowed(const Window& window, LaneMask mask, const std::uint64_t* addresses,
             std::uint32_t bytes, std::uint32_t* offsets) {
  const std::uint32_t high = window.high;
  const auto first = static_cast<std::uint32_t>(addresses[std::countr_zero(mask)]);
  std::uint64_t any = 0;
  std::uint32_t least = first, most = first;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const bool active = (mask >> lane & 1) != 0;
    const std::uint64_t address = active ? addresses[lane] : first;
    any |= address;
    offsets[lane] = static_cast<std::uint32_t>(address);
    least = std::min(least, offsets[lane]);
    most = std::max(most, offsets[lane]);
  }
  return any >> 32 == 0 && (any & (bytes - 1)) == 0 && least >= window.low && high >= bytes &&
         most <= high - bytes;
}

/// Checks bounds and alignment and fills `offsets`. Arrays are told apart where bounds are looked
/// for.
void check_bounds(Warp& warp, const Inst& inst, LaneMask mask, const std::uint64_t* addresses,
                  std::uint32_t bytes, Access access, std::uint32_t* offsets) {
  Window window = array_of(warp, inst);
  if (allowed(window, mask, addresses, bytes, offsets)) return;
  if (!warp.grid->request.checks.looks_for(FindingKind::out_of_bounds)) {
    window = {0, warp.grid->shared_bytes};
    if (allowed(window, mask, addresses, bytes, offsets)) return;
  }
  refuse(warp, inst, mask, addresses, bytes, access, window);
}

/// The same for 32-bit bases, whose sums wrap. An address below the window is one far above it.
template <bool full>
bool allowed_narrow(const Warp& warp, const Inst& inst, LaneMask mask, std::uint32_t bytes,
                    std::uint32_t* offsets) {
  const auto [low, high] = array_of(warp, inst);
  if (high < low + bytes) return false;
  const std::uint32_t last = high - bytes - low;
  const auto offset = static_cast<std::uint32_t>(inst.imm);
  const std::uint32_t* base = vector_register<const std::uint32_t>(warp.registers, inst.a);
  const std::uint32_t first = base[full ? 0 : std::countr_zero(mask)] + offset;
  std::uint32_t any = 0, most = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t own = base[lane] + offset;
    const std::uint32_t address = full || (mask >> lane & 1) != 0 ? own : first;
    offsets[lane] = address;
    any |= address;
    most = std::max(most, address - low);
  }
  return (any & (bytes - 1)) == 0 && most <= last;
}

/// The same for one lane alone.
bool allowed_alone(const Warp& warp, const Inst& inst, LaneMask mask, std::uint32_t bytes,
                   std::uint32_t* offsets) {
  const auto [low, high] = array_of(warp, inst);
  const std::uint32_t address =
      vector_register<const std::uint32_t>(warp.registers, inst.a)[std::countr_zero(mask)] +
      static_cast<std::uint32_t>(inst.imm);
  for (unsigned lane = 0; lane < warp_size; ++lane) offsets[lane] = address;
  return (address & (bytes - 1)) == 0 && address >= low && high >= bytes && address <= high - bytes;
}

/// What most accesses are, all lanes and 32-bit bases that follow one another: in one pass without
/// a look at the single lanes' bounds. `lanes` is 0 when it is something else, or not allowed.
[[gnu::always_inline]] inline LaneLine full_line_of(const Warp& warp, const Inst& inst,
                                                    std::uint32_t bytes, std::uint32_t* offsets) {
  const std::uint32_t* base = vector_register<const std::uint32_t>(warp.registers, inst.a);
  const auto offset = static_cast<std::uint32_t>(inst.imm);
  const std::uint32_t first = base[0] + offset, stride = base[1] - base[0];
  std::uint32_t strays = 0;
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t own = base[lane] + offset;
    offsets[lane] = own;
    strays |= own ^ (first + lane * stride);
  }
  if (strays != 0) return {};
  const Window window = array_of(warp, inst);
  const auto step = static_cast<std::int32_t>(stride);
  const std::int64_t last = std::int64_t{first} + std::int64_t{step} * (warp_size - 1);
  const std::int64_t least = std::min<std::int64_t>(first, last);
  const std::int64_t most = std::max<std::int64_t>(first, last);
  const bool inside =
      least >= std::int64_t{window.low} && most + bytes <= std::int64_t{window.high};
  return inside && ((first | stride) & (bytes - 1)) == 0 ? LaneLine{warp_size, step} : LaneLine{};
}

/// Checks bounds and alignment, fills `offsets`, and says whether they are a line.
template <bool full>
[[gnu::always_inline]] inline LaneLine offsets_of(Warp& warp, const Inst& inst, LaneMask mask,
                                                  std::uint32_t bytes, Access access,
                                                  std::uint32_t* offsets) {
  if (inst.a != no_register && use_of(inst).base_bytes == 4) {
    if constexpr (full) {
      const LaneLine line = full_line_of(warp, inst, bytes, offsets);
      if (line.lanes != 0) return line;
      if (allowed_narrow<true>(warp, inst, mask, bytes, offsets)) return {};
    } else if ((mask & (mask - 1)) == 0) {
      if (allowed_alone(warp, inst, mask, bytes, offsets)) return {mask == 1 ? 1u : 0u, 0};
    } else if (allowed_narrow<false>(warp, inst, mask, bytes, offsets)) {
      return line_of(offsets, mask);
    }
  }
  std::uint64_t addresses[warp_size];
  lane_addresses(warp, inst, addresses);
  check_bounds(warp, inst, mask, addresses, bytes, access, offsets);
  return line_of(offsets, mask);
}

/// Whether all lanes have 32-bit bases that are one place or follow one another, and may make their
/// access.
template <std::uint32_t bytes>
[[gnu::always_inline]] inline bool is_shared_line(const Warp& warp, const Inst& inst,
                                                  std::uint32_t& first, bool& is_run) {
  const MemoryUse& use = use_of(inst);
  if (inst.a == no_register || use.base_bytes != 4) return false;
  const std::uint32_t* base = vector_register<const std::uint32_t>(warp.registers, inst.a);
  const std::uint32_t stride = base[1] - base[0];
  is_run = stride == bytes;
  if (!is_run && stride != 0) return false;
  if (is_run ? !is_line<bytes>(base) : !is_line<0>(base)) return false;
  first = base[0] + static_cast<std::uint32_t>(inst.imm);
  const std::uint64_t end = std::uint64_t{first} + (is_run ? bytes * warp_size : bytes);
  return first >= use.low && end <= std::min(use.high, warp.grid->shared_bytes) &&
         (first & (bytes - 1)) == 0;
}

template <unsigned width, unsigned elements, bool full>
[[gnu::noinline]] void load_lanes(Warp& warp, const Inst& inst, LaneMask mask) {
  constexpr std::uint32_t bytes = width * elements;
  if (full) mask = full_mask;
  alignas(64) std::uint32_t offsets[warp_size];
  const LaneLine line = offsets_of<full>(warp, inst, mask, bytes, Access::load, offsets);
  tell(SharedAccess{warp, inst, mask, line, offsets, bytes, Access::load, true});
  const MemoryUse& use = use_of(inst);
  note_poll(warp, inst);
  const std::byte* shared = warp.block->shared.data();
  if (line.is_run(bytes)) {
    load_run<width, elements>(warp, use, shared + offsets[0], full ? warp_size : line.lanes);
  } else if (line.lanes != 0 && line.stride == 0) {
    load_broadcast<width, elements>(warp, use, shared + offsets[0], mask);
  } else {
    for_lanes<full>(mask, [&](unsigned lane) {
      load_lane<width, elements>(warp, use, shared + offsets[lane], lane);
    });
  }
}

template <unsigned width, unsigned elements>
void load_full(Warp& warp, const Inst& inst, LaneMask mask) {
  constexpr std::uint32_t bytes = width * elements;
  std::uint32_t first = 0;
  bool is_run = false;
  if (!is_shared_line<bytes>(warp, inst, first, is_run)) {
    return load_lanes<width, elements, true>(warp, inst, mask);
  }
  tell(SharedLine{warp, inst, first, is_run, bytes, Access::load});
  const MemoryUse& use = use_of(inst);
  note_poll(warp, inst);
  const std::byte* const from = warp.block->shared.data() + first;
  if (is_run) {
    load_run<width, elements>(warp, use, from, warp_size);
  } else {
    load_broadcast<width, elements>(warp, use, from, full_mask);
  }
}

template <unsigned width, unsigned elements, bool full>
[[gnu::noinline]] void store_lanes(Warp& warp, const Inst& inst, LaneMask mask) {
  constexpr std::uint32_t bytes = width * elements;
  if (full) mask = full_mask;
  alignas(64) std::uint32_t offsets[warp_size];
  const LaneLine line = offsets_of<full>(warp, inst, mask, bytes, Access::store, offsets);
  tell(SharedAccess{warp, inst, mask, line, offsets, bytes, Access::store, true});
  note_flag(warp, inst);
  const MemoryUse& use = use_of(inst);
  std::byte* shared = warp.block->shared.data();
  if (line.is_run(bytes)) {
    store_run<width, elements>(warp, use, shared + offsets[0], full ? warp_size : line.lanes);
    return;
  }
  for_lanes<full>(mask, [&](unsigned lane) {
    store_lane<width, elements>(warp, use, shared + offsets[lane], lane);
  });
  const bool apart =
      (mask & (mask - 1)) == 0 ||
      (line.lanes != 0 && static_cast<std::uint32_t>(std::abs(line.stride)) >= bytes);
  if (!apart) tell(SharedStored{warp, inst, mask, offsets});
}

template <unsigned width, unsigned elements>
void store_full(Warp& warp, const Inst& inst, LaneMask mask) {
  constexpr std::uint32_t bytes = width * elements;
  std::uint32_t first = 0;
  bool is_run = false;
  if (!is_shared_line<bytes>(warp, inst, first, is_run) || !is_run) {
    return store_lanes<width, elements, true>(warp, inst, mask);
  }
  tell(SharedLine{warp, inst, first, is_run, bytes, Access::store});
  note_flag(warp, inst);
  store_run<width, elements>(warp, use_of(inst), warp.block->shared.data() + first, warp_size);
}

}  // namespace

void check_and_count_shared(Warp& warp, const Inst& inst, LaneMask mask,
                            const std::uint64_t* addresses, std::uint32_t bytes, Access access,
                            std::uint32_t* offsets) {
  check_bounds(warp, inst, mask, addresses, bytes, access, offsets);
  const LaneLine line = line_of(offsets, mask);
  tell(SharedAccess{warp, inst, mask, line, offsets, bytes, access});
}

bool is_quiet_shared_atomic(Warp& warp, const Inst& inst, std::uint32_t bytes,
                            std::uint32_t* offsets) {
  return inst.a != no_register && use_of(inst).base_bytes == 4 && !warp.block->shared_initialised &&
         !warp.block->recorder && allowed_narrow<true>(warp, inst, full_mask, bytes, offsets);
}

void check_shared_atomic(Warp& warp, const Inst& inst, LaneMask mask, std::uint32_t bytes,
                         std::uint32_t* offsets) {
  if (mask == full_mask && is_quiet_shared_atomic(warp, inst, bytes, offsets)) return;
  const LaneLine line = offsets_of<false>(warp, inst, mask, bytes, Access::atomic, offsets);
  tell(SharedAccess{warp, inst, mask, line, offsets, bytes, Access::atomic});
}

Handlers shared_load(unsigned width, unsigned elements) {
  return choose(width, elements, []<unsigned w, unsigned n>() {
    return Handlers{load_lanes<w, n, false>, load_full<w, n>};
  });
}
Handlers shared_store(unsigned width, unsigned elements) {
  return choose(width, elements, []<unsigned w, unsigned n>() {
    return Handlers{store_lanes<w, n, false>, store_full<w, n>};
  });
}

}  // namespace gridstride::sim

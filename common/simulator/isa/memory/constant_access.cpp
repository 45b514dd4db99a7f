// Loads from constant memory: bounds, what they cost, and the data.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "common/simulator/count/constant_cache.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/memory/lane_moves.h"
#include "common/simulator/isa/memory/memory_access.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

/// What all lanes want from one address costs nothing where the code names it, which is fetched with it: 1024
/// multiply-adds with such numbers, 4 KiB, take an H200 as long as what issues.
void count_one_place(Warp& warp, const Inst& inst, std::uint64_t address) {
  AccessCounters& counters = warp.grid->counters;
  InstructionCounts& counts = counters.of(inst);
  ++counts.constant_requests;
  if (inst.a == no_register) return;
  const ConstantCache::Found found = counters.constant_cache.find(address);
  warp.outcome.constant_missed = found.missed;
  if (warp.grid->kernel.branches.written_out[inst.source]) return;
  counts.constant_lines += found.new_line ? 1 : 0;
  counts.constant_line_loads += found.apart ? 1 : 0;
}

/// Addresses that lanes want apart are served one after the other. 16 bytes are two loads of 8: sm_90 has none
/// that is wider.
void count_places(const Warp& warp, const Inst& inst, LaneMask mask,
                  const std::uint64_t* addresses) {
  AccessCounters& counters = warp.grid->counters;
  InstructionCounts& counts = counters.of(inst);
  unsigned passes = 0, count = 0;
  std::array<std::uint64_t, warp_size> lines;  // different ones, an address of each
  for (LaneMask rest = mask; rest != 0;) {
    const std::uint64_t address = addresses[std::countr_zero(rest)];
    const auto is_same = [&](std::uint64_t other) {
      return other / ConstantCache::line_bytes == address / ConstantCache::line_bytes;
    };
    if (std::none_of(lines.begin(), lines.begin() + count, is_same)) lines[count++] = address;
    for (LaneMask lanes = rest; lanes != 0; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      if (addresses[lane] == address) rest &= ~(1u << lane);
    }
    ++passes;
  }
  ++counts.constant_requests;
  const std::uint32_t loads = std::max(inst.count * inst.width / 8, 1);
  counts.constant_passes += passes * loads;
  for (unsigned i = 0; i < count; ++i) {
    counts.constant_misses_apart += counters.constant_cache.misses_apart(lines[i]) ? 1 : 0;
  }
}

bool is_one_place(const std::uint64_t* addresses, LaneMask mask) {
  const std::uint64_t first = addresses[std::countr_zero(mask)];
  std::uint64_t differs = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    differs |= (mask >> lane & 1) != 0 ? addresses[lane] ^ first : 0;
  }
  return differs == 0;
}

void check_place(Warp& warp, const Inst& inst, LaneMask mask, const std::uint64_t* addresses,
                 std::uint32_t bytes, std::uint32_t lane) {
  if (warp.grid->window.allows(addresses[lane], bytes, false)) return;
  tell(OtherAccess{warp, inst, mask, ptx::Space::constant, addresses, bytes, Access::load, true});
  warp.grid->findings.bad_global(thread_of(warp, lane), inst.source, addresses[lane], bytes,
                                 Access::load);
}

template <unsigned width, unsigned elements>
void load(Warp& warp, const Inst& inst, LaneMask mask) {
  std::uint64_t addresses[warp_size];
  lane_addresses(warp, inst, addresses);
  const GlobalMemory& memory = warp.grid->memory;
  const MemoryUse& use = use_of(inst);
  const bool one_place = check_and_count_constants(warp, inst, mask, addresses, width * elements);
  note_poll(warp, inst);
  if (one_place) {
    const std::uint64_t address = addresses[std::countr_zero(mask)];
    load_broadcast<width, elements>(warp, use, memory.host(address), mask);
    return;
  }
  for_lanes<false>(mask, [&](unsigned lane) {
    load_lane<width, elements>(warp, use, memory.host(addresses[lane]), lane);
  });
}

}  // namespace

bool check_and_count_constants(Warp& warp, const Inst& inst, LaneMask mask,
                               const std::uint64_t* addresses, std::uint32_t bytes) {
  const bool one_place = is_one_place(addresses, mask);
  for_lanes<false>(one_place ? mask & -mask : mask,
                   [&](unsigned lane) { check_place(warp, inst, mask, addresses, bytes, lane); });
  if (one_place) {
    count_one_place(warp, inst, addresses[std::countr_zero(mask)]);
  } else {
    count_places(warp, inst, mask, addresses);
  }
  tell(OtherAccess{warp, inst, mask, ptx::Space::constant, addresses, bytes, Access::load});
  return one_place;
}

Handlers constant_load(unsigned width, unsigned elements) {
  return choose(width, elements, []<unsigned w, unsigned n>() {
    return Handlers{load<w, n>, load<w, n>};
  });
}

}  // namespace gridstride::sim

// Loads and stores in any space: generic addresses, local and constant memory, parameters, and
// global and shared accesses whose registers are wider than their elements.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/simulator/base/address_spaces.h"
#include "common/simulator/base/cuda_error.h"
#include "common/simulator/exec/elements.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/memory/memory_access.h"
#include "common/simulator/isa/memory/memory_places.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

void set_element(Warp& warp, const Inst& inst, unsigned index, std::uint32_t lane,
                 std::uint64_t bits) {
  const MemoryUse& use = use_of(inst);
  const unsigned unused = 64 - 8 * inst.width;
  if (use.sign_extends) {
    bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
    // 8- and 16-bit values are sign-extended to the 32 bits of their register.
  }
  if (use.lane_bytes == 8) {
    vector_register<std::uint64_t>(warp.registers, use.registers[index])[lane] = bits;
  } else {
    vector_register<std::uint32_t>(warp.registers, use.registers[index])[lane] =
        static_cast<std::uint32_t>(bits);
  }
}

/// Sectors of local memory: word w of the 32 lanes of a warp stands side by side.
void count_local(Warp& warp, const Inst& inst, LaneMask mask, const std::uint64_t* offsets,
                 std::uint32_t bytes) {
  std::uint64_t places[warp_size];
  std::uint32_t sectors = 0, passes = 0;
  for (std::uint32_t word = 0; word < std::max(bytes / 4, 1u); ++word) {
    for (std::uint64_t lane = 0; lane < warp_size; ++lane) {
      places[lane] = ((offsets[lane] / 4 + word) * warp_size + lane) * 4;
    }
    const LineTouches touches = touched_lines(places, mask);
    sectors += touches.sectors();
    passes += l1_passes(touches, places, mask, 4);
  }
  InstructionCounts& counts = warp.grid->counters.counts[inst.source];
  ++counts.local_requests;
  counts.local_sectors += sectors;
  warp.outcome.sectors = std::max(warp.outcome.sectors, sectors);
  warp.outcome.passes = std::max(warp.outcome.passes, passes);
}

/// Whether an access at `offset` of the frame lies, in part or whole, behind the array that it is computed
/// from. One before it may be meant: an address can begin behind what it names.
bool is_behind_its_array(const Warp& warp, const MemoryUse& use, std::uint64_t offset,
                         std::uint32_t bytes) {
  const LocalArray& array =
      warp.grid->kernel.local_arrays[static_cast<std::size_t>(use.local_array)];
  return offset >= array.low && offset + bytes > array.high;
}

void local_places(Warp& warp, const Inst& inst, LaneMask mask, const std::uint64_t* addresses,
                  std::uint32_t bytes, Access access, std::byte** places) {
  const std::uint32_t stride = warp.grid->kernel.local_stack;
  const bool frames_apart = warp.grid->request.checks.looks_for(FindingKind::out_of_bounds);
  const std::uint64_t top =
      frames_apart ? warp.frame->local_base + warp.frame->function->frame.local_end : stride;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t offset = addresses[lane];
    if (offset > top || bytes > top - offset) {
      tell(OtherAccess{warp, inst, mask, ptx::Space::local, addresses, bytes, access, true});
      warp.grid->findings.bad_local(thread_of(warp, lane), inst.source, offset, bytes, access,
                                    local_frame(warp));
    }
    const MemoryUse& use = use_of(inst);
    if (frames_apart && use.local_array >= 0 && offset >= warp.frame->local_base &&
        is_behind_its_array(warp, use, offset - warp.frame->local_base, bytes)) {
      tell(OtherAccess{warp, inst, mask, ptx::Space::local, addresses, bytes, access, true});
      warp.grid->findings.behind_local_array(
          thread_of(warp, lane), inst.source, offset - warp.frame->local_base, bytes, access,
          warp.grid->kernel.local_arrays[static_cast<std::size_t>(use.local_array)]);
    }
    if (offset % bytes != 0) {
      warp.grid->findings.misaligned(thread_of(warp, lane), inst.source, offset, bytes, access,
                                     "local");
    }
    places[lane] = warp.local + std::size_t{lane} * stride + offset;
    InitialisedBytes* const initialised = warp.block->local_initialised;
    if (!initialised) continue;
    const std::uint64_t place = warp.block->local_offset(places[lane]);
    const std::uint32_t missing =
        access == Access::store ? 0 : initialised->missing_of_lane(place, bytes);
    if (access == Access::load) InitialisationObserver::forget_values(warp, inst, 1u << lane);
    if (missing != 0) {
      constexpr std::uint64_t most_padding = 15;
      const LocalFrame frame = local_frame(warp);
      const bool at_end = offset - frame.base + most_padding >= frame.bytes;
      InitialisationObserver::check_load(warp, inst, ptx::Space::local, lane,
                                         {missing, offset, bytes, at_end});
    }
    if (access == Access::load) continue;
    initialised->set_lane(place, bytes);
    if (warp.holds_unwritten()) {
      initialised->clear_of_lane(
          place, InitialisationObserver::check_store(warp, inst, ptx::Space::local, lane, offset));
    }
  }
  count_local(warp, inst, mask, addresses, bytes);
  tell(OtherAccess{warp, inst, mask, ptx::Space::local, addresses, bytes, access});
}

void param_places(Warp& warp, const Inst& inst, LaneMask mask, const std::uint64_t* addresses,
                  std::uint32_t bytes, std::byte** places) {
  const auto arguments = warp.grid->request.arguments;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (addresses[lane] > arguments.size() || bytes > arguments.size() - addresses[lane]) {
      warp.grid->findings.bad_instruction(thread_of(warp, lane), inst.source,
                                          "reads a kernel parameter beyond the last one",
                                          error_illegal_address);
    }
    // Only loads come here, so nothing is written through this.
    places[lane] = const_cast<std::byte*>(arguments.data()) + addresses[lane];
  }
  ++warp.grid->counters.counts[inst.source].constant_requests;
}

template <class Word>
void fill_lanes(Warp& warp, VectorRegister to, const std::byte* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  std::fill_n(vector_register<Word>(warp.registers, to), warp_size, word);
}

ptx::Space space_of(std::uint64_t generic) {
  if (in_window(generic, shared_window)) return ptx::Space::shared;
  if (in_window(generic, local_window)) return ptx::Space::local;
  if (in_window(generic, param_window)) return ptx::Space::param;
  return ptx::Space::global;
}

}  // namespace

void find_places(Warp& warp, const Inst& inst, LaneMask mask, std::uint32_t bytes, Access access,
                 MemoryPlaces& out) {
  const MemoryUse& use = use_of(inst);
  std::uint64_t addresses[warp_size];
  lane_addresses(warp, inst, addresses);
  LaneMask rest = mask;
  while (rest != 0) {
    // Lanes of a generic access may be in different spaces: one space after the other.
    ptx::Space space = use.space;
    LaneMask here = rest;
    std::uint64_t local[warp_size];
    std::copy_n(addresses, warp_size, local);
    if (use.space == ptx::Space::generic) {
      space = space_of(addresses[std::countr_zero(rest)]);
      for (LaneMask other = rest; other != 0; other &= other - 1) {
        const int lane = std::countr_zero(other);
        if (space_of(addresses[lane]) != space) here &= ~(1u << lane);
      }
      const std::uint64_t window = space == ptx::Space::shared  ? shared_window
                                   : space == ptx::Space::local ? local_window
                                   : space == ptx::Space::param ? param_window
                                                                : 0;
      for (std::uint64_t& address : local) address -= window;
    }
    rest &= ~here;
    switch (space) {
      case ptx::Space::shared:
        check_and_count_shared(warp, inst, here, local, bytes, access, out.offsets);
        out.shared |= here;
        for (LaneMask lanes = here; lanes != 0; lanes &= lanes - 1) {
          const int lane = std::countr_zero(lanes);
          out.at[lane] = warp.block->shared.data() + out.offsets[lane];
        }
        break;
      case ptx::Space::local:
        local_places(warp, inst, here, local, bytes, access, out.at);
        break;
      case ptx::Space::param:
        param_places(warp, inst, here, local, bytes, out.at);
        break;
      default:
        if (space == ptx::Space::constant) {
          check_and_count_constants(warp, inst, here, local, bytes);
        } else {
          check_and_count_global(warp, inst, here, local, bytes, access);
          out.global |= here;
        }
        for (LaneMask lanes = here; lanes != 0; lanes &= lanes - 1) {
          const int lane = std::countr_zero(lanes);
          out.at[lane] = warp.grid->memory.host(local[lane]);
          out.addresses[lane] = local[lane];
        }
    }
  }
}

void load_anywhere(Warp& warp, const Inst& inst, LaneMask mask) {
  MemoryPlaces places;
  find_places(warp, inst, mask, std::uint32_t{inst.width} * inst.count, Access::load, places);
  note_poll(warp, inst);
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    for (unsigned k = 0; k < inst.count; ++k) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, places.at[lane] + k * inst.width, inst.width);
      set_element(warp, inst, k, lane, bits);
    }
  }
}

void store_anywhere(Warp& warp, const Inst& inst, LaneMask mask) {
  MemoryPlaces places;
  find_places(warp, inst, mask, std::uint32_t{inst.width} * inst.count, Access::store, places);
  const MemoryUse& use = use_of(inst);
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    for (unsigned k = 0; k < inst.count; ++k) {
      const std::uint64_t bits = element(warp, use, k, lane);
      std::memcpy(places.at[lane] + k * inst.width, &bits, inst.width);
    }
  }
  note_flag(warp, inst);
  if (places.shared != 0) tell(SharedStored{warp, inst, places.shared, places.offsets});
  if (places.global != 0) tell(GlobalStored{warp, inst, places.global, places.addresses});
}

void load_kernel_param(Warp& warp, const Inst& inst, LaneMask mask) {
  const std::byte* from = warp.grid->request.arguments.data() + inst.imm;
  ++warp.grid->counters.counts[inst.source].constant_requests;
  const MemoryUse& use = use_of(inst);
  const bool simple = mask == full_mask && !use.sign_extends;
  if (simple && inst.count == 1 && inst.width == use.lane_bytes) {
    if (inst.width == 8) return fill_lanes<std::uint64_t>(warp, use.registers[0], from);
    return fill_lanes<std::uint32_t>(warp, use.registers[0], from);
  }
  for (unsigned k = 0; k < inst.count; ++k) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, from + k * inst.width, inst.width);
    if (simple && use.lane_bytes == 8) {
      std::fill_n(vector_register<std::uint64_t>(warp.registers, use.registers[k]), warp_size,
                  bits);
    } else if (simple) {
      std::fill_n(vector_register<std::uint32_t>(warp.registers, use.registers[k]), warp_size,
                  static_cast<std::uint32_t>(bits));
    } else {
      for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
        set_element(warp, inst, k, static_cast<std::uint32_t>(std::countr_zero(rest)), bits);
      }
    }
  }
}

void load_frame_param(Warp& warp, const Inst& inst, LaneMask mask) {
  const std::size_t stride = warp.frame->function->frame.param_bytes;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::byte* from = warp.frame->params + lane * stride + inst.imm;
    for (unsigned k = 0; k < inst.count; ++k) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, from + k * inst.width, inst.width);
      set_element(warp, inst, k, lane, bits);
    }
  }
}

void store_frame_param(Warp& warp, const Inst& inst, LaneMask mask) {
  const std::size_t stride = warp.frame->function->frame.param_bytes;
  const MemoryUse& use = use_of(inst);
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::byte* to = warp.frame->params + lane * stride + inst.imm;
    for (unsigned k = 0; k < inst.count; ++k) {
      const std::uint64_t bits = element(warp, use, k, lane);
      std::memcpy(to + k * inst.width, &bits, inst.width);
    }
  }
}

}  // namespace gridstride::sim

// Reads of what nobody has initialised.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/memory/initialised_bytes.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

/// What the lanes have stored without anybody having written it stays unwritten. `place` is a lane's
/// address in `space`; `leave` is given that and those of its bytes.
template <class Place, class Leave>
void keep_unwritten(Warp& warp, const Inst& inst, LaneMask mask, ptx::Space space, Place place,
                    Leave leave) {
  if (!warp.holds_unwritten()) return;
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

/// Notes where the bytes come from that a copy leaves unwritten in local memory: a program to be debugged
/// keeps all its variables there, and it is of no use to be told of those.
void keep_origin(Warp& warp, std::uint32_t lane, std::uint64_t address,
                 const UnwrittenStore& store) {
  UnwrittenRegisters::Held held{.bits = 0xff, .treatment = Treatment::kept, .read = store.first};
  if (held.read.space == ptx::Space::local) {
    const UnwrittenLoad& loaded = held.read.loaded;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(loaded.missing));
    if (const auto* const left = warp.followed.find_local(lane, loaded.address + first))
      held.read = left->read;
  }
  for (std::uint32_t rest = store.bytes; rest != 0; rest &= rest - 1) {
    warp.followed.hold_local(lane, address + static_cast<std::uint32_t>(std::countr_zero(rest)),
                             held);
  }
}

/// Whether a store of this lane has left unwritten what it loads from local memory, and more than a copy.
bool left_by_a_store(const Warp& warp, std::uint32_t lane, const UnwrittenLoad& loaded) {
  for (std::uint32_t i = 0; i < loaded.bytes; ++i) {
    const bool missing = (loaded.missing >> i & 1) != 0;
    const auto* const left = missing ? warp.followed.find_local(lane, loaded.address + i) : nullptr;
    if (left && left->treatment != Treatment::kept) return true;
  }
  return false;
}

/// Notes the bits of the registers that `load` gives `lane` without anybody having written them.
void follow_load(Warp& warp, const Inst& inst, const ptx::Instruction& load, ptx::Space space,
                 std::uint32_t lane, const UnwrittenLoad& loaded) {
  const MemoryUse& use = use_of(inst);
  UnwrittenRegisters& followed = warp.followed;
  for (std::uint32_t k = 0; k < inst.count; ++k) {
    UnwrittenRegisters::Held held{.read = {&load, space, loaded}};
    bool is_first = true;
    for (std::uint32_t i = 0; i < inst.width; ++i) {
      const std::uint32_t byte = k * inst.width + i;
      if ((loaded.missing >> byte & 1) == 0) continue;
      const auto* const left =
          space == ptx::Space::local ? followed.find_local(lane, loaded.address + byte) : nullptr;
      held.bits |= (left ? left->bits : 0xff) << 8 * i;
      if (!left) continue;
      held.treatment = std::max(held.treatment, left->treatment);
      if (is_first) held.read = left->read;
      is_first = false;
    }
    if (held.bits == 0) continue;
    if (use.sign_extends && (held.bits >> (8 * inst.width - 1) & 1) != 0)
      held.bits |= ~std::uint64_t{0} << (8 * inst.width - 1);
    // The loop that runs now does not follow it: it has to stop behind this instruction.
    if (followed.empty()) {
      warp.limit = 0;
      warp.run_end = nullptr;
    }
    followed.hold(warp.frame, use.registers[k], lane, held);
  }
}

/// Adds to `store` what `lane` stores of what is followed. More than a copy is a mistake, but in a thread's
/// own memory, where variables lie in a program to be debugged.
void store_followed(Warp& warp, const Inst& inst, ptx::Space space, std::uint32_t lane,
                    std::uint64_t address, UnwrittenStore& store) {
  const ptx::Instruction* const instruction = warp.grid->kernel.origins[inst.source].instruction;
  if (!instruction || instruction->opcode != "st") return;
  const MemoryUse& use = use_of(inst);
  for (std::uint32_t k = 0; k < inst.count; ++k) {
    const auto* const held = warp.followed.find(warp.frame, use.registers[k], lane);
    if (!held) continue;
    const bool is_local = space == ptx::Space::local;
    const std::uint64_t stored =
        inst.width >= 8 ? held->bits : held->bits & ((std::uint64_t{1} << 8 * inst.width) - 1);
    if (stored == 0) continue;
    if (!is_local && held->treatment >= Treatment::masked) {
      warp.grid->findings.uninitialized_read(thread_of(warp, lane), held->read, inst.source);
      warp.followed.forget(warp.frame, use.registers[k], 1u << lane);
      continue;
    }
    if (store.bytes == 0) store.first = held->read;
    for (std::uint32_t i = 0; i < inst.width; ++i) {
      const std::uint64_t bits = stored >> 8 * i & 0xff;
      // A byte of which one bit has been set counts as written.
      if (is_local ? bits == 0 : bits != 0xff) continue;
      const std::uint32_t byte = k * inst.width + i;
      store.bytes |= 1u << byte;
      if (is_local)
        warp.followed.hold_local(lane, address + byte, {bits, held->treatment, held->read});
    }
  }
}

}  // namespace

void InitialisationObserver::hear(const BlockStart& event) { event.block.forget_shared(); }

bool InitialisationObserver::check_load(Warp& warp, const Inst& inst, ptx::Space space,
                                        std::uint32_t lane, const UnwrittenLoad& loaded) {
  FindingLog& findings = warp.grid->findings;
  const NeededBytes needed = findings.needed(inst.source);
  const ptx::Instruction* const load = warp.grid->kernel.origins[inst.source].instruction;
  const bool goes_on = space == ptx::Space::local && left_by_a_store(warp, lane, loaded);
  if ((loaded.missing & needed.used) != 0 || goes_on) {
    const bool to_registers = load && load->opcode == "ld" && inst.width <= 8;
    if (to_registers) {
      UnwrittenLoad wanted = loaded;
      if (!goes_on) wanted.missing &= needed.used | needed.copied;
      follow_load(warp, inst, *load, space, lane, wanted);
      return false;
    }
    findings.uninitialized_read(thread_of(warp, lane), inst.source, space, loaded);
    return true;
  }
  if ((loaded.missing & needed.copied) != 0) warp.unwritten.keep(load, space, lane, loaded);
  return false;
}

std::uint32_t InitialisationObserver::check_store(Warp& warp, const Inst& inst, ptx::Space space,
                                                  std::uint32_t lane, std::uint64_t address) {
  UnwrittenStore store =
      unwritten_store(warp.unwritten, warp.grid->copy_sources, inst.source, lane);
  if (space == ptx::Space::local && store.bytes != 0) keep_origin(warp, lane, address, store);
  if (!warp.followed.empty()) store_followed(warp, inst, space, lane, address, store);
  if (store.bytes != 0 && space == ptx::Space::global) {
    warp.grid->findings.unwritten_copy(thread_of(warp, lane), store.first, inst.source, address,
                                       store.bytes, inst.width * inst.count);
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
  if (access != Access::store && !use_of(inst).asynchronous)
    check_initialised(warp, inst, mask, line, offsets, bytes);
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
  if (access == Access::store && is_run && !warp.holds_unwritten()) {
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

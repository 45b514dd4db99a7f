// mbarrier: barriers in shared memory, of any number of threads, that are arrived at and waited for
// apart.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/exec/warp_splits.h"
#include "common/simulator/findings/diagnostic_text.h"
#include "common/simulator/isa/memory/mbarrier_arrival.h"
#include "common/simulator/isa/memory/memory_decode.h"
#include "common/simulator/isa/memory/memory_places.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

/// The phase has ended if nothing is missing. Whoever sees it knows what those who arrived had done,
/// and may count on the copies that belong to it.
void end_phase(Mbarriers::Mbarrier& mbarrier) {
  if (!mbarrier.complete()) return;
  mbarrier.unseen.insert(mbarrier.unseen.end(), mbarrier.copies.begin(), mbarrier.copies.end());
  mbarrier.copies.clear();
  mbarrier.unseen_loads.insert(mbarrier.unseen_loads.end(), mbarrier.loads.begin(),
                               mbarrier.loads.end());
  mbarrier.loads.clear();
  mbarrier.handed_on.join(std::exchange(mbarrier.arrived, {}));
  mbarrier.ended = std::exchange(mbarrier.latest, 0);
  mbarrier.pending = mbarrier.expected;
  ++mbarrier.phase;
}

/// Inst of an arrival. `dst`: the state before; `b`: how many arrive; `c`: bytes that are
/// announced. Inst::flags:
constexpr std::uint8_t drops = 1, may_not_end = 2;

void store_state(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t state) {
  if (inst.dst != no_register)
    vector_register<std::uint64_t>(warp.registers, inst.dst)[lane] = state;
}
std::uint32_t value_or(const Warp& warp, VectorRegister at, std::uint32_t lane,
                       std::uint32_t otherwise) {
  return at == no_register ? otherwise
                           : vector_register<const std::uint32_t>(warp.registers, at)[lane];
}

void arrive(Warp& warp, const Inst& inst, LaneMask mask) {
  arrive_at_mbarriers(warp, inst, mask, [&](std::uint32_t lane, Mbarriers::Mbarrier& mbarrier) {
    const std::uint32_t count = value_or(warp, inst.b, lane, 1);
    store_state(warp, inst, lane, mbarrier.state());
    mbarrier.bytes += value_or(warp, inst.c, lane, 0);
    if ((inst.flags & may_not_end) != 0 && count >= mbarrier.pending) {
      warp.grid->findings.bad_instruction(thread_of(warp, lane), inst.source,
                                          "ends a phase of an mbarrier with .noComplete",
                                          error_launch_failure);
    }
    if ((inst.flags & drops) != 0) mbarrier.expected -= std::min(count, mbarrier.expected);
    return count;
  });
}

/// expect_tx (Inst::flags 0) and complete_tx: bytes alone.
void count_bytes(Warp& warp, const Inst& inst, LaneMask mask) {
  arrive_at_mbarriers(warp, inst, mask, [&](std::uint32_t lane, Mbarriers::Mbarrier& mbarrier) {
    const std::int64_t bytes = value_or(warp, inst.b, lane, 0);
    mbarrier.bytes += inst.flags != 0 ? -bytes : bytes;
    return 0u;
  });
}

void initialise(Warp& warp, const Inst& inst, LaneMask mask) {
  std::uint32_t offsets[warp_size];
  find_mbarriers(warp, inst, mask, offsets);
  const auto* const counts = vector_register<const std::uint32_t>(warp.registers, inst.b);
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (counts[lane] == 0 || counts[lane] > Mbarriers::most_expected) {
      warp.grid->findings.bad_instruction(thread_of(warp, lane), inst.source,
                                          "initialises an mbarrier for " +
                                              std::to_string(counts[lane]) +
                                              " arrivals; 1 to 1048575 are possible",
                                          error_launch_failure);
    }
    warp.block->mbarriers.initialise(offsets[lane], counts[lane]);
  }
  warp.block->note_init();
}

void invalidate(Warp& warp, const Inst& inst, LaneMask mask) {
  std::uint32_t offsets[warp_size];
  find_mbarriers(warp, inst, mask, offsets);
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    mbarrier_at(warp, inst, lane, offsets[lane]);
    warp.block->mbarriers.invalidate(offsets[lane]);
  }
}

/// Lanes of `mask` see that a phase of `mbarrier` has ended.
void see_end(Warp& warp, LaneMask mask, Mbarriers::Mbarrier& mbarrier) {
  Block& block = *warp.block;
  for (const Mbarriers::Copies& copies : mbarrier.unseen) {
    block.copies.land(copies.thread, copies.count, block.races, AsyncCopies::Waiter::mbarrier);
    mbarrier.handed_on.own.add(BlockClock::copies_of + copies.thread, block.order.now());
  }
  for (const Mbarriers::BulkLoad& load : mbarrier.unseen_loads) {
    if (block.races) block.races->land(load.thread, load.offset, load.bytes, /*for_others=*/true);
    block.order.land_copies(load.thread, load.begun, /*for_others=*/true);
    mbarrier.handed_on.own.add(BlockClock::copies_of + load.thread, block.order.now());
  }
  if (!mbarrier.unseen.empty() || !mbarrier.unseen_loads.empty()) block.order.tick();
  mbarrier.unseen.clear();
  mbarrier.unseen_loads.clear();
  if (block.checks_order()) block.order.acquire(lanes_of(warp, mask), mbarrier.handed_on);
}

/// The same for lanes that name several.
void see_ends(Warp& warp, const Inst& inst, LaneMask mask, const std::uint32_t* offsets) {
  while (mask != 0) {
    const std::uint32_t lane = first_lane(mask);
    const LaneMask same = mask & ~lanes_with_other(offsets, offsets[lane], mask);
    see_end(warp, same, mbarrier_at(warp, inst, lane, offsets[lane]));
    mask &= ~same;
  }
}

/// try_wait and test_wait: neither waits here; a program asks again.
template <bool by_parity>
void wait(Warp& warp, const Inst& inst, LaneMask mask) {
  std::uint32_t offsets[warp_size];
  if (!find_mbarriers(warp, inst, mask, offsets)) return;
  LaneMask ended = 0;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const Mbarriers::Mbarrier& mbarrier = mbarrier_at(warp, inst, lane, offsets[lane]);
    const bool yes = by_parity ? mbarrier.has_ended_by_parity(vector_register<const std::uint32_t>(
                                     warp.registers, inst.b)[lane])
                               : mbarrier.has_ended(vector_register<const std::uint64_t>(
                                     warp.registers, inst.b)[lane]);
    if (!yes) continue;
    ended |= 1u << lane;
    // Who has asked in vain has lost no more time than it takes.
    const double since = warp.waiting_since >= 0 ? warp.waiting_since : warp.times.next;
    warp.times.fence(std::max(since, mbarrier.ended));
  }
  if (use_of(inst).releases) see_ends(warp, inst, ended, offsets);
  LaneMask& predicate = *vector_register<LaneMask>(warp.registers, inst.dst);
  predicate = (predicate & ~mask) | ended;
  warp.may_give_way(inst);
  if (ended == mask) {
    warp.waiting_since = -1;
    return;
  }
  if (warp.waiting_since < 0) warp.waiting_since = warp.times.next;
  warp.waiting_at = offsets[first_lane(mask & ~ended)];
  warp.time_slice -= polling_cost;
  warp.polled = true;
}

void pending_count(Warp& warp, const Inst& inst, LaneMask mask) {
  auto* const to = vector_register<std::uint32_t>(warp.registers, inst.dst);
  const auto* const states = vector_register<const std::uint64_t>(warp.registers, inst.a);
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    to[lane] = Mbarriers::pending_in(states[lane]);
  }
}

bool decode_arrive(const Instruction& instruction, ProgramContext& context, Modifiers& modifiers,
                   Inst& out) {
  const bool announces = modifiers.take("expect_tx");
  const bool goes_on = modifiers.take("noComplete");
  out.flags |= goes_on ? may_not_end : 0;
  const auto& operands = instruction.operands;
  // One at another block of the cluster returns nothing; there is no other here.
  const std::size_t first = operands.empty() || operands[0].kind == Operand::Kind::address ? 0 : 1;
  const std::size_t counts = operands.size() - first - 1;
  if (operands.size() <= first || counts > 1 || ((announces || goes_on) && counts == 0))
    return false;
  if (first == 1 && operands[0].kind != Operand::Kind::sink &&
      !bind_destination(operands[0], Type::b64, context, out.dst)) {
    return false;
  }
  if (counts == 1 &&
      !bind_source(operands[first + 1], Type::u32, context, announces ? out.c : out.b)) {
    return false;
  }
  out.handler = out.full_handler = arrive;
  return decode_mbarrier_address(context, modifiers, operands[first], AccessStrength::strong, out);
}

bool decode_wait(const Instruction& instruction, ProgramContext& context, Modifiers& modifiers,
                 bool may_have_limit, Inst& out) {
  const auto& operands = instruction.operands;
  const bool by_parity = modifiers.take("parity");
  if (operands.size() != 3 && !(may_have_limit && operands.size() == 4)) return false;
  out.handler = out.full_handler = by_parity ? wait<true> : wait<false>;
  return bind_destination(operands[0], Type::pred, context, out.dst) &&
         bind_source(operands[2], by_parity ? Type::u32 : Type::b64, context, out.b) &&
         decode_mbarrier_address(context, modifiers, operands[1], AccessStrength::strong, out);
}

/// [address], value
bool decode_with_value(const Instruction& instruction, ProgramContext& context,
                       Modifiers& modifiers, AccessStrength kind, Handler handler, Inst& out) {
  const auto& operands = instruction.operands;
  out.handler = out.full_handler = handler;
  return operands.size() == 2 && bind_source(operands[1], Type::u32, context, out.b) &&
         decode_mbarrier_address(context, modifiers, operands[0], kind, out);
}

bool decode_kind(const Instruction& instruction, ProgramContext& context, Modifiers& modifiers,
                 Inst& out) {
  if (modifiers.take("init")) {
    return decode_with_value(instruction, context, modifiers, AccessStrength::plain, initialise,
                             out);
  }
  if (modifiers.take("inval")) {
    out.handler = out.full_handler = invalidate;
    // One lane of each warp ends cuda::pipeline's for all, which have used them in no other order.
    const bool known = instruction.operands.size() == 1 &&
                       decode_mbarrier_address(context, modifiers, instruction.operands[0],
                                               AccessStrength::strong, out);
    out.control = Control::none;
    return known;
  }
  if (modifiers.take("arrive")) return decode_arrive(instruction, context, modifiers, out);
  if (modifiers.take("arrive_drop")) {
    out.flags = drops;
    return decode_arrive(instruction, context, modifiers, out);
  }
  if (modifiers.take("test_wait")) return decode_wait(instruction, context, modifiers, false, out);
  if (modifiers.take("try_wait")) return decode_wait(instruction, context, modifiers, true, out);
  if (modifiers.take("expect_tx")) {
    return decode_with_value(instruction, context, modifiers, AccessStrength::strong, count_bytes,
                             out);
  }
  if (modifiers.take("complete_tx")) {
    out.flags = 1;
    return decode_with_value(instruction, context, modifiers, AccessStrength::strong, count_bytes,
                             out);
  }
  out.handler = out.full_handler = pending_count;
  return modifiers.take("pending_count") && bind(instruction, context, out, Type::u32, {Type::b64});
}

}  // namespace

bool decode_mbarrier_address(ProgramContext& context, Modifiers& modifiers, const Operand& operand,
                             AccessStrength kind, Inst& out) {
  Space space = take_space(modifiers);
  if (modifiers.take("shared::cluster")) space = Space::shared;  // a cluster has one block
  auto* use = context.make<MemoryUse>();
  // Arriving releases and waiting acquires, unless it is said otherwise.
  use->releases = !modifiers.take("relaxed");
  for (const char* known : {"release", "acquire", "cta", "cluster"}) modifiers.take(known);
  use->device_wide = false;
  use->kind = kind;
  if (kind != AccessStrength::plain) out.control = Control::mbarrier;
  out.width = 8;
  MemoryOperand memory;
  return (space == Space::shared || space == Space::generic) &&
         decode_address(context, operand, space, out, *use, memory);
}

/// Of instructions that use one, and of those that make or end it: those store, to races.
bool find_mbarriers(Warp& warp, const Inst& inst, LaneMask mask, std::uint32_t* offsets) {
  const bool makes_or_ends = inst.control != Control::mbarrier;
  MemoryPlaces places;
  find_places(warp, inst, mask, 8, makes_or_ends ? Access::store : Access::atomic, places);
  if (const LaneMask elsewhere = mask & ~places.shared; elsewhere != 0) {
    warp.grid->findings.bad_instruction(thread_of(warp, first_lane(elsewhere)), inst.source,
                                        "names an mbarrier that is not in shared memory",
                                        error_launch_failure);
  }
  std::copy_n(places.offsets, warp_size, offsets);
  if (makes_or_ends) return true;
  if (warp.block->races) warp.block->races->atomic(warp.index, mask, offsets, 8, inst.source);
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    if (warp.block->mbarriers.find(offsets[first_lane(rest)])) continue;
    Block::wait_for_init(warp);
    return false;
  }
  return true;
}

Mbarriers::Mbarrier& mbarrier_at(Warp& warp, const Inst& inst, std::uint32_t lane,
                                 std::uint32_t offset) {
  Mbarriers::Mbarrier* const found = warp.block->mbarriers.find(offset);
  if (!found) {
    warp.grid->findings.bad_instruction(
        thread_of(warp, lane), inst.source,
        "uses a barrier (an mbarrier) where none has been initialised, or no longer is one",
        error_launch_failure);
  }
  return *found;
}

/// More come than a phase expects.
[[noreturn]] static void refuse_arrival(Warp& warp, const Inst& inst, std::uint32_t lane,
                                        const Mbarriers::Mbarrier& mbarrier, std::uint32_t count) {
  const std::uint32_t come = mbarrier.expected - mbarrier.pending;
  std::string text = fmt::format(
      "arrives at a barrier (an mbarrier) {}, where {} of the {} arrivals "
      "that it expects in a phase {} come already",
      count == 1 ? "once" : std::to_string(count) + " times at once", come, mbarrier.expected,
      come == 1 ? "has" : "have");
  if (mbarrier.pending == 0) {
    text += fmt::format(
        ", and {} that were announced have not",
        bytes_text(static_cast<std::uint64_t>(std::max<std::int64_t>(mbarrier.bytes, 0))));
  }
  text +=
      ". Give init() the number of arrivals of a phase, of all threads together, and let nobody "
      "arrive again before the phase has ended";
  warp.grid->findings.bad_instruction(thread_of(warp, lane), inst.source, text,
                                      error_launch_failure);
}

/// The last arrival of a phase has come, and more bytes than it announced: on hardware they may as well
/// come when the phase has ended.
[[noreturn]] static void refuse_unannounced(Warp& warp, const Inst& inst, std::uint32_t lane,
                                            const Mbarriers::Mbarrier& mbarrier) {
  warp.grid->findings.bad_instruction(
      thread_of(warp, lane), inst.source,
      fmt::format(
          "is the last to arrive at a barrier (an mbarrier), and {} of bulk copies that complete "
          "there have not been announced, so the phase does not wait for them. Announce them "
          "before: cuda::device::barrier_arrive_tx() or barrier_expect_tx(), in PTX "
          "mbarrier.arrive.expect_tx, with the bytes of all copies of the phase",
          bytes_text(static_cast<std::uint64_t>(-mbarrier.bytes))),
      error_launch_failure);
}

void count_arrivals(Warp& warp, const Inst& inst, std::uint32_t lane, Mbarriers::Mbarrier& mbarrier,
                    std::uint32_t count) {
  if (count > mbarrier.pending) refuse_arrival(warp, inst, lane, mbarrier, count);
  mbarrier.pending -= count;
  mbarrier.latest = std::max(mbarrier.latest, warp.times.next);
  ++warp.grid->counters.atomic_changes;
  if (count != 0 && mbarrier.pending == 0 && mbarrier.bytes < 0)
    refuse_unannounced(warp, inst, lane, mbarrier);
  end_phase(mbarrier);
}

void come_at_mbarrier(Warp& warp, Mbarriers::Mbarrier& mbarrier, const Mbarriers::BulkLoad& load,
                      double ready) {
  mbarrier.loads.push_back(load);
  mbarrier.latest = std::max(mbarrier.latest, ready);
  mbarrier.bytes -= load.bytes;
  ++warp.grid->counters.atomic_changes;
  end_phase(mbarrier);
}

bool decode_mbarrier(const Instruction& instruction, DecodeContext& base, Inst& out) {
  Modifiers modifiers(instruction);
  return decode_kind(instruction, static_cast<ProgramContext&>(base), modifiers, out) &&
         modifiers.take("b64") && modifiers.done();
}

}  // namespace gridstride::sim

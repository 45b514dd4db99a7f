// What mbarrier instructions and asynchronous copies share: arriving at a barrier in shared memory.
#pragma once

#include <bit>
#include <cstdint>

#include "common/simulator/decode/decode_context.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/memory/memory_access.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {

/// Takes the state space and sets address, width and `extra` (a MemoryUse) of an instruction on an
/// mbarrier. False when the operand is no address. `kind`: what it is to races; plain: it makes or
/// ends the mbarrier.
bool decode_mbarrier_address(ProgramContext& context, Modifiers& modifiers,
                             const ptx::Operand& operand, AccessStrength kind, Inst& out);

/// Offsets in shared memory of the mbarriers that the lanes of `mask` name, by lane. Checks
/// the access and stops the grid for what lies elsewhere. False when one has not been initialised:
/// then the split waits, and the handler does nothing. Of instructions that make or end one always
/// true.
bool find_mbarriers(Warp& warp, const Inst& inst, LaneMask mask, std::uint32_t* offsets);
/// The mbarrier at `offset`; stops the grid when there is none.
Mbarriers::Mbarrier& mbarrier_at(Warp& warp, const Inst& inst, std::uint32_t lane,
                                 std::uint32_t offset);
/// `count` of those expected have come. Ends the phase when they were the last.
void count_arrivals(Warp& warp, const Inst& inst, std::uint32_t lane, Mbarriers::Mbarrier& mbarrier,
                    std::uint32_t count);

/// The bytes of a bulk copy have come, at cycle `ready`. Ends the phase when they were the last.
void come_at_mbarrier(Warp& warp, Mbarriers::Mbarrier& mbarrier, const Mbarriers::BulkLoad& load,
                      double ready);

/// Lane by lane: `arrive` changes the mbarrier and says how many arrivals it is worth.
template <class Arrive>
void arrive_at_mbarriers(Warp& warp, const Inst& inst, LaneMask mask, Arrive arrive) {
  std::uint32_t offsets[warp_size];
  if (!find_mbarriers(warp, inst, mask, offsets)) return;
  Knowledge done;
  if (use_of(inst).releases && warp.block->checks_order()) {
    done = warp.block->order.hand_over(lanes_of(warp, mask));
  }
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    Mbarriers::Mbarrier& mbarrier = mbarrier_at(warp, inst, lane, offsets[lane]);
    mbarrier.arrived.join(done);
    count_arrivals(warp, inst, lane, mbarrier, arrive(lane, mbarrier));
  }
  warp.may_give_way(inst);
}

}  // namespace gridstride::sim

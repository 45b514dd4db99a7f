// What the handlers of memory instructions share.
#pragma once

#include <cstdint>
#include <cstring>

#include "common/simulator/check/access_strength.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/instruction.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {

/// What an access that may be waiting for another thread takes of the time slice (Warp::time_slice).
constexpr std::int32_t polling_cost = 512;

/// Of a load.
inline void note_poll(Warp& warp, const Inst& inst) {
  if (!use_of(inst).polls) return;
  warp.time_slice -= polling_cost;
  warp.polled = true;
  warp.may_give_way(inst);
}
/// Of a store.
inline void note_flag(Warp& warp, const Inst& inst) {
  if (use_of(inst).kind != AccessStrength::plain) warp.may_give_way(inst);
}

/// Addresses of all lanes; those of inactive lanes mean nothing.
inline void lane_addresses(const Warp& warp, const Inst& inst, std::uint64_t* addresses) {
  const auto offset = static_cast<std::uint64_t>(inst.imm);
  if (inst.a == no_register) {
    for (unsigned lane = 0; lane < warp_size; ++lane) addresses[lane] = offset;
  } else if (use_of(inst).base_bytes == 8) {
    const std::uint64_t* base = vector_register<const std::uint64_t>(warp.registers, inst.a);
    for (unsigned lane = 0; lane < warp_size; ++lane) addresses[lane] = base[lane] + offset;
  } else {
    const std::uint32_t* base = vector_register<const std::uint32_t>(warp.registers, inst.a);
    // 32-bit addresses wrap as the hardware's do.
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      addresses[lane] = base[lane] + static_cast<std::uint32_t>(offset);
    }
  }
}

/// Checks one global access of `bytes` a lane and counts it. `addresses` of inactive lanes are
/// overwritten.
void check_and_count_global(Warp& warp, const Inst& inst, LaneMask mask, std::uint64_t* addresses,
                            std::uint32_t bytes, Access access);
/// The same for a shared access at `addresses`, which are offsets in shared memory: fills
/// `offsets`.
void check_and_count_shared(Warp& warp, const Inst& inst, LaneMask mask,
                            const std::uint64_t* addresses, std::uint32_t bytes, Access access,
                            std::uint32_t* offsets);
/// The same for loads of constant memory. True when all lanes load from one place.
bool check_and_count_constants(Warp& warp, const Inst& inst, LaneMask mask,
                               const std::uint64_t* addresses, std::uint32_t bytes);
/// Whether a shared atomic of all lanes, of `bytes` each on 32-bit addresses, is allowed, and nobody
/// wants to hear of its access: then it fills `offsets`.
bool is_quiet_shared_atomic(Warp& warp, const Inst& inst, std::uint32_t bytes,
                            std::uint32_t* offsets);
/// Checks a shared atomic of `bytes` a lane on shared addresses and fills `offsets`, those of
/// inactive lanes with an active one's. Costs and races are the caller's.
void check_shared_atomic(Warp& warp, const Inst& inst, LaneMask mask, std::uint32_t bytes,
                         std::uint32_t* offsets);
// Handlers, by bytes of an element (1, 2, 4, 8) and number of elements (1, 2, 4). Null when the
// combination does not exist.
struct Handlers {
  Handler masked = nullptr, full = nullptr;
};
Handlers global_load(unsigned width, unsigned count);
Handlers global_store(unsigned width, unsigned count);
Handlers constant_load(unsigned width, unsigned count);
Handlers shared_load(unsigned width, unsigned count);
Handlers shared_store(unsigned width, unsigned count);
/// Any space, any width of register.
void load_anywhere(Warp& warp, const Inst& inst, LaneMask mask);
void store_anywhere(Warp& warp, const Inst& inst, LaneMask mask);
/// .param of a kernel, and of a function.
void load_kernel_param(Warp& warp, const Inst& inst, LaneMask mask);
void load_frame_param(Warp& warp, const Inst& inst, LaneMask mask);
void store_frame_param(Warp& warp, const Inst& inst, LaneMask mask);

}  // namespace gridstride::sim

// How memory instructions are decoded.
//
// In the Inst of a load or store: `a` is the register of the base address (no_register: absolute),
// `imm` is added to it, `width` and `count` are the bytes and the number of its elements, `extra` a
// MemoryUse. `flags` is 0, or how a shared access is counted whose neighbours ptxas joins with it
// (merged_accesses.h).
#pragma once

#include <cstdint>

#include "common/simulator/check/access_strength.h"
#include "common/simulator/program/instruction.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

enum class Access : std::uint8_t { load, store, atomic };

struct MemoryUse {
  VectorRegister registers[4] = {no_register, no_register, no_register,
                                 no_register};  ///< of the elements
  std::uint8_t lane_bytes = 4;                  ///< of one lane of those registers: 4 or 8
  /// Of a compare-and-swap: what a lane must find to store, and what it stores then. One element.
  VectorRegister compared = no_register, replacement = no_register;
  bool sign_extends = false;    ///< elements narrower than those, in loads
  std::uint8_t base_bytes = 8;  ///< of one lane of the base: 4 or 8
  bool polls = false;           ///< may be waiting for another thread: volatile, relaxed, acquire
  AccessStrength kind = AccessStrength::plain;
  bool guesses = false;     ///< a load that a compare-and-swap judges: races are looked for there
  bool releases = false;    ///< a store or atomic with release semantics
  bool acquires = false;    ///< a load or atomic with acquire semantics
  bool device_wide = true;  ///< release: for the whole device, not only the block
  bool passes_l1 = false;   ///< the L1 is not asked: volatile, .cg and the like
  ptx::Space space = ptx::Space::generic;
  std::int32_t variable = -1;         ///< shared variable it is computed from, or -1
  std::int32_t local_array = -1;      ///< of KernelCode::local_arrays, where that is known
  std::uint32_t low = 0, high = ~0u;  ///< the bytes of shared memory it may touch
  bool asynchronous = false;          ///< a store that arrives later, or its load: cp.async
  bool read_only = false;             ///< a load by way of the read-only data cache: ld.global.nc
  bool frame_param = false;  ///< .param of a device function: `imm` is the offset in the frame

  /// Whether races are looked for where it stands, as of an access that nobody else takes part in.
  bool is_usual() const { return kind == AccessStrength::plain && !guesses && !asynchronous; }
};

/// Inst::flags of a merged access.
constexpr std::uint8_t merged_flags(std::uint8_t bytes, std::uint8_t words_below) {
  return static_cast<std::uint8_t>(0x80 | words_below << 5 | bytes);
}
constexpr std::uint32_t merged_bytes(std::uint8_t flags) { return flags & 0x1f; }
constexpr std::uint32_t merged_bytes_below(std::uint8_t flags) { return (flags >> 5 & 3) * 4; }

inline const MemoryUse& use_of(const Inst& inst) {
  return *static_cast<const MemoryUse*>(inst.extra);
}

}  // namespace gridstride::sim

// One decoded instruction, and the register file it works on.
//
// A warp's registers are vector registers of 32 lanes, structure of arrays: lane i of a T is
// element i of an array of T. One holds 32 x 4 bytes for types up to 32 bits, 32 x 8 bytes for 64
// bits, and one 32-bit mask for a predicate. 8- and 16-bit values live zero-extended in 32-bit
// lanes. Immediates and special registers have vector registers too, filled when the warp starts,
// so every source operand is one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

constexpr unsigned warp_size = 32;
using LaneMask = std::uint32_t;
constexpr LaneMask full_mask = 0xffffffffu;

class Warp;
struct Inst;

/// Executes `inst` for the lanes in `mask` (never 0; the guard predicate is already applied).
/// Arithmetic handlers touch only the warp's registers. Lanes outside `mask` keep their values.
using Handler = void (*)(Warp& warp, const Inst& inst, LaneMask mask);

/// Byte offset of a vector register from the start of the warp's register file.
using VectorRegister = std::uint32_t;
constexpr VectorRegister no_register = ~VectorRegister{0};
/// Bytes. A predicate takes that much too: registers stay aligned for vector instructions.
constexpr std::uint32_t register_alignment = 64;

/// What the interpreter itself must do at an instruction; `none` is all that only computes.
enum class Control : std::uint8_t {
  none,
  branch,        ///< to `target`, for the lanes of the guard
  branch_table,  ///< brx.idx: register `a` indexes the BranchTable in `extra`
  call,          ///< `extra`: a CallSite; `imm`: as of `barrier`, where the callee waits at one
  ret,
  exit,
  warp_sync,  ///< waits for the lanes of a member mask: register `d`, in every lane
  barrier,    ///< bar.sync, bar.red, bar.arrive: `extra`: a BarrierUse; `imm`: 1 + the number
              ///< of its post-dominator (barrier_post_dominators.h), or 0
  mbarrier,   ///< as none; the handler may let the split wait until the mbarrier is initialised
  trap,
};

struct Inst {
  Handler handler = nullptr;       ///< any mask
  Handler full_handler = nullptr;  ///< all 32 lanes active; may equal `handler`
  VectorRegister dst = no_register,
                 dst2 = no_register;  ///< dst2: carry, or the predicate of a pair
  VectorRegister a = no_register, b = no_register, c = no_register, d = no_register;
  VectorRegister guard = no_register;  ///< a predicate, no_register when unconditional
  bool guard_negated = false;
  Control control = Control::none;
  std::uint8_t width = 0;       ///< memory: bytes of one element
  std::uint8_t count = 1;       ///< memory: elements of a vector access
  std::uint8_t flags = 0;       ///< family-specific, see the family's file
  std::int32_t target = -1;     ///< branch target: index of an instruction
  std::int64_t imm = 0;         ///< address offset, barrier id, family-specific
  const void* extra = nullptr;  ///< family-specific, owned by the Program
  std::uint32_t source = 0;     ///< index of this instruction in its Program (counters, lines)
  /// From this one on so many only compute, without a guard: the warp does them in a row.
  std::int32_t run = 0;
};

/// The lanes of a vector register. `registers` is the warp's register file.
template <class T>
inline T* vector_register(std::byte* registers, VectorRegister offset) {
  return reinterpret_cast<T*>(registers + offset);
}

}  // namespace gridstride::sim

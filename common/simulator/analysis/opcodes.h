// What is known of an opcode before any of its instructions is decoded: the rows of opcodes.def.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// What an opcode does, as far as its unit and its latency depend on it (classify.h).
enum class OpcodeKind : std::uint8_t {
  arithmetic,  ///< integer or float by type, one operation
  fused,       ///< the same, two operations
  division,
  special,
  bits,       ///< integer whatever the type says; hints to the hardware as well
  slow_bits,  ///< the same at the rate of special functions
  convert,
  compare,  ///< by the type of what is compared, no floating-point operation
  move,
  memory,
  atomic,
  warp,
  shuffle,
  match,
  barrier,
  control,
  branch,
  table_branch,  ///< to one of several targets
  product,       ///< mma
  fragment,      ///< wmma: its product, or the loads and stores of what it multiplies
};

/// What it does to memory that counters tell apart.
enum class MemoryEffect : std::uint8_t {
  none,
  load,
  store,
  atomic,
  copy,         ///< reads global memory and writes shared memory
  by_modifier,  ///< wmma: .load loads, .store stores
};

/// Which operand it writes.
enum class Result : std::uint8_t {
  no_result,
  first,         ///< the first operand, unless that is an address
  first_of_red,  ///< the same with .red, else none
};

/// What else an analysis asks for.
namespace trait {
enum Trait : std::uint16_t {
  plain = 0,
  keeps_address = 1 << 0,  ///< the result is an address when one of the sources is
  by_lane = 1 << 1,        ///< lanes get different results even from equal sources
  consumes = 1 << 2,       ///< what it reads leaves registers, or decides where to go on
  orders_shared = 1 << 3,  ///< behind it nothing is known of shared memory
  sets_granule = 1 << 4,   ///< cells of the race checker are no wider than such an access
  whole_warp = 1 << 5,     ///< .sync means all lanes of the warp, no mask is named
  subroutine = 1 << 6,     ///< branches within for rare operands, by type and rounding
};
}  // namespace trait

/// Which instructions leave nothing behind in SASS.
enum class Vanishes : std::uint8_t {
  never,
  always,
  copies,      ///< from register to register
  parameters,  ///< accesses to parameters
};

/// SASS instructions by the type that an opcode works on; 64-bit integers and bits as `wide`.
struct SassCounts {
  std::uint8_t narrow = 1, wide = 1, f32 = 1, f32_approximate = 1, f64 = 1;
  Vanishes vanishes = Vanishes::never;
};

/// One row.
struct Opcode {
  std::string_view name;  ///< "ld"
  OpcodeKind kind;
  MemoryEffect memory;
  Result result;
  std::uint16_t traits = trait::plain;
  SassCounts sass = {};
};

/// All rows, in the order of opcodes.def.
std::span<const Opcode> opcodes();

/// The row of `name`; null when there is none.
const Opcode* find_opcode(std::string_view name);

/// False too for an opcode without a row.
bool has_trait(const ptx::Instruction& instruction, trait::Trait which);

}  // namespace gridstride::sim

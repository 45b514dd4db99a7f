// wmma.load and wmma.store: a matrix between memory and the registers of a warp.
//
// What lies side by side in memory and in a lane goes in one access, register by register, as
// machine code for sm_80 does it; so the costs are those of as many loads and stores.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/matrix/matrix_access.h"
#include "common/simulator/isa/memory/memory_access.h"
#include "common/simulator/isa/memory/memory_decode.h"
#include "common/simulator/isa/memory/memory_places.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

/// `extra`. Its first member is what use_of() sees.
struct FragmentAccess {
  MemoryUse base;   ///< of the matrix
  MemoryUse piece;  ///< of one access, whose addresses stand in `addresses`
  VectorRegister addresses = no_register;
  VectorRegister stride = no_register;  ///< elements from row to row, or from column to column
  bool by_rows = false;
  bool loads = false;
  std::uint32_t together = 1;  ///< elements of a lane in one access
  Fragment fragment;
};
static_assert(std::is_standard_layout_v<FragmentAccess>);

std::uint64_t register_bits(const Warp& warp, const Fragment& fragment, std::uint32_t r,
                            std::uint32_t lane) {
  return fragment.bytes() == 8
             ? vector_register<const std::uint64_t>(warp.registers, fragment.at[r])[lane]
             : vector_register<const std::uint32_t>(warp.registers, fragment.at[r])[lane];
}

/// Element `index` of a lane, counted over its registers.
std::uint64_t element_bits(const Warp& warp, const Fragment& fragment, std::uint32_t index,
                           std::uint32_t lane) {
  return register_bits(warp, fragment, index / fragment.per_register, lane) >>
         (8 * fragment.bytes() * (index % fragment.per_register));
}

void set_element(Warp& warp, const Fragment& fragment, std::uint32_t index, std::uint32_t lane,
                 std::uint64_t bits) {
  const std::uint32_t part = index % fragment.per_register;
  for (std::uint32_t r = index / fragment.per_register; r < fragment.registers;
       r += fragment.distinct) {
    if (fragment.bytes() == 8) {
      vector_register<std::uint64_t>(warp.registers, fragment.at[r])[lane] = bits;
      continue;
    }
    std::uint32_t& word = vector_register<std::uint32_t>(warp.registers, fragment.at[r])[lane];
    if (part == 0) word = 0;
    word |= static_cast<std::uint32_t>(bits << (8 * fragment.bytes() * part));
  }
}

void access_fragment(Warp& warp, const Inst& inst, LaneMask mask) {
  whole_warp(warp, inst, mask);
  const auto& use = *static_cast<const FragmentAccess*>(inst.extra);
  const Fragment& fragment = use.fragment;
  const std::uint32_t bytes = fragment.bytes();
  std::uint64_t base[warp_size];
  lane_addresses(warp, inst, base);
  const auto* const strides = vector_register<const std::uint32_t>(warp.registers, use.stride);
  auto* const addresses = vector_register<std::uint64_t>(warp.registers, use.addresses);
  Inst piece = inst;
  piece.a = use.addresses;
  piece.imm = 0;
  piece.extra = &use.piece;
  piece.width = static_cast<std::uint8_t>(bytes * use.together);
  for (std::uint32_t first = 0; first < fragment.distinct * fragment.per_register;
       first += use.together) {
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
      const std::uint32_t place =
          fragment.place(first / fragment.per_register, first % fragment.per_register, lane);
      const std::uint64_t row = place / fragment.columns, column = place % fragment.columns;
      const std::uint64_t stride = strides[lane];
      addresses[lane] =
          base[lane] + bytes * (use.by_rows ? row * stride + column : column * stride + row);
    }
    MemoryPlaces places;
    find_places(warp, piece, mask, piece.width, use.loads ? Access::load : Access::store, places);
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
      for (std::uint32_t k = 0; k < use.together; ++k) {
        std::byte* const at = places.at[lane] + k * bytes;
        std::uint64_t bits = 0;
        if (use.loads) {
          std::memcpy(&bits, at, bytes);
          set_element(warp, fragment, first + k, lane, bits);
        } else {
          bits = element_bits(warp, fragment, first + k, lane);
          std::memcpy(at, &bits, bytes);
        }
      }
    }
    tell(FragmentMoved{warp, fragment.at + first / fragment.per_register, use.together});
  }
}

/// .a, .b, .c of a load, .d of a store.
bool take_role(Modifiers& modifiers, bool loads, MatrixRole& role) {
  if (loads && modifiers.take("a")) {
    role = MatrixRole::a;
    return true;
  }
  if (loads && modifiers.take("b")) {
    role = MatrixRole::b;
    return true;
  }
  role = MatrixRole::accumulator;
  return modifiers.take(loads ? "c" : "d");
}

/// The shapes of a type that wmma knows: those of its products.
bool known_shape(const MatrixShape& shape, MatrixRole role, Type type) {
  const auto is = [&](std::uint32_t m, std::uint32_t n, std::uint32_t k) {
    return shape.m == m && shape.n == n && shape.k == k;
  };
  if (type == Type::f64) return is(8, 8, 4);
  const bool large = is(16, 16, 16) || is(32, 8, 16) || is(8, 32, 16);
  if (type == Type::tf32) return is(16, 16, 8);
  return large || (role == MatrixRole::accumulator && type == Type::f32 && is(16, 16, 8));
}

}  // namespace

void whole_warp(Warp& warp, const Inst& inst, LaneMask mask) {
  if (mask == full_mask) return;
  warp.grid->findings.bad_instruction(
      thread_of(warp, first_lane(mask)), inst.source,
      "executes " + warp.grid->names.operation(inst.source) +
          " without the other threads of its warp: all 32 must do so together",
      error_launch_failure);
}

std::uint32_t registers_of_wmma(const Fragment& fragment) {
  return fragment.type == Type::f16 ? Fragment::most_registers : fragment.distinct;
}

bool decode_fragment_access(const Instruction& instruction, ProgramContext& context,
                            Modifiers& modifiers, bool loads, const MatrixShape& shape, Inst& out) {
  auto* use = context.make<FragmentAccess>();
  use->loads = loads;
  MatrixRole role{};
  const Space space = take_space(modifiers);
  if (!take_role(modifiers, loads, role)) return false;
  use->by_rows = modifiers.take("row");
  if (!use->by_rows && !modifiers.take("col")) return false;
  const Type type = modifiers.take_type();
  const bool known_space =
      space == Space::generic || space == Space::global || space == Space::shared;
  Fragment& fragment = use->fragment;
  const auto& operands = instruction.operands;
  if (!modifiers.done() || !known_space || operands.size() < 2 || operands.size() > 3 ||
      !known_shape(shape, role, type) || !lay_out(context, role, shape, type, fragment)) {
    return false;
  }
  if (role != MatrixRole::accumulator) fragment.registers = registers_of_wmma(fragment);
  // Neighbours in a lane are neighbours in a row, or in a column of B.
  if (role == MatrixRole::accumulator) {
    use->together = use->by_rows ? 2 : 1;
  } else if (use->by_rows == (role == MatrixRole::a)) {
    use->together = fragment.per_register;
  }
  out.width = static_cast<std::uint8_t>(fragment.bytes() * use->together);
  MemoryOperand memory;
  if (!decode_address(context, operands[loads ? 1 : 0], space, out, use->base, memory) ||
      !bind_fragment(context, operands[loads ? 0 : 1], loads, fragment)) {
    return false;
  }
  if (operands.size() == 3) {
    if (!bind_source(operands[2], Type::u32, context, use->stride)) return false;
  } else {
    use->stride = context.constant(use->by_rows ? fragment.columns : fragment.rows, Type::u32);
  }
  use->addresses = context.destination(Operand{}, Type::b64);  // a row for itself
  use->piece = use->base;
  use->piece.base_bytes = 8;
  out.extra = use;
  out.handler = out.full_handler = access_fragment;
  return true;
}

}  // namespace gridstride::sim

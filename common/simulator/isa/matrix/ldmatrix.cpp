// ldmatrix, stmatrix, movmatrix: 8 by 8 matrices of 16-bit elements, whose rows lie in shared
// memory wherever eight lanes each say, and in registers as mma wants them: lane l holds elements
// l % 4 * 2 and the next of row l / 4, or, transposed, of column l / 4.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/matrix/matrix_access.h"
#include "common/simulator/isa/memory/memory_decode.h"
#include "common/simulator/isa/memory/memory_places.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

constexpr std::uint32_t rows = 8, row_bytes = 16;

/// `extra`. Its first member is what use_of() sees.
struct MatrixRows {
  MemoryUse memory;
  std::uint32_t matrices = 1;
  bool transposed = false;
  bool loads = false;
  VectorRegister registers[4] = {};
};
static_assert(std::is_standard_layout_v<MatrixRows>);

using Matrix = std::uint16_t[rows][rows];

/// Row and column of half `part` of the register of `lane`.
std::uint16_t& element_of(Matrix& matrix, bool transposed, std::uint32_t lane, std::uint32_t part) {
  const std::uint32_t along = lane % 4 * 2 + part, across = lane / 4;
  return transposed ? matrix[along][across] : matrix[across][along];
}

void to_registers(Warp& warp, VectorRegister at, bool transposed, Matrix& matrix) {
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    vector_register<std::uint32_t>(warp.registers, at)[lane] =
        element_of(matrix, transposed, lane, 0) |
        std::uint32_t{element_of(matrix, transposed, lane, 1)} << 16;
  }
}

void from_registers(const Warp& warp, VectorRegister at, bool transposed, Matrix& matrix) {
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t word = vector_register<const std::uint32_t>(warp.registers, at)[lane];
    element_of(matrix, transposed, lane, 0) = static_cast<std::uint16_t>(word);
    element_of(matrix, transposed, lane, 1) = static_cast<std::uint16_t>(word >> 16);
  }
}

void access_matrices(Warp& warp, const Inst& inst, LaneMask mask) {
  whole_warp(warp, inst, mask);
  const auto& use = *static_cast<const MatrixRows*>(inst.extra);
  const std::uint32_t lanes = use.matrices * rows;
  MemoryPlaces places;
  find_places(warp, inst, lanes == warp_size ? full_mask : (1u << lanes) - 1, row_bytes,
              use.loads ? Access::load : Access::store, places);
  for (std::uint32_t m = 0; m < use.matrices; ++m) {
    Matrix matrix;
    if (!use.loads) from_registers(warp, use.registers[m], use.transposed, matrix);
    for (std::uint32_t r = 0; r < rows; ++r) {
      std::byte* const at = places.at[m * rows + r];
      use.loads ? std::memcpy(matrix[r], at, row_bytes) : std::memcpy(at, matrix[r], row_bytes);
    }
    if (use.loads) to_registers(warp, use.registers[m], use.transposed, matrix);
    tell(MatrixRowsMoved{warp, use.registers[m], m * rows, use.transposed});
  }
}

bool decode(const Instruction& instruction, DecodeContext& base, bool loads, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  if (!modifiers.take("sync") || !modifiers.take("aligned") || !modifiers.take("m8n8"))
    return false;
  auto* use = context.make<MatrixRows>();
  use->loads = loads;
  use->matrices = modifiers.take("x1") ? 1 : modifiers.take("x2") ? 2 : 4;
  if (use->matrices == 4 && !modifiers.take("x4")) return false;
  use->transposed = modifiers.take("trans");
  const Space space = take_space(modifiers);
  const auto& operands = instruction.operands;
  if (!modifiers.take("b16") || !modifiers.done() || operands.size() != 2 ||
      (space != Space::shared && space != Space::generic)) {
    return false;
  }
  out.width = row_bytes;
  MemoryOperand memory;
  if (!decode_address(context, operands[loads ? 1 : 0], space, out, use->memory, memory)) {
    return false;
  }
  const Operand& value = operands[loads ? 0 : 1];
  const bool vector = value.kind == Operand::Kind::vector;
  if ((vector ? value.elements.size() : 1) != use->matrices) return false;
  for (std::uint32_t m = 0; m < use->matrices; ++m) {
    const Operand& one = vector ? value.elements[m] : value;
    const bool bound = loads ? bind_destination(one, Type::b32, context, use->registers[m])
                             : bind_source(one, Type::b32, context, use->registers[m]);
    if (!bound) return false;
  }
  out.extra = use;
  out.handler = out.full_handler = access_matrices;
  return true;
}

void transpose(Warp& warp, const Inst& inst, LaneMask mask) {
  whole_warp(warp, inst, mask);
  Matrix matrix;
  from_registers(warp, inst.a, false, matrix);
  to_registers(warp, inst.dst, true, matrix);
}

}  // namespace

bool decode_ldmatrix(const Instruction& instruction, DecodeContext& base, Inst& out) {
  return decode(instruction, base, true, out);
}
bool decode_stmatrix(const Instruction& instruction, DecodeContext& base, Inst& out) {
  return decode(instruction, base, false, out);
}

bool decode_movmatrix(const Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  for (const char* modifier : {"sync", "aligned", "m8n8", "trans", "b16"}) {
    if (!modifiers.take(modifier)) return false;
  }
  out.handler = out.full_handler = transpose;
  return modifiers.done() && bind(instruction, context, out, Type::b32, {Type::b32});
}

}  // namespace gridstride::sim

// mma.m8n8k4 of f16, Volta's: lanes 4q to 4q + 3 and 16 above them multiply an 8 by 4 and a 4 by 8
// matrix of their own, for q from 0 to 3. Where the elements stand is in the PTX ISA, "Matrix
// fragments for mma.m8n8k4 with .f16 floating point type".
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/simulator/base/half.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/matrix/matrix_access.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

/// `extra` of a product.
struct QuadProduct {
  VectorRegister a[2] = {}, b[2] = {}, c[8] = {}, d[8] = {};
  bool a_by_rows = false, b_by_rows = false;
  bool c_wide = false, d_wide = false;  ///< f32
};

struct Element {
  std::uint32_t row = 0, column = 0;
};

/// Element i of the four of A or B (with its row and column exchanged) in a lane.
Element element_of_a(bool by_rows, std::uint32_t lane, std::uint32_t i) {
  const std::uint32_t half = lane < 16 ? 0 : 4;
  return by_rows ? Element{lane % 4 + half, i} : Element{i + half, lane % 4};
}
/// Of the eight of C or D.
Element element_of_c(bool wide, std::uint32_t lane, std::uint32_t i) {
  const std::uint32_t half = lane < 16 ? 0 : 4;
  if (!wide) return {lane % 4 + half, i};
  return {(lane & 1) + (i & 2) + half, (i & 4) + (lane & 2) + (i & 1)};
}

double half_in(const Warp& warp, const VectorRegister* registers, std::uint32_t i,
               std::uint32_t lane) {
  const std::uint32_t word =
      vector_register<const std::uint32_t>(warp.registers, registers[i / 2])[lane];
  return lanes::to_float(lanes::Half{static_cast<std::uint16_t>(word >> (16 * (i % 2)))});
}

void multiply_quads(Warp& warp, const Inst& inst, LaneMask mask) {
  whole_warp(warp, inst, mask);
  const auto& use = *static_cast<const QuadProduct*>(inst.extra);
  double a[4][8][4], b[4][4][8], c[4][8][8];
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t quad = lane % 16 / 4;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const Element in_a = element_of_a(use.a_by_rows, lane, i);
      a[quad][in_a.row][in_a.column] = half_in(warp, use.a, i, lane);
      const Element in_b = element_of_a(!use.b_by_rows, lane, i);  // B by columns is as A by rows
      b[quad][in_b.column][in_b.row] = half_in(warp, use.b, i, lane);
    }
    for (std::uint32_t i = 0; i < 8; ++i) {
      const Element at = element_of_c(use.c_wide, lane, i);
      c[quad][at.row][at.column] =
          use.c_wide ? double{vector_register<const float>(warp.registers, use.c[i])[lane]}
                     : half_in(warp, use.c, i, lane);
    }
  }
  for (std::uint32_t quad = 0; quad < 4; ++quad) {
    for (std::uint32_t i = 0; i < 8; ++i) {
      for (std::uint32_t j = 0; j < 8; ++j) {
        for (std::uint32_t k = 0; k < 4; ++k) c[quad][i][j] += a[quad][i][k] * b[quad][k][j];
      }
    }
  }
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    for (std::uint32_t i = 0; i < 8; ++i) {
      const Element at = element_of_c(use.d_wide, lane, i);
      const double sum = c[lane % 16 / 4][at.row][at.column];
      if (use.d_wide) {
        vector_register<float>(warp.registers, use.d[i])[lane] = static_cast<float>(sum);
        continue;
      }
      std::uint32_t& word = vector_register<std::uint32_t>(warp.registers, use.d[i / 2])[lane];
      const std::uint32_t bits = lanes::to_half(sum).bits;
      word = i % 2 == 0 ? bits : word | bits << 16;
    }
  }
}

bool bind_all(const Operand& operand, std::size_t count, ProgramContext& context, bool is_result,
              VectorRegister* registers) {
  if (operand.kind != Operand::Kind::vector || operand.elements.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const bool bound = is_result
                           ? bind_destination(operand.elements[i], Type::b32, context, registers[i])
                           : bind_source(operand.elements[i], Type::b32, context, registers[i]);
    if (!bound) return false;
  }
  return true;
}

}  // namespace

bool decode_quad_product(const Instruction& instruction, ProgramContext& context,
                         Modifiers& modifiers, Inst& out) {
  // The layouts are told apart by their place: that of A, then that of B.
  std::size_t layouts = 0;
  auto* use = context.make<QuadProduct>();
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier != "row" && modifier != "col") continue;
    (layouts++ == 0 ? use->a_by_rows : use->b_by_rows) = modifier == "row";
    modifiers.take(modifier);
  }
  const Type d = modifiers.take_type(), a = modifiers.take_type(), b = modifiers.take_type(),
             c = modifiers.take_type();
  const auto is_result = [](Type type) { return type == Type::f16 || type == Type::f32; };
  const auto& operands = instruction.operands;
  if (layouts != 2 || a != Type::f16 || b != Type::f16 || !is_result(c) || !is_result(d) ||
      !modifiers.done() || operands.size() != 4) {
    return false;
  }
  use->c_wide = c == Type::f32;
  use->d_wide = d == Type::f32;
  out.extra = use;
  out.handler = out.full_handler = multiply_quads;
  return bind_all(operands[0], use->d_wide ? 8 : 4, context, true, use->d) &&
         bind_all(operands[1], 2, context, false, use->a) &&
         bind_all(operands[2], 2, context, false, use->b) &&
         bind_all(operands[3], use->c_wide ? 8 : 4, context, false, use->c);
}

}  // namespace gridstride::sim

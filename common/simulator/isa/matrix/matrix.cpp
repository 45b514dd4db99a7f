// mma and wmma.mma: products of small matrices that a warp holds in its registers.
//
// Products are exact and are added up in double precision, then rounded once. The hardware adds in
// an order of its own and drops bits, so that its last bits differ.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/simulator/decode/modifiers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/matrix/matrix_access.h"
#include "common/simulator/isa/matrix/matrix_fragments.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Type;

/// `extra` of a product.
struct Product {
  MatrixShape shape;
  Fragment a, b, c, d;
  bool saturates = false;
};

constexpr std::size_t most_elements = 512;

void multiply(Warp& warp, const Inst& inst, LaneMask mask) {
  whole_warp(warp, inst, mask);
  const auto& use = *static_cast<const Product*>(inst.extra);
  double a[most_elements], b[most_elements], c[most_elements];
  gather(warp, use.a, a);
  gather(warp, use.b, b);
  gather(warp, use.c, c);
  const auto [m, n, k] = use.shape;
  for (std::uint32_t i = 0; i < m; ++i) {
    double* const sums = c + i * n;
    for (std::uint32_t l = 0; l < k; ++l) {
      const double factor = a[i * k + l];
      const double* const others = b + l * n;
      for (std::uint32_t j = 0; j < n; ++j) sums[j] = std::fma(factor, others[j], sums[j]);
    }
  }
  scatter(warp, use.d, c, use.saturates);
}

/// Types of A and B, and of C and D, that go together.
bool fit(Type a, Type b, Type c, Type d) {
  const bool bytes = (a == Type::s8 || a == Type::u8) && (b == Type::s8 || b == Type::u8);
  if (bytes) return c == Type::s32 && d == Type::s32;
  if (a != b) return false;
  if (a == Type::f64) return c == Type::f64 && d == Type::f64;
  const auto wide = [](Type type) { return type == Type::f32; };
  if (a == Type::f16) return (wide(c) || c == Type::f16) && (wide(d) || d == Type::f16);
  return wide(c) && wide(d);
}

/// The products there are of a type: A of 8 or 16 rows.
bool exists(bool is_wmma, const MatrixShape& shape, Type type) {
  const auto is = [&](std::uint32_t m, std::uint32_t n, std::uint32_t k) {
    return shape.m == m && shape.n == n && shape.k == k;
  };
  const bool half = type == Type::f16 || type == Type::bf16;
  const bool bytes = type == Type::s8 || type == Type::u8;
  if (type == Type::f64) {
    return is(8, 8, 4) || (!is_wmma && (is(16, 8, 4) || is(16, 8, 8) || is(16, 8, 16)));
  }
  if (is_wmma) {
    if (type == Type::tf32) return is(16, 16, 8);
    return (half || bytes) && (is(16, 16, 16) || is(32, 8, 16) || is(8, 32, 16));
  }
  if (half) return is(16, 8, 8) || is(16, 8, 16);
  if (type == Type::tf32) return is(16, 8, 4) || is(16, 8, 8);
  return bytes && (is(8, 8, 16) || is(16, 8, 16) || is(16, 8, 32));
}

bool decode_product(const Instruction& instruction, ProgramContext& context, Modifiers& modifiers,
                    bool is_wmma, const MatrixShape& shape, Inst& out) {
  auto* use = context.make<Product>();
  use->shape = shape;
  use->saturates = modifiers.take("satfinite");
  if (is_wmma) modifiers.take("rn");  // of f64, the only rounding that is known
  Type types[4] = {};
  std::size_t count = 0;
  while (count < 4 && (types[count] = modifiers.take_type()) != Type::none) ++count;
  Type d = types[0], a = types[1], b = types[2], c = types[3];
  if (is_wmma && count == 2) {  // of f16 only the types of the results are written
    a = b = Type::f16;
    c = types[1];
    count = 4;
  }
  const bool integers = c == Type::s32;
  if (count != 4 || !modifiers.done() || !fit(a, b, c, d) || !exists(is_wmma, shape, a) ||
      (use->saturates && !integers) || instruction.operands.size() != 4) {
    return false;
  }
  if (!lay_out(context, MatrixRole::a, shape, a, use->a) ||
      !lay_out(context, MatrixRole::b, shape, b, use->b) ||
      !lay_out(context, MatrixRole::accumulator, shape, c, use->c) ||
      !lay_out(context, MatrixRole::accumulator, shape, d, use->d)) {
    return false;
  }
  if (is_wmma) {
    use->a.registers = registers_of_wmma(use->a);
    use->b.registers = registers_of_wmma(use->b);
  }
  out.extra = use;
  out.handler = out.full_handler = multiply;
  const auto& operands = instruction.operands;
  return bind_fragment(context, operands[0], true, use->d) &&
         bind_fragment(context, operands[1], false, use->a) &&
         bind_fragment(context, operands[2], false, use->b) &&
         bind_fragment(context, operands[3], false, use->c);
}

/// Takes ".sync.aligned", the layouts of A and B and the shape.
bool take_begin(Modifiers& modifiers, const Instruction& instruction, MatrixShape& shape) {
  if (!modifiers.take("sync") || !modifiers.take("aligned")) return false;
  for (const std::string& modifier : instruction.modifiers) {
    if (parse_shape(modifier, shape)) return modifiers.take(modifier);
  }
  return false;
}

}  // namespace

bool decode_mma(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  MatrixShape shape;
  if (!take_begin(modifiers, instruction, shape)) return false;
  if (shape.m == 8 && shape.k == 4 && instruction.has("f16")) {
    return decode_quad_product(instruction, context, modifiers, out);
  }
  // In registers it is of no account how the matrices lay in memory.
  const auto& words = instruction.modifiers;
  const bool in_order = std::ranges::find(words, "row") < std::ranges::find(words, "col");
  return in_order && modifiers.take("row") && modifiers.take("col") &&
         decode_product(instruction, context, modifiers, false, shape, out);
}

bool decode_wmma(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  MatrixShape shape;
  const bool loads = modifiers.take("load"), stores = !loads && modifiers.take("store");
  if (loads || stores) {
    return take_begin(modifiers, instruction, shape) &&
           decode_fragment_access(instruction, context, modifiers, loads, shape, out);
  }
  if (!modifiers.take("mma") || !take_begin(modifiers, instruction, shape)) return false;
  for (int matrix = 0; matrix < 2; ++matrix) {
    if (!modifiers.take("row") && !modifiers.take("col")) return false;
  }
  return decode_product(instruction, context, modifiers, true, shape, out);
}

}  // namespace gridstride::sim

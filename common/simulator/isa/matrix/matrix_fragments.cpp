// See matrix_fragments.h.
#include "common/simulator/isa/matrix/matrix_fragments.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "common/simulator/base/half.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {
namespace {

using ptx::Type;

/// Number of element `part` of a register.
double number_of(Type type, std::uint64_t bits, std::uint32_t part) {
  const auto word = static_cast<std::uint32_t>(bits);
  const auto half = static_cast<std::uint16_t>(word >> (16 * (part & 1)));
  const auto byte = static_cast<std::uint8_t>(word >> (8 * (part & 3)));
  switch (type) {
    case Type::f16:
      return lanes::to_float(lanes::Half{half});
    case Type::bf16:
      return lanes::to_float(lanes::Bfloat{half});
    case Type::tf32:
      return std::bit_cast<float>(word & 0xffffe000u);
    case Type::f32:
      return std::bit_cast<float>(word);
    case Type::f64:
      return std::bit_cast<double>(bits);
    case Type::s8:
      return static_cast<std::int8_t>(byte);
    case Type::u8:
      return byte;
    default:
      return static_cast<std::int32_t>(word);
  }
}

std::uint64_t bits_of(Type type, double number, bool saturates) {
  constexpr double low = -2147483648.0, high = 2147483647.0;
  switch (type) {
    case Type::f16:
      return lanes::to_half(number).bits;
    case Type::f32:
      return std::isnan(number) ? 0x7fffffffu
                                : std::bit_cast<std::uint32_t>(static_cast<float>(number));
    case Type::f64:
      return std::bit_cast<std::uint64_t>(number);
    default:
      if (saturates) number = std::clamp(number, low, high);
      return static_cast<std::uint32_t>(static_cast<std::int64_t>(number));
  }
}

bool may_be(MatrixRole role, Type type) {
  if (role == MatrixRole::accumulator) {
    return type == Type::f16 || type == Type::f32 || type == Type::s32 || type == Type::f64;
  }
  return type == Type::f16 || type == Type::bf16 || type == Type::tf32 || type == Type::s8 ||
         type == Type::u8 || type == Type::f64;
}

}  // namespace

bool parse_shape(const std::string& text, MatrixShape& shape) {
  unsigned m = 0, n = 0, k = 0;
  int end = 0;
  const int found = std::sscanf(text.c_str(), "m%2un%2uk%3u%n", &m, &n, &k, &end);
  shape = {m, n, k};
  return found == 3 && static_cast<std::size_t>(end) == text.size();
}

bool lay_out(ProgramContext& context, MatrixRole role, const MatrixShape& shape, Type type,
             Fragment& out) {
  if (!may_be(role, type)) return false;
  out.type = type;
  out.rows = role == MatrixRole::b ? shape.k : shape.m;
  out.columns = role == MatrixRole::a ? shape.k : shape.n;
  const std::uint32_t bytes = out.bytes();
  out.per_register = bytes >= 4 ? 1 : 4 / bytes;
  // Elements of a row of A that four lanes hold, and how many such stretches a row has.
  const std::uint32_t stretch = 4 * out.per_register;
  const std::uint32_t along = shape.k / stretch, row_tiles = shape.m / 8;
  const bool divides = shape.m % 8 == 0 && shape.n % 8 == 0 && row_tiles != 0 && shape.n != 0;
  if (!divides || (role != MatrixRole::accumulator && (shape.k % stretch != 0 || along == 0))) {
    return false;
  }
  out.registers = out.distinct = out.rows * out.columns / warp_size / out.per_register;
  if (out.registers == 0 || out.registers > Fragment::most_registers) return false;
  auto* const places = static_cast<std::uint16_t*>(context.allocate(
      std::size_t{out.registers} * out.per_register * warp_size * sizeof(std::uint16_t)));
  out.places = places;
  std::size_t next = 0;
  for (std::uint32_t r = 0; r < out.registers; ++r) {
    for (std::uint32_t part = 0; part < out.per_register; ++part) {
      for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
        const std::uint32_t element = lane % 4 * out.per_register + part;
        std::uint32_t row = 0, column = 0;
        if (role == MatrixRole::a) {
          row = r % row_tiles * 8 + lane / 4;
          column = r / row_tiles * stretch + element;
        } else if (role == MatrixRole::b) {
          row = r % along * stretch + element;
          column = r / along * 8 + lane / 4;
        } else {
          const std::uint32_t pair = (r * out.per_register + part) / 2;
          row = pair % row_tiles * 8 + lane / 4;
          column = pair / row_tiles * 8 + lane % 4 * 2 + (r * out.per_register + part) % 2;
        }
        places[next++] = static_cast<std::uint16_t>(row * out.columns + column);
      }
    }
  }
  return true;
}

bool bind_fragment(ProgramContext& context, const ptx::Operand& operand, bool is_result,
                   Fragment& out) {
  const bool vector = operand.kind == ptx::Operand::Kind::vector;
  if ((vector ? operand.elements.size() : 1) != out.registers) return false;
  const Type type = out.bytes() == 8 ? Type::b64 : Type::b32;
  for (std::uint32_t r = 0; r < out.registers; ++r) {
    const ptx::Operand& one = vector ? operand.elements[r] : operand;
    const bool bound = is_result ? bind_destination(one, type, context, out.at[r])
                                 : bind_source(one, type, context, out.at[r]);
    if (!bound) return false;
  }
  return true;
}

void gather(const Warp& warp, const Fragment& fragment, double* numbers) {
  for (std::uint32_t r = 0; r < fragment.distinct; ++r) {
    for (std::uint32_t part = 0; part < fragment.per_register; ++part) {
      for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
        const std::uint64_t bits =
            fragment.bytes() == 8
                ? vector_register<const std::uint64_t>(warp.registers, fragment.at[r])[lane]
                : vector_register<const std::uint32_t>(warp.registers, fragment.at[r])[lane];
        numbers[fragment.place(r, part, lane)] = number_of(fragment.type, bits, part);
      }
    }
  }
}

void scatter(Warp& warp, const Fragment& fragment, const double* numbers, bool saturates) {
  const std::uint32_t bytes = fragment.bytes();
  for (std::uint32_t r = 0; r < fragment.registers; ++r) {
    const std::uint32_t from = r % fragment.distinct;
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
      std::uint64_t bits = 0;
      for (std::uint32_t part = 0; part < fragment.per_register; ++part) {
        bits |= bits_of(fragment.type, numbers[fragment.place(from, part, lane)], saturates)
                << (8 * bytes * part);
      }
      if (bytes == 8) {
        vector_register<std::uint64_t>(warp.registers, fragment.at[r])[lane] = bits;
      } else {
        vector_register<std::uint32_t>(warp.registers, fragment.at[r])[lane] =
            static_cast<std::uint32_t>(bits);
      }
    }
  }
}

}  // namespace gridstride::sim

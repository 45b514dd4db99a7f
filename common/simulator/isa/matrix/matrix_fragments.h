// How the elements of a matrix are spread over the registers of a warp, for mma and wmma.
//
// A register of 32 bits holds one to four neighbouring elements. Four lanes hold a stretch of a row
// of A, or of a column of B; eight such stretches are what one register of the warp holds. Of C and
// D four lanes hold two neighbouring elements each. So the PTX ISA has it for mma; for wmma it
// leaves it open, and machine code for sm_80 does the same.
#pragma once

#include <cstdint>
#include <string>

#include "common/simulator/decode/decode_context.h"
#include "common/simulator/program/instruction.h"

namespace gridstride::sim {

enum class MatrixRole : std::uint8_t { a, b, accumulator };

/// D = A * B + C: A is m by k, B is k by n, C and D are m by n.
struct MatrixShape {
  std::uint32_t m = 0, n = 0, k = 0;
};

/// One matrix in registers.
struct Fragment {
  static constexpr std::uint32_t most_registers = 8;

  ptx::Type type = ptx::Type::none;
  std::uint32_t rows = 0, columns = 0;
  std::uint32_t registers = 0;  ///< of a lane
  std::uint32_t distinct = 0;   ///< … that differ; those behind them repeat the first ones
  std::uint32_t per_register = 1;
  VectorRegister at[most_registers] = {};
  /// Of element `part` of register r in `lane`: row * columns + column, at
  /// [(r * per_register + part) * 32 + lane].
  const std::uint16_t* places = nullptr;

  std::uint32_t place(std::uint32_t r, std::uint32_t part, std::uint32_t lane) const {
    return places[(r * per_register + part) * warp_size + lane];
  }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(ptx::size_of(type)); }
};

/// The product of one instruction, "m16n8k16". False when `text` is none.
bool parse_shape(const std::string& text, MatrixShape& shape);
/// Sets everything but `at`. False for types that no matrix has and shapes that do not divide.
bool lay_out(ProgramContext& context, MatrixRole role, const MatrixShape& shape, ptx::Type type,
             Fragment& out);
/// Binds the registers of `operand`, a vector of `out.registers`, or one register.
bool bind_fragment(ProgramContext& context, const ptx::Operand& operand, bool is_result,
                   Fragment& out);

/// The elements as numbers, row by row. tf32 counts without its last 13 bits, as on the hardware.
void gather(const Warp& warp, const Fragment& fragment, double* numbers);
/// Rounds numbers to the nearest of the fragment's type; integers wrap around, or stay at their
/// largest value when `saturates`.
void scatter(Warp& warp, const Fragment& fragment, const double* numbers, bool saturates);

}  // namespace gridstride::sim

// From ptx::Instruction to Inst: each opcode has a decoder.
//
// A new opcode is one row in analysis/opcodes.def, one decoder with its handler in isa/, one test.
// A decoder that meets a modifier or type it does not know returns nothing, and the program is
// refused by name: "ld.global.v8.b32 (line 41 of kernel.cu) is not supported by the simulated GPU".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/simulator/program/instruction.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// What a decoder may ask for while it translates one instruction.
class DecodeContext {
 public:
  virtual ~DecodeContext() = default;
  /// The vector register of a source operand read as `type`: a register, an immediate (converted:
  /// an integer immediate used as a float type keeps its bits, 0d immediates used as f32 are
  /// rounded), a special register, or the address of a symbol. Throws Unsupported for anything
  /// else.
  virtual VectorRegister source(const ptx::Operand& operand, ptx::Type type) = 0;
  /// That of a destination; a scratch one for the sink `_`.
  virtual VectorRegister destination(const ptx::Operand& operand, ptx::Type type) = 0;
  /// That of the second predicate of a pair p|q, or no_register.
  virtual VectorRegister second_destination(const ptx::Operand& operand) = 0;
  /// A vector register that holds `bits` in every lane, read as `type`.
  virtual VectorRegister constant(std::uint64_t bits, ptx::Type type) = 0;
  /// Bytes of one lane in the vector register of `operand`, 4 or 8, or 0 for a predicate. Registers
  /// need not have the width of the instruction's type: cvt allows a wider one, and nobody has
  /// checked the text. Of anything but a register, those of a `type`.
  virtual std::uint32_t lane_bytes_of(const ptx::Operand& /*operand*/, ptx::Type type) const {
    return type == ptx::Type::pred ? 0 : ptx::size_of(type) == 8 ? 8 : 4;
  }
  /// The carry flag of add.cc, subc …: one predicate a warp. no_register when there is none, and
  /// instructions that carry are refused.
  virtual VectorRegister carry_flag() { return no_register; }
  /// Memory owned by the Program, alive as long as it, for Inst::extra.
  virtual void* allocate(std::size_t bytes) = 0;
};

/// Fills handler, full_handler, registers, width … of an Inst. Guard, source and target are the
/// caller's. Returns false when a modifier, a type or the operand count is not known.
using Decoder = bool (*)(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);

/// The decoders that the rows of opcodes.def name; each is defined in isa/.
#define OPCODE(name, decoder, ...) \
  bool decoder(const ptx::Instruction& instruction, DecodeContext& context, Inst& out);
#include "common/simulator/analysis/opcodes.def"

/// The decoder in the row of `opcode`; null when there is no row.
Decoder decoder_of(std::string_view opcode);

}  // namespace gridstride::sim

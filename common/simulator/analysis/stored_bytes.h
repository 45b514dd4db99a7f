// Where each byte of a register comes from: what copies structures, sets bit-fields and packs words only
// moves bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/analysis/definitions.h"
#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

struct ByteSource {
  enum class From : std::uint8_t {
    elsewhere,  ///< computed, or not known
    zero,
    load,   ///< byte number `byte` of what instruction number `load` loads, nothing done to it
    parts,  ///< some bits of a loaded byte, others of something else: a bit-field was set in it
  };
  From from = From::elsewhere;
  std::uint8_t byte = 0;
  std::size_t load = 0;  ///< in the function's body
  bool operator==(const ByteSource&) const = default;
};

/// Of one function, which must live as long. Looks at registers that one instruction alone writes;
/// of others nothing is known.
class StoredBytes {
 public:
  using Bytes = std::array<ByteSource, 8>;

  explicit StoredBytes(const ptx::Function& function);
  /// The bytes of the register number `index`, the lowest first. Of a narrower register the rest means
  /// nothing.
  Bytes of_register(std::int32_t index);
  /// The bytes that `store`, an `st`, writes, in the order of their addresses; empty for another
  /// instruction.
  std::vector<ByteSource> of_store(const ptx::Instruction& store);

 private:
  Bytes of_operand(const ptx::Operand& operand);
  Bytes made_by(const ptx::Instruction& instruction, std::int32_t index);
  /// Bits of an operand, or of what an instruction makes, that may be set; all when nothing is known.
  std::uint64_t possible_bits(const ptx::Operand& operand, std::uint32_t depth) const;
  std::uint64_t possible_bits(const ptx::Instruction& made, std::uint32_t depth) const;

  const ptx::Function& function_;
  Definitions definitions_;
  enum class State : std::uint8_t { open, being_looked_at, known };
  std::vector<State> states_;
  std::vector<Bytes> known_;
  std::uint32_t depth_ = 0;  ///< of of_register() in itself
};

}  // namespace gridstride::sim

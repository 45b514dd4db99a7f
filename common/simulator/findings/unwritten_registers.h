// Of one warp: what in its registers depends on what nobody has written, bit by bit, while a value that was
// loaded is computed with. It is a mistake when an address, a condition or what leaves the registers depends
// on such a bit, and none when it is thrown away: as memcheck of Valgrind has it (Seward, Nethercote: Using
// Valgrind to detect undefined value errors with bit-precision, 2005).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/simulator/findings/unwritten_values.h"
#include "common/simulator/program/instruction.h"

namespace gridstride::sim {

/// What has become of an unwritten value, from the harmless to what may not be stored.
enum class Treatment : std::uint8_t {
  copied,    ///< moved by whole bytes at most
  set_in,    ///< a bit-field was set in it
  masked,    ///< some bits of a byte were taken
  computed,  ///< anything else
};

class UnwrittenRegisters {
 public:
  /// Of one lane.
  struct Held {
    std::uint64_t bits = 0;  ///< those that are unwritten, or depend on unwritten ones
    Treatment treatment = Treatment::copied;
    UnwrittenRead read;  ///< where the first of them was loaded
  };

  /// A register of a function's activation is named by the activation and its VectorRegister, a byte of a
  /// .param variable by the activation and byte_of_param().
  using Activation = const void*;
  using Place = std::uint32_t;
  static constexpr Place byte_of_param(std::uint32_t offset) { return param_bit | offset; }

  bool empty() const { return registers_.empty(); }
  bool holds_params() const { return params_ != 0; }
  void clear() {
    registers_.clear();
    local_.clear();
    params_ = 0;
  }
  /// Null when all bits are written.
  const Held* find(Activation activation, Place place, std::uint32_t lane) const;
  /// Lanes that hold unwritten bits there.
  LaneMask lanes(Activation activation, Place place) const;
  void hold(Activation activation, Place place, std::uint32_t lane, const Held& what);
  void forget(Activation activation, Place place, LaneMask lanes);
  void forget(Activation activation, LaneMask lanes);

  /// Where a byte of a thread's local memory has been left unwritten by a store of what was held; it counts
  /// as long as the byte is not initialised.
  void hold_local(std::uint32_t lane, std::uint64_t offset, const Held& what) {
    local_[{lane, offset}] = what;
  }
  const Held* find_local(std::uint32_t lane, std::uint64_t offset) const;
  void forget_local(std::uint32_t lane, std::uint64_t offset, std::uint64_t bytes);

 private:
  static constexpr Place param_bit = Place{1} << 31;
  struct Register {
    Activation activation = nullptr;
    Place place = 0;
    LaneMask lanes = 0;
    std::vector<Held> of;  ///< warp_size
  };
  void erase_empty();

  std::vector<Register> registers_;
  std::size_t params_ = 0;  ///< of those, bytes of .param variables
  std::map<std::pair<std::uint32_t, std::uint64_t>, Held> local_;
};

}  // namespace gridstride::sim

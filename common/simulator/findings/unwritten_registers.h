// Of one warp: what in its registers depends on what nobody has written, bit by bit, while a value that was
// loaded is computed with. It is a mistake when an address, a condition or what leaves the registers depends
// on such a bit, and none when it is thrown away: as memcheck of Valgrind has it (Seward, Nethercote: Using
// Valgrind to detect undefined value errors with bit-precision, 2005).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include "common/simulator/findings/unwritten_values.h"
#include "common/simulator/program/instruction.h"

namespace gridstride::sim {

/// What has become of an unwritten value, from the harmless to what may not be stored.
enum class Treatment : std::uint8_t {
  kept,      ///< in local memory: stored as it was loaded, and only where that was is of interest
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
  /// What the lanes of a warp hold in one place.
  struct Register {
    LaneMask lanes = 0;  ///< that hold unwritten bits there
    std::array<Held, warp_size> of;
    const Held* find(std::uint32_t lane) const {
      return (lanes >> lane & 1) != 0 ? &of[lane] : nullptr;
    }
  };
  /// Null when all bits of all lanes are written. Good until something is forgotten.
  const Register* find(Activation activation, Place place) const;
  /// Null when all bits are written.
  const Held* find(Activation activation, Place place, std::uint32_t lane) const {
    const Register* const found = find(activation, place);
    return found ? found->find(lane) : nullptr;
  }
  /// Lanes that hold unwritten bits there.
  LaneMask lanes(Activation activation, Place place) const {
    const Register* const found = find(activation, place);
    return found ? found->lanes : 0;
  }
  void hold(Activation activation, Place place, std::uint32_t lane, const Held& what) {
    hold(activation, place, LaneMask{1} << lane)[lane] = what;
  }
  /// For who says himself what the lanes hold.
  std::array<Held, warp_size>& hold(Activation activation, Place place, LaneMask lanes);
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
  struct Key {
    Activation activation = nullptr;
    Place place = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<Activation>{}(key.activation) ^ key.place * std::size_t{0x9e3779b1};
    }
  };
  using Registers = std::unordered_map<Key, Register, Hash>;
  Registers::iterator erase(Registers::iterator at);

  Registers registers_;
  std::size_t params_ = 0;  ///< of those, bytes of .param variables
  std::map<std::pair<std::uint32_t, std::uint64_t>, Held> local_;
};

}  // namespace gridstride::sim

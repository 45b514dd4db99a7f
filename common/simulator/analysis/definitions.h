// What registers hold, where only one instruction of the function writes them.
#pragma once

#include <cstdint>
#include <vector>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// Of one function, which must live as long and not change.
class Definitions {
 public:
  explicit Definitions(const ptx::Function& function);

  /// The only instruction that writes register `index`; null when several do, or none, or only
  /// under a guard.
  const ptx::Instruction* of(std::int32_t index) const;
  /// What `operand`, a register, is a copy of, through any number of moves: a register that is
  /// computed, a constant, a symbol. `operand` itself where it is none.
  const ptx::Operand& copied_from(const ptx::Operand& operand) const;
  /// Whether `operand` is the integer 0, or a copy of it.
  bool is_zero(const ptx::Operand& operand) const;

 private:
  std::vector<const ptx::Instruction*> by_register_;
};

}  // namespace gridstride::sim

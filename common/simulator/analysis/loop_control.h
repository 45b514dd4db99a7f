// What decides whether a loop goes round once more: the registers that its branches follow from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/ptx/module.h"

namespace gridstride::sim {

/// What a loop's way follows from, beside registers.
enum class LoopInput : std::uint8_t {
  registers,  ///< nothing else
  memory,  ///< plain loads, results of barriers; then what the loop stores is among what decides, for
           ///< it may be loaded
  others,  ///< an atomic, a clock, a function that is called
};

/// The way that a thread takes through a loop, as far as the loop's own instructions decide it.
struct LoopControl {
  LoopInput input = LoopInput::others;
  std::vector<std::int32_t> registers;  ///< in Function::registers, ascending
};

/// All loops of a function. A loop here is a set of basic blocks from each of which every other one can
/// be reached, as large as it can be: of nested loops the outermost.
class LoopControls {
 public:
  explicit LoopControls(const ptx::Function& function);

  /// Of the loop that an instruction of the body is in; null when it is in none.
  const LoopControl* at(std::size_t instruction) const;

 private:
  std::vector<std::int32_t> loop_of_;  ///< by instruction: in `loops_`, or -1
  std::vector<LoopControl> loops_;
};

}  // namespace gridstride::sim

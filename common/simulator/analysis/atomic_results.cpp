// See atomic_results.h.
#include "common/simulator/analysis/atomic_results.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/analysis/register_uses.h"

namespace gridstride::sim {

bool uses_atomic_results(const ptx::Function& function) {
  std::vector<bool> read(function.registers.size());
  for (const ptx::Instruction& instruction : function.body) {
    each_source(instruction, [&](std::int32_t at) { read[static_cast<std::size_t>(at)] = true; });
  }
  bool used = false;
  for (const ptx::Instruction& instruction : function.body) {
    if (instruction.opcode != "atom") continue;
    if (instruction.has("shared") || instruction.has("shared::cta")) continue;
    each_destination(instruction,
                     [&](std::int32_t at) { used = used || read[static_cast<std::size_t>(at)]; });
  }
  return used;
}

}  // namespace gridstride::sim

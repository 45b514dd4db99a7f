// See waiting_loads.h.
#include "common/simulator/analysis/waiting_loads.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

#include "common/simulator/analysis/register_uses.h"

namespace gridstride::sim {

bool only_computes(const ptx::Instruction& instruction) {
  static const std::set<std::string_view> known = {
      "setp", "set",  "selp", "slct", "mov", "cvt", "cvta", "add", "sub",  "mul",
      "mad",  "and",  "or",   "xor",  "not", "shl", "shr",  "shf", "lop3", "bfe",
      "bfi",  "popc", "clz",  "min",  "max", "neg", "abs",  "prmt"};
  return known.contains(instruction.opcode);
}

bool only_waits(const ptx::Instruction& instruction) {
  return instruction.opcode == "nanosleep" || instruction.opcode == "fence" ||
         instruction.opcode == "membar";
}

bool only_decides_branches(const ptx::Function& function, std::size_t at) {
  std::set<std::int32_t> values;
  each_destination(function.body.at(at), [&](std::int32_t index) { values.insert(index); });
  if (values.empty()) return false;
  for (std::size_t before = 0; before != values.size();) {
    before = values.size();
    for (const ptx::Instruction& instruction : function.body) {
      bool reads = false;
      each_source(instruction,
                  [&](std::int32_t index) { reads = reads || values.contains(index); });
      if (!reads || instruction.opcode == "bra") continue;
      // Under a condition that depends on the value other things may be computed.
      if (!only_computes(instruction) || values.contains(instruction.guard)) return false;
      each_destination(instruction, [&](std::int32_t index) { values.insert(index); });
    }
  }
  return true;
}

}  // namespace gridstride::sim

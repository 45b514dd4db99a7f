// The columns of opcodes.def that analysis reads.
#include "common/simulator/analysis/opcodes.h"

#include <span>
#include <string_view>
#include <unordered_map>

namespace gridstride::sim {
namespace {

using namespace trait;  // the words of the rows

#define OPCODE(name_, decoder_, kind_, memory_, result_, ...) \
  {.name = name_,                                             \
   .kind = OpcodeKind::kind_,                                 \
   .memory = MemoryEffect::memory_,                           \
   .result = Result::result_,                                 \
   .traits = __VA_ARGS__},
constexpr Opcode rows[] = {
#include "common/simulator/analysis/opcodes.def"
};

}  // namespace

std::span<const Opcode> opcodes() { return rows; }

const Opcode* find_opcode(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const Opcode*> result;
    for (const Opcode& row : rows) result.emplace(row.name, &row);
    return result;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

bool has_trait(const ptx::Instruction& instruction, trait::Trait which) {
  const Opcode* row = find_opcode(instruction.opcode);
  return row && (row->traits & which) != 0;
}

}  // namespace gridstride::sim

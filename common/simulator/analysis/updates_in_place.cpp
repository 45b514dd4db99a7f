// By the operands: in what a compiler makes, a register is written once.
#include "common/simulator/analysis/updates_in_place.h"

#include <algorithm>

namespace gridstride::sim {
namespace {

bool same_address(const ptx::Operand& a, const ptx::Operand& b) {
  using Kind = ptx::Operand::Kind;
  return a.kind == Kind::address && b.kind == Kind::address && a.index == b.index &&
         a.offset == b.offset && a.name == b.name;
}

}  // namespace

bool updates_in_place(const ptx::Instruction& load, const ptx::Instruction& store) {
  return load.opcode == "ld" && store.opcode == "st" && load.operands.size() >= 2 &&
         !store.operands.empty() && load.location.own_line == store.location.own_line &&
         load.location.file == store.location.file &&
         same_address(load.operands[1], store.operands[0]);
}

bool updates_in_place(const ptx::Function& function, const ptx::Instruction& store) {
  return std::ranges::any_of(function.body, [&store](const ptx::Instruction& load) {
    return updates_in_place(load, store);
  });
}

}  // namespace gridstride::sim

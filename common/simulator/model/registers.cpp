// Estimates the registers of a kernel from its PTX.
#include <algorithm>
#include <vector>

#include "common/simulator/model/occupancy.h"

namespace gridstride::sim {
namespace {

/// Instructions in which a register holds a value, both ends included.
struct Life {
  std::int32_t first = -1, last = -1;
};

/// 32-bit registers that one PTX register of `type` takes; predicates have registers of their own.
std::uint32_t width(ptx::Type type) {
  const std::size_t bytes = ptx::size_of(type);
  return static_cast<std::uint32_t>((bytes + 3) / 4);
}

void touch(std::vector<Life>& lives, std::int32_t index, std::int32_t at) {
  if (index < 0 || static_cast<std::size_t>(index) >= lives.size()) return;
  Life& life = lives[static_cast<std::size_t>(index)];
  if (life.first < 0) life.first = at;
  life.last = at;
}

void touch(std::vector<Life>& lives, const ptx::Operand& operand, std::int32_t at) {
  if (operand.kind == ptx::Operand::Kind::reg || operand.kind == ptx::Operand::Kind::address) {
    touch(lives, operand.index, at);
    touch(lives, operand.second_index, at);
  }
  for (const ptx::Operand& element : operand.elements) touch(lives, element, at);
}

/// A loop: its first instruction and the branch back to it.
struct Loop {
  std::int32_t first = 0, last = 0;
};

std::vector<Loop> loops_of(const ptx::Function& kernel) {
  std::vector<Loop> loops;
  for (std::size_t at = 0; at < kernel.body.size(); ++at) {
    for (const ptx::Operand& operand : kernel.body[at].operands) {
      if (operand.kind == ptx::Operand::Kind::label && operand.index >= 0 &&
          operand.index <= static_cast<std::int32_t>(at)) {
        loops.push_back({operand.index, static_cast<std::int32_t>(at)});
      }
    }
  }
  // Inner loops end first, so that what one pass stretches the outer ones see.
  std::sort(loops.begin(), loops.end(),
            [](const Loop& a, const Loop& b) { return a.last < b.last; });
  return loops;
}

/// What lives at a loop's start and is used within it is needed in the next round too.
void stretch_over_loops(std::vector<Life>& lives, const std::vector<Loop>& loops) {
  for (const Loop& loop : loops) {
    for (Life& life : lives) {
      const bool enters = life.first >= 0 && life.first < loop.first && life.last >= loop.first;
      if (enters) life.last = std::max(life.last, loop.last);
    }
  }
}

}  // namespace

std::uint32_t estimate_registers(const ptx::Function& kernel, const MultiprocessorLimits& limits) {
  std::vector<Life> lives(kernel.registers.size());
  for (std::size_t at = 0; at < kernel.body.size(); ++at) {
    const ptx::Instruction& instruction = kernel.body[at];
    touch(lives, instruction.guard, static_cast<std::int32_t>(at));
    for (const ptx::Operand& operand : instruction.operands) {
      touch(lives, operand, static_cast<std::int32_t>(at));
    }
  }
  stretch_over_loops(lives, loops_of(kernel));

  // Differences of the number alive from one instruction to the next, then their largest sum. A
  // value that dies where another is born leaves it its place.
  std::vector<std::int64_t> change(kernel.body.size() + 1);
  for (std::size_t index = 0; index < lives.size(); ++index) {
    const Life& life = lives[index];
    if (life.first < 0 || life.last == life.first) continue;
    const std::uint32_t registers = width(kernel.registers[index].type);
    change[static_cast<std::size_t>(life.first)] += registers;
    change[static_cast<std::size_t>(life.last)] -= registers;
  }
  std::int64_t alive = 0, most = 0;
  for (const std::int64_t step : change) most = std::max(most, alive += step);

  constexpr std::uint32_t always_taken = 8;  // stack pointer, constants kept at hand
  constexpr std::uint32_t unit = 8, fewest = 16;
  std::uint32_t registers = static_cast<std::uint32_t>(
      std::min<std::int64_t>(most + always_taken, limits.registers_per_thread));
  registers = std::max((registers + unit - 1) / unit * unit, fewest);
  std::uint32_t bound = limits.registers_per_thread;
  if (kernel.max_threads != 0) {
    const std::uint32_t threads = (kernel.max_threads + 31) / 32 * 32;
    const std::uint64_t blocks = std::max(kernel.min_blocks, 1u);
    bound = std::min<std::uint32_t>(
        bound, static_cast<std::uint32_t>(limits.registers / (blocks * threads) / unit * unit));
  }
  return std::clamp(registers, fewest, std::max(bound, fewest));
}

}  // namespace gridstride::sim

// Estimates the registers of a kernel from its PTX.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/simulator/analysis/basic_blocks.h"
#include "common/simulator/analysis/register_origins.h"
#include "common/simulator/analysis/register_uses.h"
#include "common/simulator/base/round_up.h"
#include "common/simulator/model/occupancy.h"

namespace gridstride::sim {
namespace {

/// 32-bit registers of a thread that each PTX register takes. Predicates have registers of their
/// own, and so have integers that are the same for the whole warp.
std::vector<std::uint32_t> widths(const ptx::Function& kernel) {
  const std::vector<RegisterOrigin> origins = register_origins(kernel);
  std::vector<std::uint32_t> result(kernel.registers.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const ptx::Type type = kernel.registers[i].type;
    const bool is_float = type == ptx::Type::f32 || type == ptx::Type::f64;
    const auto bytes = static_cast<std::uint32_t>(ptx::size_of(type));
    result[i] = origins[i].uniform && !is_float ? 0 : (bytes + 3) / 4;
  }
  return result;
}

using Set = std::vector<bool>;  ///< of registers

/// The registers of threads that hold a value behind each place, walking backwards.
class LiveRegisters {
 public:
  explicit LiveRegisters(const ptx::Function& kernel)
      : kernel_(kernel),
        widths_(widths(kernel)),
        blocks_(find_blocks(kernel)),
        entries_(blocks_.successors.size(), Set(kernel.registers.size())) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t block = entries_.size(); block-- > 0;) {
        Set live = walk(block, nullptr);
        changed |= live != entries_[block];
        entries_[block] = std::move(live);
      }
    }
  }
  /// The largest number anywhere.
  std::uint32_t most() const {
    std::uint32_t most = 0;
    for (std::size_t block = 0; block < entries_.size(); ++block) walk(block, &most);
    return most;
  }

 private:
  /// What lives at the entry of `block`; raises `most` to the largest number within.
  Set walk(std::size_t block, std::uint32_t* most) const {
    Set live(kernel_.registers.size());
    for (const std::int32_t next : blocks_.successors[block]) {
      const Set& entry = entries_[static_cast<std::size_t>(next)];
      for (std::size_t i = 0; i < live.size(); ++i) live[i] = live[i] || entry[i];
    }
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < live.size(); ++i) number += live[i] ? widths_[i] : 0;
    const auto set = [&](std::int32_t index, bool to) {
      const auto i = static_cast<std::size_t>(index);
      if (live[i] == to) return;
      live[i] = to;
      number = to ? number + widths_[i] : number - widths_[i];
    };
    for (std::int32_t at = blocks_.first[block + 1]; at-- > blocks_.first[block];) {
      if (most) *most = std::max(*most, number);
      const ptx::Instruction& instruction = kernel_.body[static_cast<std::size_t>(at)];
      if (instruction.guard < 0) {
        each_destination(instruction, [&](std::int32_t index) { set(index, false); });
      }
      each_source(instruction, [&](std::int32_t index) { set(index, true); });
    }
    if (most) *most = std::max(*most, number);
    return live;
  }

  const ptx::Function& kernel_;
  const std::vector<std::uint32_t> widths_;
  const Blocks blocks_;
  std::vector<Set> entries_;  ///< what lives where each block begins
};

}  // namespace

std::uint32_t estimate_registers(const ptx::Function& kernel, const MultiprocessorLimits& limits) {
  constexpr std::uint32_t always_taken = 4;  // the stack pointer, and what ptxas keeps at hand
  constexpr std::uint32_t unit = 8, fewest = 16;
  std::uint32_t registers =
      std::min(LiveRegisters(kernel).most() + always_taken, limits.registers_per_thread);
  registers = std::max(round_up(registers, unit), fewest);
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

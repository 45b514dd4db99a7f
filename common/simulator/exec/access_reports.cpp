// What the user is told about accesses that race, and about reads of what was never written.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/simulator/exec/block.h"
#include "common/simulator/exec/finding_words.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/needed_bytes.h"

namespace gridstride::sim {
namespace {

/// Pairs of racing lines that are told apart; nobody reads more.
constexpr std::size_t most_findings = 100;

std::string line_text(const SourcePosition& at) {
  return at.line != 0 ? " in line " + std::to_string(at.line) : std::string();
}

bool same_line(const SourcePosition& a, const SourcePosition& b) {
  return a.file == b.file && a.line == b.line;
}

const char* deed(const RacingGlobalAccess& access) {
  if (access.access.store) {
    return access.kind == AccessStrength::strong ? " changes it atomically" : " writes it";
  }
  return access.kind == AccessStrength::strong ? " reads it atomically" : " reads it";
}

constexpr const char* in_one_warp =
    ", with nothing between that orders them. Threads of one warp do not run in step: put "
    "__syncwarp() or __syncthreads() between the two accesses.";
constexpr const char* in_one_block =
    ", with no barrier between. Put __syncthreads() between the two accesses, where all threads "
    "reach it.";
constexpr const char* on_its_way =
    ", but the first is an asynchronous copy that nobody has waited for. Wait for it "
    "(consumer_wait, "
    "__pipeline_wait_prior, cg::wait), and let a barrier follow before other threads read.";
constexpr const char* at_once =
    " at the same time, with different values. Which one stays is not defined.";

}  // namespace

std::optional<Finding> GridRun::new_finding(FindingKind kind, std::uint32_t earlier,
                                            std::uint32_t now) {
  const auto key = std::minmax(earlier, now);
  const auto [it, is_new] = known_.try_emplace({kind, key.first, key.second}, findings_.size());
  if (!is_new) {
    ++findings_[it->second].occurrences;
    return std::nullopt;
  }
  // Several instructions of the same two lines are one mistake.
  const SourcePosition first = line_of(earlier), second = line_of(now);
  for (std::size_t i = 0; i < findings_.size(); ++i) {
    Finding& known = findings_[i];
    const bool equal = known.kind == kind && known.where.line != 0 &&
                       ((same_line(known.where, second) && same_line(known.other, first)) ||
                        (same_line(known.where, first) && same_line(known.other, second)));
    if (!equal) continue;
    ++known.occurrences;
    it->second = i;
    return std::nullopt;
  }
  if (findings_.size() < most_findings) {
    Finding result = finding(kind, now);
    result.other = position(earlier);
    return result;
  }
  known_.erase(it);
  return std::nullopt;
}

bool GridRun::may_be_read_ahead(std::uint32_t index, ptx::Space space) {
  const ptx::Instruction* instruction = kernel.origins[index].instruction;
  if (!instruction || instruction->opcode != "ld" || instruction->operands.size() < 2) return false;
  const bool known_to_exist = space == ptx::Space::local || instruction->operands[1].index < 0;
  return known_to_exist && !uses_result(index);
}

bool GridRun::needs(std::uint32_t index, std::uint32_t bytes) {
  const auto [known, is_new] = needed_bytes_.try_emplace(index, ~std::uint32_t{0});
  const Origin& origin = kernel.origins[index];
  if (is_new && origin.instruction) {
    const ptx::Function& function = *origin.function->function;
    known->second =
        needed_bytes(function, static_cast<std::size_t>(origin.instruction - function.body.data()));
  }
  return (known->second & bytes) != 0;
}

void GridRun::unwritten(const Warp& warp, const Inst& inst, std::uint32_t lane, ptx::Space space,
                        std::uint64_t address, std::uint32_t bytes) {
  if (may_be_read_ahead(inst.source, space)) return;
  auto result = new_finding(FindingKind::uninitialized_read, inst.source, inst.source);
  if (!result) return;
  result->other = {};
  std::string place, repair;
  if (space == ptx::Space::global) {
    place = global_place(address, bytes);
    repair =
        "Memory from cudaMalloc holds anything at first: copy to it, cudaMemset it, or let a "
        "kernel write it before.";
  } else if (space == ptx::Space::shared) {
    place = shared_place(address, bytes);
    repair =
        "Shared memory holds anything when a block begins: some thread must store there, and a "
        "barrier follow, before it is read.";
  } else {
    place = bytes_text(bytes) + " of a local array or variable";
    repair = "Give it a value before it is read.";
  }
  std::string who = title(warp, lane);
  who[0] = 'T';
  result->message = who + " reads " + place + ", which nobody has written. " + repair;
  findings_.push_back(std::move(*result));
}

std::string GridRun::global_place(std::uint64_t address, std::uint32_t width) const {
  const Allocation* allocation = memory.find(address);
  if (!allocation) return "global memory at " + hexadecimal(address);
  return "element " + std::to_string((address - allocation->begin) / width) + " (of " +
         bytes_text(width) + ", at " + hexadecimal(address) + ") of " +
         allocation_title(*allocation);
}

std::string GridRun::shared_place(std::uint64_t offset, std::uint32_t width) const {
  for (const SharedVariable& variable : kernel.shared) {
    const std::uint32_t size =
        variable.bytes != 0 ? variable.bytes : shared_bytes - variable.offset;
    if (offset - variable.offset >= size) continue;
    return variable.name + ", element " +
           std::to_string((offset - variable.offset) / std::max(width, 1u)) + " of " +
           bytes_text(width) + ", at offset " + hexadecimal(offset) + " of shared memory";
  }
  return "shared memory at offset " + std::to_string(offset);
}

void GridRun::race(const Block& block, const RacingAccess& earlier, const RacingAccess& now,
                   std::uint32_t offset) {
  if (offset < kernel.reserved_shared) return;  // groups hand over there by votes
  auto result = new_finding(FindingKind::shared_race, earlier.instruction, now.instruction);
  if (!result) return;
  const std::string place = shared_place(offset, kernel.code[now.instruction].width);
  const bool same_warp = earlier.thread / warp_size == now.thread / warp_size;
  const bool one_instruction =
      earlier.instruction == now.instruction && same_warp && earlier.store && now.store;
  const std::string what = place + ": " + title(block.linear, earlier.thread) +
                           (earlier.store ? " writes it" : " reads it") + line_text(result->other) +
                           " and " + title(block.linear, now.thread) +
                           (now.store ? " writes it" : " reads it") + line_text(result->where);
  const char* const advice = earlier.in_flight ? on_its_way
                             : one_instruction ? at_once
                             : same_warp       ? in_one_warp
                                               : in_one_block;
  if (!earlier.in_flight) races_in_blocks_.push_back({findings_.size(), earlier, now, what});
  result->message = "Race in " + what + advice;
  findings_.push_back(std::move(*result));
}

void GridRun::race(const RacingGlobalAccess& earlier, const RacingGlobalAccess& now,
                   std::uint64_t address) {
  const RacingAccess &a = earlier.access, &b = now.access;
  auto result = new_finding(FindingKind::global_race, a.instruction, b.instruction);
  if (!result) return;
  const std::uint32_t width = std::max<std::uint32_t>(kernel.code[b.instruction].width, 1);
  const bool same_block = earlier.block == now.block;
  const bool same_warp = same_block && a.thread / warp_size == b.thread / warp_size;
  const bool one_instruction = a.instruction == b.instruction && same_warp && a.store && b.store;
  const bool mixed =
      (earlier.kind == AccessStrength::strong) != (now.kind == AccessStrength::strong);
  const std::string what = global_place(address, width) + ": " + title(earlier.block, a.thread) +
                           deed(earlier) + line_text(result->other) + " and " +
                           title(now.block, b.thread) + deed(now) + line_text(result->where);
  if (same_block) races_in_blocks_.push_back({findings_.size(), a, b, what});
  result->message = "Race in " + what;
  if (one_instruction) {
    result->message += at_once;
  } else if (mixed) {
    result->message +=
        ". A plain access and an atomic one do not go together: make both atomic, or order them "
        "with a barrier or a fence.";
  } else if (same_warp) {
    result->message += in_one_warp;
  } else if (same_block) {
    result->message += in_one_block;
  } else {
    result->message +=
        ". Blocks run in any order, and nothing orders these two: give each block its own place, "
        "use an atomic operation, start another kernel, or hand over with __threadfence() before "
        "an atomic flag that the other block reads.";
  }
  findings_.push_back(std::move(*result));
}

std::vector<UncheckedMemory> GridRun::unchecked_memory() const {
  if (!race_pages_ || race_pages_->unchecked() == 0) return {};
  std::map<const Allocation*, std::uint64_t> bytes;
  race_pages_->for_each_unchecked([&](std::uint64_t page) {
    // Allocations begin at multiples of this.
    constexpr std::uint64_t step = 512;
    for (std::uint64_t at = page; at < page + RacePages::page_bytes; at += step) {
      const Allocation* allocation = memory.find(at);
      if (!allocation) continue;
      bytes[allocation] += std::min(step, allocation->begin + allocation->size - at);
    }
  });
  std::vector<UncheckedMemory> result;
  for (const auto& [allocation, count] : bytes) {
    result.push_back({count, allocation->order,
                      "In " + bytes_text(count) + " of " + allocation_title(*allocation) +
                          " no races between accesses of " + kernel.name +
                          " were looked for: the checker may take " +
                          std::to_string(race_pages_->limit() >> 20) +
                          " MiB here, which were used up."});
  }
  std::ranges::sort(result, {}, &UncheckedMemory::order);
  return result;
}

void Block::race(const RacingAccess& earlier, const RacingAccess& now, std::uint32_t offset) {
  grid.race(*this, earlier, now, offset);
}

}  // namespace gridstride::sim

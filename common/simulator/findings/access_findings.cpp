// What the user is told about accesses that race, and about uninitialised reads.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "common/simulator/analysis/loop_control.h"
#include "common/simulator/analysis/updates_in_place.h"
#include "common/simulator/findings/diagnostic_text.h"
#include "common/simulator/findings/finding_log.h"

namespace gridstride::sim {
namespace {

constexpr const char* in_one_warp =
    ", with nothing between that orders them. Threads of one warp do not run in step: put "
    "__syncwarp() or __syncthreads() between the two accesses.";
/// The same in a kernel that swaps or polls, where lanes may come to the two by ways of their own.
constexpr const char* in_one_warp_without_locks =
    ", with nothing between that orders them. Threads of one warp do not run in step. Where a lock "
    "or a "
    "flag is to order them, it takes fences: __threadfence() behind taking the lock or reading the "
    "flag, "
    "and before giving it back or setting it. Where none is, make both accesses atomic, or, where "
    "all "
    "lanes come by, put __syncwarp() between them.";
constexpr const char* in_one_block =
    ", with no barrier between. Put __syncthreads() between the two accesses, where all threads "
    "reach it.";
constexpr const char* on_its_way =
    ", but the first is an asynchronous copy that the second has not waited for. Wait for it "
    "(consumer_wait, __pipeline_wait_prior, cg::wait, cp_async_bulk_wait_group, the phase of a "
    "barrier), "
    "and let a barrier "
    "follow before other threads read.";
constexpr const char* still_read =
    ", but the first is an asynchronous copy that the second has not waited for, and it may still "
    "read. "
    "Wait for it (consumer_wait, __pipeline_wait_prior, cg::wait, cp_async_bulk_wait_group_read, "
    "the "
    "phase of a barrier) before "
    "its "
    "source changes, and let a barrier follow before other threads change it.";
constexpr const char* by_another_way =
    ". The second is a bulk copy, which goes to shared memory by another way than stores of "
    "threads "
    "(the async proxy) and may not find what they left. Put fence.proxy.async "
    "(cde::fence_proxy_async_shared_cta(), cuda::ptx::fence_proxy_async()) behind the stores, in "
    "all "
    "threads that stored, and before the barrier that the copy waits for.";
constexpr const char* by_the_read_only_cache =
    ". The second reads it as memory that nothing changes while the kernel runs (__ldg(), a "
    "pointer that is "
    "const and __restrict__, a texture), so it may find what was there before, whatever barrier or "
    "fence "
    "lies between. Read it as other memory, or start another kernel for it.";
constexpr const char* lost_update =
    ". Each reads it, changes it and writes it back, and one of the changes is lost: use an atomic "
    "operation, such as atomicAdd().";
/// The same in a loop over shared memory, as a tree of sums is.
constexpr const char* lost_update_in_rounds =
    ". Each reads it, changes it and writes it back, and one of the changes is lost. Where they "
    "meet "
    "in one round of the loop, use an atomic operation, such as atomicAdd(). Where each has a "
    "place "
    "of its own in every round, __syncthreads() between the rounds is missing.";
constexpr const char* reader_without_fence =
    ". The second has seen a flag that was set behind the first, but has passed no fence since, so "
    "it may "
    "still read or change what was there before. Put __threadfence() (in one block: "
    "__threadfence_block()) behind the loop that waits for the flag or takes the lock, or read the "
    "flag "
    "with acquire semantics (cuda::atomic_ref, cuda::memory_order_acquire).";
constexpr const char* in_one_block_or_lock =
    ", with nothing between that orders them. Where a lock guards both, nobody may go on without "
    "it: ask in a loop until it is free, and put __threadfence() behind taking it and before "
    "giving it back. Otherwise put __syncthreads() between the two accesses, where all threads "
    "reach it.";
/// The same in a kernel with mbarriers, whose warps may each have work of their own.
constexpr const char* in_one_block_or_mbarrier =
    ", with nothing between that orders them. Where an mbarrier (cuda::barrier) hands over between "
    "the two, the first thread arrives there behind its access, and the second one waits before "
    "its own for the phase that this arrival belongs to: with each use of a stage the parity "
    "changes. Otherwise put __syncthreads() between the two accesses, where all threads reach it.";
constexpr const char* across_blocks =
    ". Blocks run in any order, and nothing orders these two: give each block its own place, use "
    "an atomic operation, start another kernel, or hand over by an atomic flag, with "
    "__threadfence() before "
    "it is set and behind the loop that reads it.";
constexpr const char* plain_and_atomic =
    ". A plain access and an atomic one do not go together: make both atomic, or order them with a "
    "barrier or a fence.";
constexpr const char* plain_and_atomic_across_blocks =
    ". A plain access and an atomic one do not go together, and no barrier of a block orders these "
    "two, which are of different blocks: make both atomic, or hand over by an atomic flag or "
    "counter, with __threadfence() before it is set and behind reading it.";
/// Behind some of the above, in a kernel that may take locks, and in one that polls.
constexpr const char* guarded_by_a_lock =
    " Where a lock guards both, nobody may go on without it: ask in a loop until it is free. It "
    "takes a fence as well: __threadfence() behind taking the lock, and before giving it back.";
constexpr const char* looked_at_before =
    " Where a thread looks at a flag or a counter and changes it in the next step, others may have "
    "looked meanwhile: make one atomic operation of the two (atomicCAS, atomicAdd).";
constexpr const char* handed_over_by_a_flag =
    " Where a flag hands it over, it takes fences: __threadfence_block() before the flag is set, "
    "and behind "
    "the loop that reads it.";
constexpr const char* at_once =
    " at the same time, with different values. Which one stays is not defined.";

constexpr const char* of_different_sizes =
    ". Atomic operations are atomic for each other when they have the same size, and these have "
    "not: use one type for all of them.";
/// Two atomic operations race in no other case.
constexpr const char* of_block_scope =
    ". An operation of block scope (atomicAdd_block, thread_scope_block) is atomic for the threads "
    "of its own block only. Use the one for the whole device (atomicAdd, thread_scope_device).";

}  // namespace

std::string FindingLog::unwritten_text(const ThreadId& thread, ptx::Space space,
                                       const UnwrittenLoad& loaded,
                                       const std::string& and_then) const {
  std::string place, repair;
  if (space == ptx::Space::global) {
    const Allocation* const allocation = memory_.find(loaded.address);
    const bool array = allocation && allocation->origin == Allocation::Origin::array;
    place = array ? "a texel of " + allocation_title(*allocation)
                  : names_.global_memory(loaded.address, loaded.bytes);
    repair =
        array
            ? "An array holds anything at first: copy to it, or let a kernel write it through a "
              "surface before."
            : "Memory from cudaMalloc holds anything at first: copy to it, cudaMemset it, or let a "
              "kernel write it before.";
  } else if (space == ptx::Space::shared) {
    place = names_.shared_memory(loaded.address, loaded.bytes);
    repair =
        "Shared memory holds anything when a block begins: some thread must store there, and a "
        "barrier follow, before it is read. What is copied there from memory that nobody has "
        "written "
        "counts as unwritten.";
  } else if (loaded.at_end) {
    place = bytes_text(loaded.bytes) + " at the very end of the function's local memory";
    repair =
        "The compiler rounds a function's local memory up to 16 bytes: is the index beyond the "
        "last "
        "element of its array? Otherwise give the element a value before it is read.";
  } else {
    place = bytes_text(loaded.bytes) + " of a local array or variable";
    repair =
        "Give it a value before it is read, or mend the index where that lies beyond the end of "
        "its array: "
        "the compiler tells nobody where an array in local memory ends.";
  }
  std::string who = names_.thread(thread);
  who[0] = 'T';
  return who + " reads " + place + ", which nobody has written" + and_then + ". " + repair;
}

void FindingLog::uninitialized_read(const ThreadId& thread, std::uint32_t instruction,
                                    ptx::Space space, const UnwrittenLoad& loaded) {
  auto result = new_finding(FindingKind::uninitialized_read, instruction, instruction);
  if (!result) return;
  result->other = {};
  result->message = unwritten_text(thread, space, loaded, "");
  findings_.push_back(std::move(*result));
}

void FindingLog::uninitialized_read(const ThreadId& thread, const UnwrittenRead& read,
                                    std::uint32_t user) {
  const std::uint32_t instruction = place_of(read.instruction);
  auto result = new_finding(FindingKind::uninitialized_read, instruction, instruction);
  if (!result) return;
  result->other = {};
  const SourcePosition at = names_.position(user);
  const bool elsewhere = at.file == result->where.file && at.line != result->where.line;
  const std::string use =
      elsewhere && at.line != 0 ? ", and uses it in line " + std::to_string(at.line) : "";
  result->message = unwritten_text(thread, read.space, read.loaded, use);
  findings_.push_back(std::move(*result));
}

void FindingLog::unwritten_copy(const ThreadId& thread, const UnwrittenRead& read,
                                std::uint32_t instruction, DeviceAddress to, std::uint32_t bytes,
                                std::uint32_t stored) {
  constexpr std::size_t most_copies = 1000, most_places = 1 << 16;
  constexpr std::uint32_t whole_element = 4;
  const bool whole = stored >= whole_element && bytes == (1u << stored) - 1;
  const Allocation* const allocation = memory_.find(to);
  const auto [known, is_new] = known_copies_.try_emplace(
      {read.instruction, instruction, allocation ? allocation->begin : 0, whole}, copies_.size());
  if (!is_new) {
    if (known->second >= copies_.size()) return;
    std::vector<UnwrittenCopy::Place>& places = copies_[known->second].places;
    if (places.size() < most_places) places.push_back({to, bytes});
    return;
  }
  if (copies_.size() >= most_copies) return;
  UnwrittenCopy& copy = copies_.emplace_back();
  copy.finding = finding(FindingKind::uninitialized_read, place_of(read.instruction));
  copy.finding.message = unwritten_text(thread, read.space, read.loaded,
                                        ", and stores it in " + names_.global_memory(to, stored));
  copy.places.push_back({to, bytes});
  copy.whole = whole;
}

bool FindingLog::is_lost_update(const RacingAccess& earlier, const RacingAccess& now) const {
  const Origin& one = kernel_.origins[earlier.instruction];
  const Origin& other = kernel_.origins[now.instruction];
  if (!one.instruction || !other.instruction) return false;
  if (!earlier.store) return updates_in_place(*one.instruction, *other.instruction);
  if (!now.store) return updates_in_place(*other.instruction, *one.instruction);
  return one.instruction == other.instruction &&
         updates_in_place(*one.function->function, *one.instruction);
}

bool FindingLog::is_in_loop(const RacingAccess& access) const {
  const Origin& origin = kernel_.origins[access.instruction];
  const ptx::Function& function = *origin.function->function;
  const auto at = static_cast<std::size_t>(origin.instruction - function.body.data());
  return LoopControls(function).at(at) != nullptr;
}

std::string FindingLog::with_locks(std::string text, const char* advice) const {
  const auto any = [&](auto is_such) {
    return std::ranges::any_of(kernel_.origins, [&](const Origin& origin) {
      return origin.instruction != nullptr && is_such(*origin.instruction);
    });
  };
  const bool swaps = any([](const ptx::Instruction& one) {
    return one.opcode == "atom" && (one.has("cas") || one.has("exch"));
  });
  const auto polls = [&] {
    return any([](const ptx::Instruction& one) {
      return one.opcode == "ld" &&
             (one.has("volatile") || one.has("relaxed") || one.has("acquire"));
    });
  };
  if (advice == in_one_warp) {
    return text + (swaps || polls() ? in_one_warp_without_locks : in_one_warp);
  }
  if (advice == in_one_block) {
    if (swaps) return text + in_one_block_or_lock;
    if (any([](const ptx::Instruction& one) { return one.opcode == "mbarrier"; }))
      return text + in_one_block_or_mbarrier;
    return text + advice + (polls() ? handed_over_by_a_flag : "");
  }
  const bool may_be_guarded =
      advice == lost_update || advice == lost_update_in_rounds || advice == across_blocks;
  text += advice;
  if (swaps && may_be_guarded) return text + guarded_by_a_lock;
  return text + (advice == across_blocks && polls() ? looked_at_before : "");
}

void FindingLog::race(std::uint64_t block, const RacingAccess& earlier, const RacingAccess& now,
                      std::uint32_t offset) {
  if (offset < kernel_.reserved_shared) return;  // groups hand over there by votes
  auto result = new_finding(FindingKind::shared_race, earlier.instruction, now.instruction);
  if (!result) return;
  const std::string place = names_.shared_memory(offset, kernel_.code[now.instruction].width);
  const auto deed = [this](const RacingAccess& access) {
    return atomic_bytes(access) != 0 ? " changes it atomically"
           : access.store            ? " writes it"
                                     : " reads it";
  };
  const bool same_warp = earlier.thread / warp_size == now.thread / warp_size;
  const bool one_instruction =
      earlier.instruction == now.instruction && same_warp && earlier.store && now.store;
  const std::string what = place + ": " + names_.thread({block, earlier.thread}) + deed(earlier) +
                           in_line(result->other.line) + " and " +
                           names_.thread({block, now.thread}) + deed(now) +
                           in_line(result->where.line);
  const bool both_atomic = atomic_bytes(earlier) != 0 && atomic_bytes(now) != 0;
  const char* const advice = now.misses_a_proxy_fence ? by_another_way
                             : earlier.in_flight      ? (earlier.store ? on_its_way : still_read)
                             : both_atomic            ? of_different_sizes
                             : now.misses_a_fence     ? reader_without_fence
                             : is_lost_update(earlier, now)
                                 ? (is_in_loop(now) ? lost_update_in_rounds : lost_update)
                             : one_instruction ? at_once
                             : same_warp       ? in_one_warp
                                               : in_one_block;
  if (!earlier.in_flight && !now.misses_a_proxy_fence)
    races_in_blocks_.push_back({findings_.size(), earlier, now, what});
  result->message = "Race in " + with_locks(what, advice);
  findings_.push_back(std::move(*result));
}

const char* FindingLog::deed_of(const RacingGlobalAccess& access) {
  if (access.access.store) return is_strong(access.kind) ? "changes it atomically" : "writes it";
  return is_strong(access.kind) ? "reads it atomically" : "reads it";
}

void FindingLog::race(const RacingGlobalAccess& earlier, const RacingGlobalAccess& now,
                      std::uint64_t address) {
  if (earlier.grid != now.grid) return race_between_grids(earlier, now, address);
  const RacingAccess &a = earlier.access, &b = now.access;
  auto result = new_finding(FindingKind::global_race, a.instruction, b.instruction);
  if (!result) return;
  const std::uint32_t own_width = kernel_.code[b.instruction].width;  // 0: a texture's
  const std::uint32_t width =
      std::max<std::uint32_t>(own_width != 0 ? own_width : kernel_.code[a.instruction].width, 1);
  const bool same_block = earlier.block == now.block;
  const bool same_warp = same_block && a.thread / warp_size == b.thread / warp_size;
  const bool one_instruction = a.instruction == b.instruction && same_warp && a.store && b.store;
  const bool mixed = is_strong(earlier.kind) != is_strong(now.kind);
  const auto deed = [this](const RacingGlobalAccess& access) {
    const ptx::Instruction* const one = kernel_.origins[access.access.instruction].instruction;
    return access.access.store && one && one->opcode == "call" ? "frees it" : deed_of(access);
  };
  const std::string what =
      names_.global_memory(address, width) + ": " + names_.thread({earlier.block, a.thread}) + " " +
      deed(earlier) + in_line(result->other.line) + " and " + names_.thread({now.block, b.thread}) +
      " " + deed(now) + in_line(result->where.line);
  if (same_block && !b.read_only) races_in_blocks_.push_back({findings_.size(), a, b, what});
  const bool both_strong = is_strong(earlier.kind) && is_strong(now.kind);
  const bool of_two_sizes = are_of_different_sizes(atomic_bytes(a), atomic_bytes(b));
  const char* const advice = b.read_only            ? by_the_read_only_cache
                             : a.in_flight          ? (a.store ? on_its_way : still_read)
                             : b.misses_a_fence     ? reader_without_fence
                             : is_lost_update(a, b) ? lost_update
                             : one_instruction      ? at_once
                             : of_two_sizes         ? of_different_sizes
                             : both_strong          ? of_block_scope
                             : mixed && same_block  ? plain_and_atomic
                             : mixed                ? plain_and_atomic_across_blocks
                             : same_warp            ? in_one_warp
                             : same_block           ? in_one_block
                                                    : across_blocks;
  result->message = "Race in " + with_locks(what, advice);
  findings_.push_back(std::move(*result));
}

}  // namespace gridstride::sim

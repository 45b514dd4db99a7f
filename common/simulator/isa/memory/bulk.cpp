// cp.async.bulk: copies of many bytes between global and shared memory that one thread begins. To shared
// memory they arrive at an mbarrier, which counts their bytes; from there they are waited for in groups.
//
// Each is made in pieces of 16 bytes, so that bounds, races and unwritten bytes are looked at as those of
// any access, and counted as a whole: one request, in which every byte is moved once.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "common/simulator/base/cuda_error.h"
#include "common/simulator/decode/decode_context.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/memory/mbarrier_arrival.h"
#include "common/simulator/isa/memory/memory_decode.h"
#include "common/simulator/isa/memory/memory_places.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

constexpr std::uint32_t piece = 16;  // bytes; addresses and sizes are multiples of it

/// `extra` of a copy. Its first member is what use_of() sees.
struct BulkUse {
  MemoryUse to, from, mbarrier;
  Inst store, load;  ///< of a piece, as if they were instructions
  Inst arrival;      ///< names the mbarrier
  VectorRegister bytes = no_register;
};
static_assert(std::is_standard_layout_v<BulkUse>);

std::uint32_t size_of_copy(const Warp& warp, const Inst& inst, const BulkUse& use,
                           std::uint32_t lane) {
  const std::uint32_t bytes = vector_register<const std::uint32_t>(warp.registers, use.bytes)[lane];
  if (bytes % piece != 0) {
    warp.grid->findings.bad_instruction(thread_of(warp, lane), inst.source,
                                        "copies " + std::to_string(bytes) +
                                            " bytes at once: a bulk copy (cp.async.bulk) moves "
                                            "multiples of 16 bytes, between addresses "
                                            "that are multiples of 16",
                                        error_misaligned_address);
  }
  return bytes;
}

/// Where a piece of one lane's copy goes or comes from; checked, and told to observers.
void find_piece(Warp& warp, const Inst& inst, const Inst& access, std::uint32_t lane,
                std::uint32_t done, Access kind, MemoryPlaces& places) {
  Inst part = access;
  part.source = inst.source;
  part.imm += done;
  find_places(warp, part, 1u << lane, piece, kind, places);
}

/// The pieces are not what is counted: what they have cost is taken back.
class Uncounted {
 public:
  Uncounted(Warp& warp, const Inst& inst)
      : warp_(warp),
        counts_(warp.grid->counters.of(inst)),
        before_(counts_),
        outcome_(warp.outcome) {}
  ~Uncounted() {
    counts_ = before_;
    warp_.outcome = outcome_;
  }
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;

 private:
  Warp& warp_;
  InstructionCounts& counts_;
  InstructionCounts before_;
  AccessOutcome outcome_;
};

/// Counts the global side, and says at which cycle the data is there.
double count_global(Warp& warp, const Inst& inst, const Inst& access, std::uint64_t address,
                    std::uint32_t bytes, bool writes) {
  const AccessOutcome before = warp.outcome;
  Inst whole = access;
  whole.source = inst.source;
  warp.grid->counters.count_global_run(warp, whole, address, bytes, writes);
  const LatencyTable& table = warp.grid->request.latencies;
  const double latency = !writes && warp.outcome.dram ? table.global_dram : table.global_l2;
  const double arrives = std::max(warp.times.next + latency, warp.outcome.arrives);
  warp.outcome = before;  // the thread goes on at once
  constexpr double bytes_a_cycle = 64;
  return arrives + bytes / bytes_a_cycle;
}

void count_shared_stores(Warp& warp, const Inst& inst, std::uint32_t bytes) {
  constexpr std::uint32_t wavefront = 128;
  InstructionCounts& counts = warp.grid->counters.of(inst);
  ++counts.shared_requests;
  counts.shared_wavefronts += (bytes + wavefront - 1) / wavefront;
  counts.shared_ideal += (bytes + wavefront - 1) / wavefront;
}

/// One lane's copy to shared memory.
void copy_to_shared(Warp& warp, const Inst& inst, const BulkUse& use, std::uint32_t lane,
                    Mbarriers::Mbarrier& mbarrier) {
  const std::uint32_t bytes = size_of_copy(warp, inst, use, lane);
  if (bytes == 0) return;
  Block& block = *warp.block;
  const InitialisedBytes& initialised = warp.grid->memory.initialised();
  const bool asks = warp.grid->request.checks.looks_for(FindingKind::uninitialized_read);
  std::uint32_t first = 0;
  std::uint64_t from = 0;
  {
    const Uncounted uncounted(warp, inst);
    for (std::uint32_t done = 0; done < bytes; done += piece) {
      MemoryPlaces source, target;
      find_piece(warp, inst, use.load, lane, done, Access::load, source);
      find_piece(warp, inst, use.store, lane, done, Access::store, target);
      std::copy_n(source.at[lane], piece, target.at[lane]);
      tell(SharedCopied{warp, inst, 1u << lane, target.offsets, piece, 0});
      const std::uint32_t missing =
          asks ? initialised.missing_of_lane(source.addresses[lane] - GlobalMemory::base, piece)
               : 0;
      if (missing != 0) block.leave_unwritten(target.offsets[lane], missing);
      if (done == 0) {
        first = target.offsets[lane];
        from = source.addresses[lane];
      }
    }
  }
  const double ready = count_global(warp, inst, use.load, from, bytes, /*writes=*/false);
  count_shared_stores(warp, inst, bytes);
  come_at_mbarrier(warp, mbarrier, {warp.index * warp_size + lane, first, bytes, block.order.now()},
                   ready);
  block.order.tick();  // the next copy begins later
  tell(CopiesBegun{warp, ready});
}

void to_shared(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto& use = *static_cast<const BulkUse*>(inst.extra);
  Inst arrival = use.arrival;
  arrival.source = inst.source;
  std::uint32_t offsets[warp_size];
  if (!find_mbarriers(warp, arrival, mask, offsets)) return;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    copy_to_shared(warp, inst, use, lane, mbarrier_at(warp, arrival, lane, offsets[lane]));
  }
}

/// What nobody has written stays so where it is copied to, word by word.
void leave_unwritten(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint32_t missing,
                     std::uint32_t offset, std::uint64_t address) {
  constexpr std::uint32_t word = 4;
  const Instruction* const instruction = warp.grid->kernel.origins[inst.source].instruction;
  for (std::uint32_t at = 0; at < piece; at += word) {
    const std::uint32_t of_word = missing >> at & 0xf;
    if (of_word == 0) continue;
    warp.grid->findings.unwritten_copy(thread_of(warp, lane),
                                       {instruction, Space::shared, {of_word, offset + at, word}},
                                       inst.source, address + at, of_word, word);
  }
  warp.grid->memory.initialised().clear_of_lane(address - GlobalMemory::base, missing);
}

/// One lane's copy to global memory.
void copy_to_global(Warp& warp, const Inst& inst, const BulkUse& use, std::uint32_t lane) {
  const std::uint32_t bytes = size_of_copy(warp, inst, use, lane);
  if (bytes == 0) return;
  Block& block = *warp.block;
  std::uint32_t first = 0;
  std::uint64_t to = 0;
  {
    const Uncounted uncounted(warp, inst);
    for (std::uint32_t done = 0; done < bytes; done += piece) {
      MemoryPlaces source, target;
      find_piece(warp, inst, use.load, lane, done, Access::load, source);
      const std::uint32_t offset = source.offsets[lane];
      if (block.races)
        block.races->read_in_flight(warp.index, lane, offset, piece, inst.source, block.bulk);
      find_piece(warp, inst, use.store, lane, done, Access::store, target);
      std::copy_n(source.at[lane], piece, target.at[lane]);
      const std::uint32_t missing =
          block.shared_initialised ? block.shared_initialised->missing_of_lane(offset, piece) : 0;
      if (missing != 0) leave_unwritten(warp, inst, lane, missing, offset, target.addresses[lane]);
      if (done == 0) {
        first = offset;
        to = target.addresses[lane];
      }
    }
  }
  const double ready = count_global(warp, inst, use.store, to, bytes, /*writes=*/true);
  block.bulk.begin(warp.index * warp_size + lane, first, bytes, ready, block.races);
  tell(CopiesBegun{warp, ready});
}

void to_global(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto& use = *static_cast<const BulkUse*>(inst.extra);
  for (; mask != 0; mask &= mask - 1) copy_to_global(warp, inst, use, first_lane(mask));
}

void commit_bulk(Warp& warp, const Inst&, LaneMask mask) {
  for (; mask != 0; mask &= mask - 1)
    warp.block->bulk.commit(warp.index * warp_size + first_lane(mask));
}

/// Inst::imm: how many groups may still be on their way; Inst::flags: only their sources matter.
void wait_for_bulk(Warp& warp, const Inst& inst, LaneMask mask) {
  for (; mask != 0; mask &= mask - 1) {
    const double ready = warp.block->bulk.wait(warp.index * warp_size + first_lane(mask),
                                               static_cast<std::uint32_t>(inst.imm),
                                               inst.flags != 0, warp.block->races);
    warp.times.fence(std::max(warp.times.next, ready));
  }
}

void do_nothing(Warp&, const Inst&, LaneMask) {}

/// An address in `space`: `part` is the access to a piece there.
bool bind_side(ProgramContext& context, const Operand& operand, Space space, Inst& part,
               MemoryUse& use) {
  MemoryOperand memory;
  part.width = piece;
  use.asynchronous = true;
  use.passes_l1 = true;
  return decode_address(context, operand, space, part, use, memory);
}

bool decode_to_shared(const Instruction& instruction, ProgramContext& context, Modifiers& modifiers,
                      Inst& out) {
  const auto& operands = instruction.operands;
  const bool known = modifiers.take("global") && modifiers.take("mbarrier::complete_tx::bytes");
  const std::size_t policy = take_cache_policy(context, modifiers, instruction);
  if (!known || !modifiers.done() || operands.size() != 4 + policy) return false;
  auto* use = context.make<BulkUse>();
  use->mbarrier.kind = AccessStrength::strong;
  use->mbarrier.device_wide = false;
  use->arrival.width = 8;
  use->arrival.control = out.control = Control::mbarrier;
  MemoryOperand memory;
  out.width = piece;
  out.extra = use;
  out.handler = out.full_handler = to_shared;
  return bind_side(context, operands[0], Space::shared, use->store, use->to) &&
         bind_side(context, operands[1], Space::global, use->load, use->from) &&
         bind_source(operands[2], Type::u32, context, use->bytes) &&
         decode_address(context, operands[3], Space::shared, use->arrival, use->mbarrier, memory);
}

bool decode_to_global(const Instruction& instruction, ProgramContext& context, Modifiers& modifiers,
                      Inst& out) {
  const auto& operands = instruction.operands;
  const bool known =
      (modifiers.take("shared::cta") || modifiers.take("shared")) && modifiers.take("bulk_group");
  const std::size_t policy = take_cache_policy(context, modifiers, instruction);
  if (!known || !modifiers.done() || operands.size() != 3 + policy) return false;
  context.kernel().reads_shared_in_bulk = true;
  auto* use = context.make<BulkUse>();
  out.width = piece;
  out.extra = use;
  out.handler = out.full_handler = to_global;
  return bind_side(context, operands[0], Space::global, use->store, use->to) &&
         bind_side(context, operands[1], Space::shared, use->load, use->from) &&
         bind_source(operands[2], Type::u32, context, use->bytes);
}

}  // namespace

bool decode_bulk_copy(const Instruction& instruction, ProgramContext& context, Modifiers& modifiers,
                      Inst& out) {
  const auto& operands = instruction.operands;
  if (modifiers.take("commit_group")) {
    out.handler = out.full_handler = commit_bulk;
    return modifiers.done() && operands.empty();
  }
  if (modifiers.take("wait_group")) {
    out.handler = out.full_handler = wait_for_bulk;
    out.flags = modifiers.take("read") ? 1 : 0;
    if (operands.size() != 1 || operands[0].kind != Operand::Kind::immediate) return false;
    out.imm = static_cast<std::int64_t>(std::min<std::uint64_t>(operands[0].bits, ~0u));
    return modifiers.done();
  }
  if (modifiers.take("prefetch")) {
    out.handler = out.full_handler = do_nothing;
    const bool known = modifiers.take("L2") && modifiers.take("global");
    const std::size_t policy = take_cache_policy(context, modifiers, instruction);
    return known && modifiers.done() && operands.size() == 2 + policy;
  }
  if (modifiers.take("shared::cluster")) {
    // In a cluster of one block its own; only copies from global memory are known.
    return decode_to_shared(instruction, context, modifiers, out);
  }
  const bool starts_with_shared =
      instruction.modifiers.size() > 2 && instruction.modifiers[2] == "shared::cta";
  if (starts_with_shared) {
    modifiers.take("shared::cta");
    return decode_to_shared(instruction, context, modifiers, out);
  }
  return modifiers.take("global") && decode_to_global(instruction, context, modifiers, out);
}

}  // namespace gridstride::sim

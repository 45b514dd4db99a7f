// cp.async: copies from global to shared memory that a thread begins and waits for later.
//
// Inst: `a`, `imm` and `extra` are the destination's, an AsyncUse; `width` the bytes of a lane.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <vector>

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

/// `extra` of a copy. Its first member is what use_of() sees.
struct AsyncUse {
  MemoryUse to;
  MemoryUse from;
  Inst load;  ///< the load from global memory, as if it were an instruction
  VectorRegister bytes =
      no_register;  ///< how many are read, the rest becomes 0; or no_register: all
  VectorRegister ignored = no_register;  ///< predicate: nothing is read
  bool ignored_negated = false;
};
static_assert(std::is_standard_layout_v<AsyncUse>);

/// What a lane copies.
struct Copied {
  std::byte bytes[16] = {};
  std::uint32_t unwritten = 0;  ///< bit i: nobody has written byte i
};

/// Lanes of `mask` read `bytes` of their source into what they copy. Bytes that are no power of two count
/// as several requests.
void read_source(Warp& warp, const Inst& inst, const AsyncUse& use, LaneMask mask,
                 std::uint32_t bytes, Copied* values) {
  const bool asks = warp.grid->request.checks.looks_for(FindingKind::uninitialized_read);
  const InitialisedBytes& initialised = warp.grid->memory.initialised();
  for (std::uint32_t done = 0; done < bytes;) {
    const std::uint32_t piece = std::bit_floor(bytes - done);
    Inst part = use.load;
    part.source = inst.source;
    part.imm += done;
    MemoryPlaces places;
    find_places(warp, part, mask, piece, Access::load, places);
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      std::copy_n(places.at[lane], piece, values[lane].bytes + done);
      if (!asks) continue;
      values[lane].unwritten |=
          initialised.missing_of_lane(places.addresses[lane] - GlobalMemory::base, piece) << done;
    }
    done += piece;
  }
}

/// How many bytes a lane reads.
std::uint32_t source_bytes(const Warp& warp, const Inst& inst, const AsyncUse& use,
                           std::uint32_t lane) {
  if (use.ignored != no_register) {
    const LaneMask ignored = *vector_register<const LaneMask>(warp.registers, use.ignored);
    if (((use.ignored_negated ? ~ignored : ignored) >> lane & 1) != 0) return 0;
  }
  if (use.bytes == no_register) return inst.width;
  return std::min<std::uint32_t>(
      vector_register<const std::uint32_t>(warp.registers, use.bytes)[lane], inst.width);
}

/// When what the warp asks for now is there.
double arrival(const Warp& warp) {
  const LatencyTable& table = warp.grid->request.latencies;
  const AccessOutcome& outcome = warp.outcome;
  const double latency = outcome.dram ? table.global_dram
                         : outcome.l2 ? table.global_l2
                                      : table.global_l1;
  return std::max(warp.times.next + latency, outcome.arrives);
}

void copy(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto& use = *static_cast<const AsyncUse*>(inst.extra);
  Copied values[warp_size];
  LaneMask rest = mask;
  while (rest != 0) {  // lanes that read as many bytes at once
    const std::uint32_t bytes =
        source_bytes(warp, inst, use, static_cast<std::uint32_t>(std::countr_zero(rest)));
    LaneMask same = 0;
    for (LaneMask others = rest; others != 0; others &= others - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(others));
      if (source_bytes(warp, inst, use, lane) == bytes) same |= 1u << lane;
    }
    rest &= ~same;
    read_source(warp, inst, use, same, bytes, values);
  }
  const double ready = arrival(warp);
  MemoryPlaces places;
  find_places(warp, inst, mask, inst.width, Access::store, places);
  LaneMask unchanged = 0;
  for (rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (std::memcmp(places.at[lane], values[lane].bytes, inst.width) == 0) unchanged |= 1u << lane;
    std::copy_n(values[lane].bytes, inst.width, places.at[lane]);
    if (values[lane].unwritten != 0)
      warp.block->leave_unwritten(places.offsets[lane], values[lane].unwritten);
    warp.block->copies.begin(warp.index * warp_size + lane, places.offsets[lane], inst.width, ready,
                             warp.block->races);
  }
  tell(SharedCopied{warp, inst, mask, places.offsets, inst.width, unchanged});
  tell(CopiesBegun{warp, ready});
}

bool decode_copy(const Instruction& instruction, ProgramContext& context, Modifiers& modifiers,
                 Inst& out) {
  const bool everywhere = modifiers.take("ca"), only_l2 = modifiers.take("cg");
  const std::size_t policy = take_cache_policy(context, modifiers, instruction);
  take_cache_hints(modifiers);
  const bool to_shared = modifiers.take("shared") || modifiers.take("shared::cta");
  const auto& operands = instruction.operands;
  if (everywhere == only_l2 || !to_shared || !modifiers.take("global") || !modifiers.done() ||
      operands.size() < 3 + policy || operands.size() > 4 + policy ||
      operands[2].kind != Operand::Kind::immediate) {
    return false;
  }
  const std::uint64_t bytes = operands[2].bits;
  if (bytes != 16 && (only_l2 || (bytes != 4 && bytes != 8))) return false;
  auto* use = context.make<AsyncUse>();
  out.width = use->load.width = static_cast<std::uint8_t>(bytes);
  MemoryOperand memory;
  if (!decode_address(context, operands[1], Space::global, use->load, use->from, memory) ||
      !decode_address(context, operands[0], Space::shared, out, use->to, memory)) {
    return false;
  }
  use->from.passes_l1 = only_l2;
  use->to.asynchronous = use->from.asynchronous = true;
  if (operands.size() == 4 + policy) {
    const Operand& fourth = operands[3];
    if (fourth.kind == Operand::Kind::reg && context.lane_bytes_of(fourth, Type::u32) == 0) {
      use->ignored = context.source(fourth, Type::pred);
      use->ignored_negated = fourth.negate;
    } else if (!bind_source(fourth, Type::u32, context, use->bytes)) {
      return false;
    }
  }
  out.extra = use;
  out.handler = out.full_handler = copy;
  return true;
}

template <class Each>
void for_threads(Warp& warp, LaneMask mask, Each each) {
  for (; mask != 0; mask &= mask - 1) {
    each(warp.index * warp_size + static_cast<std::uint32_t>(std::countr_zero(mask)));
  }
}

void commit(Warp& warp, const Inst&, LaneMask mask) {
  for_threads(warp, mask,
              [&](std::uint32_t thread) { warp.block->copies.commit(thread, warp.block->races); });
  warp.block->order.tick();  // the copies of the next group begin later
}

/// Copies that others have seen at an mbarrier, the thread has waited for too.
void learn_of_copies(Warp& warp, std::uint32_t thread) {
  if (!warp.block->copies.waits_for_what_others_saw(thread)) return;
  warp.block->order.acquire_copies(lanes_of(warp, 1u << thread % warp_size), thread);
}

/// Inst::imm: how many groups may still be on their way.
void wait_for_groups(Warp& warp, const Inst& inst, LaneMask mask) {
  for_threads(warp, mask, [&](std::uint32_t thread) {
    const double ready = warp.block->copies.wait_for_groups(
        thread, static_cast<std::uint32_t>(inst.imm), warp.block->races);
    learn_of_copies(warp, thread);
    warp.times.fence(std::max(warp.times.next, ready));
  });
}

void wait_for_all(Warp& warp, const Inst&, LaneMask mask) {
  for_threads(warp, mask, [&](std::uint32_t thread) {
    warp.times.fence(
        std::max(warp.times.next, warp.block->copies.wait_for_all(thread, warp.block->races)));
    learn_of_copies(warp, thread);
  });
}

/// Of several arrivals of one thread only the last matters. Done now and then, so that a phase that
/// never ends needs no memory without end.
void forget_earlier(std::vector<Mbarriers::Copies>& copies) {
  constexpr std::size_t most_kept = 4096;  // a block has 1024 threads
  if (copies.size() < most_kept) return;
  std::ranges::sort(copies, [](const Mbarriers::Copies& a, const Mbarriers::Copies& b) {
    return std::tuple(a.thread, b.count) < std::tuple(b.thread, a.count);  // the last one first
  });
  const auto rest = std::ranges::unique(copies, {}, &Mbarriers::Copies::thread);
  copies.erase(rest.begin(), rest.end());
}

/// Inst::flags: .noinc, the arrival is one of those that are expected anyway.
void arrive_after_copies(Warp& warp, const Inst& inst, LaneMask mask) {
  AsyncCopies& copies = warp.block->copies;
  arrive_at_mbarriers(warp, inst, mask, [&](std::uint32_t lane, Mbarriers::Mbarrier& mbarrier) {
    const std::uint32_t thread = warp.index * warp_size + lane;
    forget_earlier(mbarrier.copies);
    copies.arrive_at_mbarrier(thread);
    mbarrier.copies.push_back({thread, copies.begun(thread)});
    mbarrier.latest = std::max(mbarrier.latest, copies.ready(thread));
    if (inst.flags != 0) return 1u;
    return 0u;  // one more is expected, and comes
  });
}

bool decode_arrive_after_copies(const Instruction& instruction, ProgramContext& context,
                                Modifiers& modifiers, Inst& out) {
  out.flags = modifiers.take("noinc") ? 1 : 0;
  out.handler = out.full_handler = arrive_after_copies;
  return instruction.operands.size() == 1 && modifiers.take("b64") &&
         decode_mbarrier_address(context, modifiers, instruction.operands[0],
                                 AccessStrength::strong, out) &&
         modifiers.done();
}

}  // namespace

bool decode_cp(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  if (!modifiers.take("async")) return false;
  if (modifiers.take("bulk")) return decode_bulk_copy(instruction, context, modifiers, out);
  const auto& operands = instruction.operands;
  if (modifiers.take("mbarrier")) {
    return modifiers.take("arrive") &&
           decode_arrive_after_copies(instruction, context, modifiers, out);
  }
  if (modifiers.take("wait_group")) {
    out.handler = out.full_handler = wait_for_groups;
    if (operands.size() != 1 || operands[0].kind != Operand::Kind::immediate) return false;
    out.imm = static_cast<std::int64_t>(std::min<std::uint64_t>(operands[0].bits, ~0u));
    return modifiers.done();
  }
  const bool commits = modifiers.take("commit_group");
  if (commits || modifiers.take("wait_all")) {
    out.handler = out.full_handler = commits ? commit : wait_for_all;
    return modifiers.done() && operands.empty();
  }
  return decode_copy(instruction, context, modifiers, out);
}

}  // namespace gridstride::sim

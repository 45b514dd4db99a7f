// atom and red, in global, shared and generic memory, of one value a lane or a short vector.
//
// Lanes are served one after the other, lowest first; on the hardware their order is not defined.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/simulator/analysis/definitions.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/compare_and_swap.h"
#include "common/simulator/exec/grid_run.h"
#include "common/simulator/exec/observers.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/isa/memory/atomic_operations.h"
#include "common/simulator/isa/memory/memory_access.h"
#include "common/simulator/isa/memory/memory_decode.h"
#include "common/simulator/isa/memory/memory_places.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

constexpr std::size_t most_elements = 8;

/// `extra` of an atomic. Its first member is what use_of() sees.
struct AtomicUse {
  MemoryUse memory;
  Combine combine = nullptr;         ///< in shared memory
  Combine combine_global = nullptr;  ///< in global memory
  CombineWords words = nullptr;      ///< in shared memory, for all lanes; or null
  VectorRegister b[most_elements] = {},
                 results[most_elements] = {};  ///< by element; no result: no_register
  VectorRegister c = no_register;
  bool aggregates = false;    ///< one operation for the warp: uniform address, constant integer
  bool counts_lanes = false;  ///< shared memory adds the number of lanes at once
  bool is_float = false;
  bool loops = false;  ///< in shared memory a compare-and-swap loop
};
static_assert(std::is_standard_layout_v<AtomicUse>);

void count_wavefronts(Warp& warp, const Inst& inst, const AtomicUse& use, LaneMask mask,
                      const std::uint32_t* offsets) {
  GridRun& grid = *warp.grid;
  const SharedCost cost = shared_atomic_cost(offsets, mask, use.counts_lanes);
  InstructionCounts& counts = grid.counters.counts[inst.source];
  ++counts.shared_requests;
  counts.shared_wavefronts += cost.wavefronts;
  counts.shared_ideal += cost.ideal;
  warp.outcome.wavefronts = cost.wavefronts;
  if (cost.wavefronts > cost.ideal) {
    grid.counters.note_pattern(inst, offsets, mask, cost.wavefronts, cost.ideal);
  }
}

void count(Warp& warp, const Inst& inst, const AtomicUse& use, const MemoryPlaces& places) {
  GridRun& grid = *warp.grid;
  if (places.shared != 0) {
    count_wavefronts(warp, inst, use, places.shared, places.offsets);
    InstructionCounts& counts = grid.counters.counts[inst.source];
    if (warp.block->checks_order()) {
      const HappensBefore::Lanes lanes = lanes_of(warp, places.shared);
      if (use.memory.releases) warp.block->order.release(lanes, use.memory.device_wide);
      warp.block->flags.atomic(lanes, places.offsets,
                               storing_lanes(warp, inst, places.shared, places.offsets,
                                             [&](std::uint32_t lane) { return places.at[lane]; }),
                               use.memory.acquires);
    }
    if (use.loops) {
      const CasLoopCost cost = cas_loop_cost(places.offsets, places.shared, inst.width);
      const std::uint32_t on_one = most_on_one(places.offsets, places.shared);
      warp.outcome.cas_iterations = cost.iterations;
      counts.shared_cas_iterations += cost.iterations;
      counts.shared_cas_passes += cost.passes;
      const std::uint32_t place = places.offsets[std::countr_zero(places.shared)];
      CasLoopsAtOnePlace& cas_loops = warp.block->cas_loops;
      if (cas_loops.place != place) cas_loops = {.place = place, .warp = warp.index};
      cas_loops.contended = cas_loops.contended || cas_loops.warp != warp.index;
      if (cas_loops.contended) {
        // What the first warp did, it did among the others as well.
        grid.counters.counts[cas_loops.first_source].shared_cas_contended +=
            std::exchange(cas_loops.first_iterations, 0);
        counts.shared_cas_contended += on_one;
      } else {
        if (cas_loops.first_source != inst.source) cas_loops.first_iterations = 0;
        cas_loops.first_source = inst.source;
        cas_loops.first_iterations += on_one;
      }
    }
    if (warp.block->races) {
      const std::uint32_t bytes = std::uint32_t{inst.width} * inst.count;
      warp.block->races->atomic(warp.index, places.shared, places.offsets, bytes, inst.source);
    }
  }
  if (places.global != 0) {
    grid.counters.count_atomic(warp, inst, places.addresses, places.global, use.aggregates,
                               use.is_float);
  }
}

/// All elements of the lanes in `mask`. True when any left another value than it found.
bool apply(Warp& warp, const Inst& inst, const AtomicUse& use, Combine combine, LaneMask mask,
           const MemoryPlaces& places) {
  const auto lanes_at = [&](VectorRegister at) {
    return at == no_register ? nullptr : warp.registers + at;
  };
  bool changed = false;
  for (unsigned k = 0; k < inst.count; ++k) {
    changed |= combine({places.at, std::size_t{k} * inst.width, mask, lanes_at(use.b[k]),
                        lanes_at(use.c), lanes_at(use.results[k])});
  }
  return changed;
}

/// The same of a block that is recorded, who sees each lane's turn.
bool apply_in_turns(Warp& warp, const Inst& inst, const AtomicUse& use, Combine combine,
                    LaneMask mask, const MemoryPlaces& places) {
  bool changed = false;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const LaneMask turn = rest & -rest;
    const std::uint32_t lane = first_lane(turn);
    tell(AtomicTurn{warp, lane, false});
    changed |= apply(warp, inst, use, combine, turn, places);
    tell(AtomicTurn{warp, lane, true});
  }
  return changed;
}

void note_step(Warp& warp, const Inst& inst) {
  note_poll(warp, inst);
  if (!use_of(inst).polls) warp.may_give_way(inst);
}

void finish(Warp& warp, const Inst& inst, const AtomicUse& use, const MemoryPlaces& places) {
  count(warp, inst, use, places);
  note_step(warp, inst);
  bool changed = false;
  const auto serve = warp.block->recorder ? apply_in_turns : apply;
  if (places.shared != 0) changed |= serve(warp, inst, use, use.combine, places.shared, places);
  if (places.global != 0) {
    changed |= serve(warp, inst, use, use.combine_global, places.global, places);
  }
  if (changed) ++warp.grid->counters.atomic_changes;
}

/// Generic addresses, and global memory.
void atomic(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto& use = *static_cast<const AtomicUse*>(inst.extra);
  MemoryPlaces places;
  find_places(warp, inst, mask, std::uint32_t{inst.width} * inst.count, Access::atomic, places);
  finish(warp, inst, use, places);
}

void atomic_in_shared(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto& use = *static_cast<const AtomicUse*>(inst.extra);
  MemoryPlaces places;
  check_shared_atomic(warp, inst, mask, std::uint32_t{inst.width} * inst.count, places.offsets);
  places.shared = mask;
  std::byte* const shared = warp.block->shared.data();
  for (unsigned lane = 0; lane < warp_size; ++lane) places.at[lane] = shared + places.offsets[lane];
  finish(warp, inst, use, places);
}

/// The same of all lanes on words, where nothing is to be told or ordered besides.
void words_in_shared(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto& use = *static_cast<const AtomicUse*>(inst.extra);
  Block& block = *warp.block;
  alignas(64) std::uint32_t offsets[warp_size];
  const bool orders = block.checks_order() && (use.memory.releases || block.flags.may_carry());
  if (orders || !is_quiet_shared_atomic(warp, inst, 4, offsets)) {
    return atomic_in_shared(warp, inst, mask);
  }
  count_wavefronts(warp, inst, use, full_mask, offsets);
  if (block.races) block.races->atomic(warp.index, full_mask, offsets, 4, inst.source);
  note_step(warp, inst);
  auto* const results = use.results[0] == no_register
                            ? nullptr
                            : vector_register<std::uint32_t>(warp.registers, use.results[0]);
  const auto* const b = vector_register<const std::uint32_t>(warp.registers, use.b[0]);
  if (use.words(block.shared.data(), offsets, b, results)) ++warp.grid->counters.atomic_changes;
}

/// An operation that a warp can do among its lanes first: redux has it.
bool is_reduction(const Instruction& instruction) {
  for (const std::string_view name : {"min", "max", "and", "or", "xor"}) {
    if (instruction.has(name)) return true;
  }
  return false;
}

/// Vectors exist in global memory, of floats and of 16-bit numbers, and have up to 16 bytes.
bool take_count(Modifiers& modifiers, Space space, const AtomicOperation& operation, Inst& out) {
  if (modifiers.take("v2")) out.count = 2;
  if (modifiers.take("v4")) out.count = 4;
  if (modifiers.take("v8")) out.count = 8;
  return out.count == 1 ||
         (operation.is_float && operation.type != Type::f64 && out.width * out.count <= 16 &&
          (space == Space::global || space == Space::generic));
}

/// The vector registers of a value or of a vector of them, one for each element; none of a result
/// that nothing reads.
bool bind_elements(ProgramContext& context, const Operand& operand, Type type, bool is_result,
                   unsigned count, VectorRegister* elements) {
  const bool vector = operand.kind == Operand::Kind::vector;
  if (vector != (count > 1) || (vector && operand.elements.size() != count)) return false;
  for (unsigned k = 0; k < count; ++k) {
    const Operand& one = vector ? operand.elements[k] : operand;
    if (is_result && one.kind == Operand::Kind::sink) continue;
    const bool bound = is_result ? bind_destination(one, type, context, elements[k])
                                 : bind_source(one, type, context, elements[k]);
    if (!bound) return false;
    if (is_result && !context.is_read(one)) elements[k] = no_register;
  }
  return true;
}

/// How its costs are counted: what ptxas and the hardware make of it.
void set_costs(const Instruction& instruction, const AtomicOperation& operation,
               const Operand& value, bool has_result, bool uniform, const Inst& inst,
               AtomicUse& use) {
  const bool constant = value.kind == Operand::Kind::immediate && !value.is_float;
  const bool integer_add = operation.is_add && !operation.is_float;
  use.is_float = operation.is_float;
  // ptxas adds up within the warp whatever 32-bit integers go to one address, and constants of any
  // width; of the other operations those whose result nobody asks for.
  const bool narrow = inst.width == 4 && !use.is_float && !operation.exchanges &&
                      (integer_add || (!has_result && is_reduction(instruction)));
  use.aggregates = uniform && (narrow || (integer_add && constant));
  use.loops = !operation.exchanges && (use.is_float || inst.width == 8);
  use.counts_lanes = integer_add && constant && value.bits == 1 && inst.width == 4;
  if (use.counts_lanes && !has_result) use.words = count_words;
}

bool decode(const Instruction& instruction, ProgramContext& context, Inst& out, bool has_result) {
  Modifiers modifiers(instruction);
  const Space space = take_space(modifiers);
  const bool known_space =
      space == Space::generic || space == Space::global || space == Space::shared;
  auto* use = context.make<AtomicUse>();
  std::ranges::fill(use->results, no_register);
  take_order(modifiers, use->memory);
  use->memory.kind =
      use->memory.device_wide ? AccessStrength::strong : AccessStrength::strong_in_block;
  const std::size_t policy = take_cache_policy(context, modifiers, instruction);
  const AtomicOperation operation = take_atomic_operation(modifiers);
  use->combine = operation.in_shared;
  use->combine_global = operation.in_global;
  use->words = operation.words;
  out.width = static_cast<std::uint8_t>(ptx::size_of(operation.type));
  if (!use->combine || !known_space || !take_count(modifiers, space, operation, out) ||
      !modifiers.done()) {
    return false;
  }
  const std::size_t first = has_result ? 1 : 0;
  if (instruction.operands.size() != first + 2 + (operation.takes_two ? 1 : 0) + policy) {
    return false;
  }
  if (has_result && instruction.operands[0].kind != Operand::Kind::sink &&
      !bind_elements(context, instruction.operands[0], operation.type, true, out.count,
                     use->results)) {
    return false;
  }
  MemoryOperand memory;
  if (!decode_address(context, instruction.operands[first], space, out, use->memory, memory)) {
    return false;
  }
  out.extra = use;
  const Operand& value = instruction.operands[first + 1];
  if (!bind_elements(context, value, operation.type, false, out.count, use->b)) return false;
  if (operation.takes_two &&
      !bind_source(instruction.operands[first + 2], operation.type, context, use->c)) {
    return false;
  }
  const bool has_use =
      std::ranges::any_of(use->results, [](VectorRegister at) { return at != no_register; });
  set_costs(instruction, operation, value, has_use, memory.uniform, out, *use);
  if (operation.takes_two) {
    use->memory.compared = use->b[0];
    use->memory.replacement = use->c;
    use->memory.lane_bytes = out.width == 8 ? 8 : 4;
  }
  // The first two are what locks and queues are made of; the third only looks.
  const bool looks = has_use && context.definitions().is_zero(value);
  use->memory.polls = operation.exchanges || looks;
  if (looks) {
    use->memory.registers[0] = use->results[0];
    use->memory.lane_bytes = out.width == 8 ? 8 : 4;
  }
  out.handler = out.full_handler = space == Space::shared ? atomic_in_shared : atomic;
  if (space == Space::shared && use->words && out.count == 1 && !use->loops) {
    out.full_handler = words_in_shared;
  }
  return true;
}

}  // namespace

bool decode_atom(const Instruction& instruction, DecodeContext& context, Inst& out) {
  return decode(instruction, static_cast<ProgramContext&>(context), out, true);
}

bool decode_red(const Instruction& instruction, DecodeContext& context, Inst& out) {
  return decode(instruction, static_cast<ProgramContext&>(context), out, false);
}

}  // namespace gridstride::sim

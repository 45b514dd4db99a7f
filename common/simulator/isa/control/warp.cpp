// shfl, vote, match, redux, elect, bar.warp.sync, activemask: what lanes of one warp do together.
//
// Each has a function that computes the results of some lanes from what all lanes brought
// (SyncSource), so that it does not matter by which path a lane came.
#include "common/simulator/exec/warp.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "common/simulator/base/lane_words.h"
#include "common/simulator/decode/decode_context.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/block.h"
#include "common/simulator/exec/interpreter.h"
#include "common/simulator/exec/shuffles.h"
#include "common/simulator/isa/arithmetic/lanes.h"
#include "common/simulator/program/sync_operation.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;
using Apply = void (*)(Warp&, const Inst&, LaneMask, const SyncSource&);

/// Inst::handler: all lanes of the operation stand here.
template <Apply apply, SyncOperation::Source kind>
void at_one_place(Warp& warp, const Inst& inst, LaneMask mask) {
  SyncSource source;
  source.lanes = mask;
  if constexpr (kind == SyncOperation::Source::b32) {
    source.values = vector_register<std::uint32_t>(warp.registers, inst.a);
  } else if constexpr (kind == SyncOperation::Source::b64) {
    source.wide_values = vector_register<std::uint64_t>(warp.registers, inst.a);
  } else if constexpr (kind == SyncOperation::Source::predicate) {
    const LaneMask predicate = *vector_register<LaneMask>(warp.registers, inst.a);
    const auto& operation = *static_cast<const SyncOperation*>(inst.extra);
    source.predicate = (operation.negated ? ~predicate : predicate) & mask;
  }
  if constexpr (kind != SyncOperation::Source::none) {
    HappensBefore& order = warp.block->order;
    if (order.lanes_differ(warp.index)) order.exchange(warp.index, mask);
  }
  apply(warp, inst, mask, source);
}

template <Apply apply, SyncOperation::Source kind>
void bind(ProgramContext& context, Inst& out, bool negated = false) {
  auto* operation = context.make<SyncOperation>();
  operation->source = kind;
  operation->negated = negated;
  operation->apply = apply;
  out.extra = operation;
  out.control = Control::warp_sync;
  out.handler = out.full_handler = at_one_place<apply, kind>;
}

void set_predicate(Warp& warp, VectorRegister at, LaneMask mask, LaneMask bits) {
  if (at == no_register) return;
  LaneMask& predicate = *vector_register<LaneMask>(warp.registers, at);
  predicate = (predicate & ~mask) | (bits & mask);
}

void set_all(Warp& warp, VectorRegister at, LaneMask mask, std::uint32_t value) {
  std::uint32_t* to = vector_register<std::uint32_t>(warp.registers, at);
  if (mask == full_mask) {
    std::fill_n(to, warp_size, value);
    return;
  }
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    to[lane] = (mask >> lane & 1) != 0 ? value : to[lane];
  }
}

/// Some lanes do not take part: finds those that others take a value from.
void check_sources(Warp& warp, const Inst& inst, LaneMask mask, LaneMask taking_part,
                   const std::uint32_t* from) {
  if (!warp.grid->request.checks.looks_for(FindingKind::inactive_lane)) return;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (taking_part >> from[lane] & 1) continue;
    warp.grid->findings.inactive_lane(
        thread_of(warp, lane), inst.source, from[lane],
        {warp.present, warp.live, vector_register<std::uint32_t>(warp.registers, inst.d)[lane]});
    return;
  }
}

/// A shuffle of all lanes by one distance: loops that are vectorised.
template <ShuffleMode mode>
void shuffle_alike(Warp& warp, const Inst& inst, const std::uint32_t* values,
                   std::uint32_t distance, std::uint32_t clamp) {
  const std::uint32_t b = distance & 31, c = clamp & 31, segment = clamp >> 8 & 31;
  alignas(64) std::uint32_t buffer[2 * warp_size];
  const std::uint32_t* moved = buffer;
  alignas(32) std::int32_t inside[warp_size];
  if constexpr (mode == up || mode == down) {
    for (std::uint32_t lane = 0; lane < warp_size; ++lane)
      buffer[lane] = buffer[lane + warp_size] = values[lane];
    moved = mode == up ? buffer + warp_size - b : buffer + b;
  } else if constexpr (mode == bfly) {
    swap_lanes(values, b, buffer);
  } else {
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
      buffer[lane] = values[(lane & segment) | (b & ~segment)];
    }
  }
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    const auto max = static_cast<std::int32_t>((lane & segment) | (c & ~segment));
    const auto from = static_cast<std::int32_t>(mode == up     ? lane - b
                                                : mode == down ? lane + b
                                                : mode == bfly ? lane ^ b
                                                               : (lane & segment) | (b & ~segment));
    inside[lane] = (mode == up ? from >= max : from <= max) ? -1 : 0;
  }
  std::uint32_t* const to = vector_register<std::uint32_t>(warp.registers, inst.dst);
  GRIDSTRIDE_LANES_ARE_APART
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    to[lane] = inside[lane] != 0 ? moved[lane] : values[lane];
  }
  if (inst.dst2 != no_register) set_predicate(warp, inst.dst2, full_mask, lanes::pack(inside));
}

template <ShuffleMode mode>
void shuffle(Warp& warp, const Inst& inst, LaneMask mask, const SyncSource& source) {
  const std::uint32_t* distance = vector_register<const std::uint32_t>(warp.registers, inst.b);
  const std::uint32_t* clamp = vector_register<const std::uint32_t>(warp.registers, inst.c);
  if (mask == full_mask && source.lanes == full_mask && is_line<0>(distance) && is_line<0>(clamp)) {
    return shuffle_alike<mode>(warp, inst, source.values, distance[0], clamp[0]);
  }
  std::uint32_t result[warp_size];
  std::uint32_t valid[warp_size], sources[warp_size];
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    const auto [from, inside] = shuffle_source(mode, lane, distance[lane], clamp[lane]);
    result[lane] = source.values[from];
    valid[lane] = inside ? 1u : 0u;
    sources[lane] = from;
  }
  if (source.lanes != full_mask) check_sources(warp, inst, mask, source.lanes, sources);
  std::uint32_t* to = vector_register<std::uint32_t>(warp.registers, inst.dst);
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    to[lane] = (mask >> lane & 1) != 0 ? result[lane] : to[lane];
  }
  if (inst.dst2 == no_register) return;
  LaneMask bits = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) bits |= valid[lane] << lane;
  set_predicate(warp, inst.dst2, mask, bits);
}

enum class Vote : std::uint8_t { all, any, uni };

template <Vote kind>
void vote(Warp& warp, const Inst& inst, LaneMask mask, const SyncSource& source) {
  const LaneMask yes = source.predicate & source.lanes;
  const bool result = kind == Vote::all   ? yes == source.lanes
                      : kind == Vote::any ? yes != 0
                                          : yes == source.lanes || yes == 0;
  set_predicate(warp, inst.dst, mask, result ? full_mask : 0);
}

void ballot(Warp& warp, const Inst& inst, LaneMask mask, const SyncSource& source) {
  set_all(warp, inst.dst, mask, source.predicate & source.lanes);
}

template <bool wide>
bool equal(const SyncSource& source, int a, int b) {
  if constexpr (wide) return source.wide_values[a] == source.wide_values[b];
  return source.values[a] == source.values[b];
}

template <bool wide>
void match_any(Warp& warp, const Inst& inst, LaneMask mask, const SyncSource& source) {
  std::uint32_t values = 0;
  std::uint32_t* to = vector_register<std::uint32_t>(warp.registers, inst.dst);
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    LaneMask same = 0;
    for (LaneMask others = source.lanes; others != 0; others &= others - 1) {
      const int other = std::countr_zero(others);
      if (equal<wide>(source, lane, other)) same |= 1u << other;
    }
    to[lane] = same;
    values += std::countr_zero(same & mask) == lane;
  }
  warp.outcome.values = values;
  warp.grid->counters.counts[inst.source].match_values += values;
}

template <bool wide>
void match_all(Warp& warp, const Inst& inst, LaneMask mask, const SyncSource& source) {
  const int first = std::countr_zero(source.lanes);
  bool same = true;
  for (LaneMask others = source.lanes; others != 0; others &= others - 1) {
    same = same && equal<wide>(source, first, std::countr_zero(others));
  }
  set_all(warp, inst.dst, mask, same ? source.lanes : 0);
  set_predicate(warp, inst.dst2, mask, same ? full_mask : 0);
}

struct Sum {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a + b; }
};
struct LeastSigned {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
  }
};
struct MostSigned {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? b : a;
  }
};
struct Least {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return std::min(a, b); }
};
struct Most {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return std::max(a, b); }
};
struct AllBits {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a & b; }
};
struct AnyBits {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a | b; }
};
struct OddBits {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a ^ b; }
};

template <class F>
void reduce(Warp& warp, const Inst& inst, LaneMask mask, const SyncSource& source) {
  LaneMask rest = source.lanes;
  std::uint32_t result = source.values[std::countr_zero(rest)];
  for (rest &= rest - 1; rest != 0; rest &= rest - 1) {
    result = F::apply(result, source.values[std::countr_zero(rest)]);
  }
  set_all(warp, inst.dst, mask, result);
}

/// One lane is chosen, the same every time; here the lowest.
void elect(Warp& warp, const Inst& inst, LaneMask mask, const SyncSource& source) {
  const auto leader = static_cast<std::uint32_t>(std::countr_zero(source.lanes));
  set_all(warp, inst.dst, mask, leader);
  set_predicate(warp, inst.dst2, mask, 1u << leader);
}

void active_mask(Warp& warp, const Inst& inst, LaneMask mask) {
  set_all(warp, inst.dst, mask, mask);
}

void warp_barrier(Warp& warp, const Inst&, LaneMask mask, const SyncSource& source) {
  // With lanes at several places this runs once for each; the first already orders all of them.
  const bool first = std::countr_zero(mask) == std::countr_zero(source.lanes);
  if (first) warp.block->order.warp_barrier(warp.index, source.lanes, warp.live);
}

}  // namespace

bool decode_warp_barrier(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  if (instruction.operands.size() != 1) return false;
  bind<warp_barrier, SyncOperation::Source::none>(context, out);
  return bind_source(instruction.operands[0], Type::b32, context, out.d);
}

bool decode_shfl(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  if (!modifiers.take("sync") || instruction.operands.size() != 5) return false;
  using enum SyncOperation::Source;
  if (modifiers.take("up")) {
    bind<shuffle<up>, b32>(context, out);
  } else if (modifiers.take("down")) {
    bind<shuffle<down>, b32>(context, out);
  } else if (modifiers.take("bfly")) {
    bind<shuffle<bfly>, b32>(context, out);
  } else if (modifiers.take("idx")) {
    bind<shuffle<idx>, b32>(context, out);
  } else {
    return false;
  }
  if (!modifiers.take("b32") || !modifiers.done()) return false;
  const auto& operands = instruction.operands;
  out.dst2 = context.second_destination(operands[0]);
  return bind_destination(operands[0], Type::b32, context, out.dst) &&
         bind_source(operands[1], Type::b32, context, out.a) &&
         bind_source(operands[2], Type::b32, context, out.b) &&
         bind_source(operands[3], Type::b32, context, out.c) &&
         bind_source(operands[4], Type::b32, context, out.d);
}

bool decode_vote(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  if (!modifiers.take("sync") || instruction.operands.size() != 3) return false;
  const auto& operands = instruction.operands;
  const bool negated = operands[1].negate;
  const bool is_ballot = modifiers.take("ballot");
  constexpr auto predicate = SyncOperation::Source::predicate;
  if (is_ballot) {
    bind<ballot, predicate>(context, out, negated);
  } else if (modifiers.take("all")) {
    bind<vote<Vote::all>, predicate>(context, out, negated);
  } else if (modifiers.take("any")) {
    bind<vote<Vote::any>, predicate>(context, out, negated);
  } else if (modifiers.take("uni")) {
    bind<vote<Vote::uni>, predicate>(context, out, negated);
  } else {
    return false;
  }
  if (!modifiers.take(is_ballot ? "b32" : "pred") || !modifiers.done()) return false;
  return bind_destination(operands[0], is_ballot ? Type::b32 : Type::pred, context, out.dst) &&
         bind_source(operands[1], Type::pred, context, out.a) &&
         bind_source(operands[2], Type::b32, context, out.d);
}

bool decode_match(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  const bool any = modifiers.take("any");
  const bool all = !any && modifiers.take("all");
  if (!modifiers.take("sync") || any == all || instruction.operands.size() != 3) return false;
  const bool wide = modifiers.take("b64");
  if ((!wide && !modifiers.take("b32")) || !modifiers.done()) return false;
  using enum SyncOperation::Source;
  if (any && wide) bind<match_any<true>, b64>(context, out);
  if (any && !wide) bind<match_any<false>, b32>(context, out);
  if (all && wide) bind<match_all<true>, b64>(context, out);
  if (all && !wide) bind<match_all<false>, b32>(context, out);
  const auto& operands = instruction.operands;
  out.dst2 = context.second_destination(operands[0]);
  return bind_destination(operands[0], Type::b32, context, out.dst) &&
         bind_source(operands[1], wide ? Type::b64 : Type::b32, context, out.a) &&
         bind_source(operands[2], Type::b32, context, out.d);
}

bool decode_redux(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  if (!modifiers.take("sync") || instruction.operands.size() != 3) return false;
  const Type type = modifiers.take_type();
  constexpr auto b32 = SyncOperation::Source::b32;
  const bool is_signed = type == Type::s32;
  const bool arithmetic = is_signed || type == Type::u32;
  if (modifiers.take("add") && arithmetic) {
    bind<reduce<Sum>, b32>(context, out);
  } else if (modifiers.take("min") && arithmetic) {
    is_signed ? bind<reduce<LeastSigned>, b32>(context, out)
              : bind<reduce<Least>, b32>(context, out);
  } else if (modifiers.take("max") && arithmetic) {
    is_signed ? bind<reduce<MostSigned>, b32>(context, out) : bind<reduce<Most>, b32>(context, out);
  } else if (modifiers.take("and") && type == Type::b32) {
    bind<reduce<AllBits>, b32>(context, out);
  } else if (modifiers.take("or") && type == Type::b32) {
    bind<reduce<AnyBits>, b32>(context, out);
  } else if (modifiers.take("xor") && type == Type::b32) {
    bind<reduce<OddBits>, b32>(context, out);
  } else {
    return false;
  }
  if (!modifiers.done()) return false;
  const auto& operands = instruction.operands;
  return bind_destination(operands[0], type, context, out.dst) &&
         bind_source(operands[1], type, context, out.a) &&
         bind_source(operands[2], Type::b32, context, out.d);
}

bool decode_elect(const Instruction& instruction, DecodeContext& base, Inst& out) {
  auto& context = static_cast<ProgramContext&>(base);
  Modifiers modifiers(instruction);
  if (!modifiers.take("sync") || !modifiers.done() || instruction.operands.size() != 2)
    return false;
  bind<elect, SyncOperation::Source::none>(context, out);
  out.dst2 = context.second_destination(instruction.operands[0]);
  return out.dst2 != no_register &&
         bind_destination(instruction.operands[0], Type::b32, context, out.dst) &&
         bind_source(instruction.operands[1], Type::b32, context, out.d);
}

bool decode_activemask(const Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  if (!modifiers.take("b32") || !modifiers.done() || instruction.operands.size() != 1) return false;
  out.handler = out.full_handler = active_mask;
  return bind_destination(instruction.operands[0], Type::b32, context, out.dst);
}

}  // namespace gridstride::sim

// The loop of a warp that has loaded what nobody has written, and what each instruction does with that. A
// kernel without such values never comes here.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/simulator/exec/calls.h"
#include "common/simulator/exec/interpreter.h"
#include "common/simulator/exec/interpreter_loop.h"
#include "common/simulator/exec/shuffles.h"
#include "common/simulator/exec/unwritten/unwritten_bits.h"
#include "common/simulator/program/call_site.h"
#include "common/simulator/program/memory_use.h"

namespace gridstride::sim {

template WarpStop run_loop<false, false, true>(Warp& warp);
template WarpStop run_loop<true, false, true>(Warp& warp);

namespace {

using Held = UnwrittenRegisters::Held;
using ptx::Operand;

/// No instruction that computes has more: lop3 with a predicate has five.
constexpr std::size_t most_sources = 6;

template <class Each>
void for_followed(LaneMask lanes, Each each) {
  for (; lanes != 0; lanes &= lanes - 1) each(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

/// An instruction that is about to be executed, by `active` lanes.
class Step {
 public:
  Step(Warp& warp, std::int32_t pc, LaneMask mask, LaneMask active)
      : warp_(warp),
        followed_(warp.followed),
        kernel_(warp.grid->kernel),
        at_(static_cast<std::size_t>(pc)),
        inst_(kernel_.code[at_]),
        origin_(kernel_.origins[at_]),
        mask_(mask),
        active_(active) {}

  void take() {
    const Dependences& uses = kernel_.dependences[at_];
    const auto held = [&](VectorRegister at) {
      return at != no_register && followed_.lanes(warp_.frame, at) != 0;
    };
    const bool reads = held(inst_.guard) || std::ranges::any_of(uses.reads, held);
    const bool may_move_params =
        followed_.holds_params() && origin_.instruction && origin_.instruction->has("param");
    if (!reads && !may_move_params) return written();
    if (!origin_.instruction) return used(uses.reads);
    const ptx::Instruction& text = *origin_.instruction;
    const bool computes = computes_by_lane(text);
    if (inst_.guard != no_register && !computes) used(inst_.guard, mask_);
    if (text.opcode == "ld" || text.opcode == "st") {
      if (inst_.a != no_register) used(inst_.a, active_);
      if (text.has("param") && use_of(inst_).frame_param)
        return text.opcode == "ld" ? load_param() : store_param();
      if (text.opcode == "ld") written();
      return;
    }
    if (text.opcode == "shfl" && all_lanes_are_here()) return shuffle(text);
    if (text.opcode == "mov" && text.operands.front().kind == Operand::Kind::vector)
      return unpack(text);
    if (!computes) {
      used(uses.reads);
      return written();
    }
    compute(text);
  }

 private:
  /// What it writes is so, but where the handler of a load finds otherwise.
  void written() {
    for (const VectorRegister to : kernel_.dependences[at_].writes)
      followed_.forget(warp_.frame, to, active_);
  }

  void used(VectorRegister at, LaneMask lanes) {
    lanes &= followed_.lanes(warp_.frame, at);
    if (lanes == 0) return;
    const std::uint32_t lane = first_lane(lanes);
    const Held held = *followed_.find(warp_.frame, at, lane);
    warp_.grid->findings.uninitialized_read(thread_of(warp_, lane), held.read, inst_.source);
    followed_.forget(warp_.frame, at, lanes);
  }
  void used(const std::vector<VectorRegister>& reads) {
    for (const VectorRegister at : reads) used(at, active_);
  }

  /// The parts of a register, the lowest first, go to registers of their own.
  void unpack(const ptx::Instruction& text) {
    const Operand& parts = text.operands.front();
    const std::size_t bits = part_bits(text, parts.elements.size());
    const Source whole = source(text.operands.at(1));
    const LaneMask lanes = lanes_of(whole) & active_;
    std::array<Held, warp_size> of;
    for_followed(lanes, [&](std::uint32_t lane) { of[lane] = whole.held->of[lane]; });
    written();
    for (std::size_t i = 0; i < parts.elements.size(); ++i) {
      const VectorRegister to = register_of(parts.elements[i].index);
      if (to == no_register) continue;
      for_followed(lanes, [&](std::uint32_t lane) {
        Held part = of[lane];
        part.bits = part.bits >> bits * i & ((std::uint64_t{1} << bits) - 1);
        if (part.bits != 0) set(to, lane, part);
      });
    }
  }

  /// Whether those whom the mask of a .sync operation names have come at once.
  bool all_lanes_are_here() const {
    const auto* const members = vector_register<const LaneMask>(warp_.registers, inst_.d);
    return active_ != 0 && (members[first_lane(active_)] & warp_.live & ~active_) == 0;
  }

  /// What a lane gives matters where another one takes it. What nobody takes is thrown away, and what a
  /// lane gets from itself stays as it is.
  void shuffle(const ptx::Instruction& text) {
    for (const VectorRegister at : {inst_.b, inst_.c, inst_.d}) used(at, active_);
    const ShuffleMode mode = text.has("up")     ? up
                             : text.has("down") ? down
                             : text.has("bfly") ? bfly
                                                : idx;
    const auto* const distance = vector_register<const std::uint32_t>(warp_.registers, inst_.b);
    const auto* const clamp = vector_register<const std::uint32_t>(warp_.registers, inst_.c);
    LaneMask taken = 0, kept = 0;
    for_followed(active_, [&](std::uint32_t lane) {
      const std::uint32_t from = shuffle_source(mode, lane, distance[lane], clamp[lane]).lane;
      (from == lane ? kept : taken) |= 1u << from;
    });
    used(inst_.a, taken & active_);
    kept &= followed_.lanes(warp_.frame, inst_.a);
    std::array<Held, warp_size> own;
    for_followed(
        kept, [&](std::uint32_t lane) { own[lane] = *followed_.find(warp_.frame, inst_.a, lane); });
    written();
    for_followed(kept, [&](std::uint32_t lane) { set(inst_.dst, lane, std::optional(own[lane])); });
  }

  VectorRegister register_of(std::int32_t index) const {
    return index < 0 ? no_register : origin_.function->registers[static_cast<std::size_t>(index)];
  }

  /// An operand in all lanes.
  struct Source {
    const UnwrittenRegisters::Register* held = nullptr;  ///< null: all its bits are written
    const std::byte* values = nullptr;
    std::uint64_t immediate = 0;
    std::uint32_t bytes = 0;  ///< of a value; 0: a predicate
    bool negate = false;

    FollowedSource in(std::uint32_t lane) const {
      FollowedSource result{immediate, {}};
      if (bytes == 8)
        result.value = reinterpret_cast<const std::uint64_t*>(values)[lane];
      else if (bytes != 0)
        result.value = reinterpret_cast<const std::uint32_t*>(values)[lane];
      else if (values)
        result.value = (*reinterpret_cast<const LaneMask*>(values) >> lane & 1) ^ (negate ? 1 : 0);
      if (held && held->find(lane)) result.held = held->of[lane];
      return result;
    }
  };

  Source source(const Operand& operand) const {
    Source result;
    if (operand.kind == Operand::Kind::immediate) result.immediate = operand.bits;
    if (operand.kind != Operand::Kind::reg) return result;
    const VectorRegister at = register_of(operand.index);
    if (at == no_register) return result;
    const auto index = static_cast<std::size_t>(operand.index);
    const ptx::Type type = origin_.function->function->registers[index].type;
    result.held = followed_.find(warp_.frame, at);
    result.values = vector_register<const std::byte>(warp_.registers, at);
    if (type != ptx::Type::pred) result.bytes = ptx::size_of(type) == 8 ? 8 : 4;
    result.negate = operand.negate;
    return result;
  }

  /// Of the parts of a vector, the lowest first, as one.
  FollowedSource packed(const ptx::Instruction& text, const Operand& vector,
                        std::uint32_t lane) const {
    FollowedSource whole;
    const std::size_t bits = part_bits(text, vector.elements.size());
    for (std::size_t i = 0; i < vector.elements.size() && bits * i < 64; ++i) {
      const FollowedSource part = source(vector.elements[i]).in(lane);
      const std::uint64_t own = (std::uint64_t{1} << bits) - 1;
      if ((part.held.bits & own) == 0) continue;
      if (whole.held.bits == 0) whole.held.read = part.held.read;
      whole.held.treatment = std::max(whole.held.treatment, part.held.treatment);
      whole.held.bits |= (part.held.bits & own) << bits * i;
    }
    return whole;
  }

  static std::size_t part_bits(const ptx::Instruction& text, std::size_t count) {
    const std::size_t bytes = ptx::size_of(ptx::type_named(text.modifiers.back()));
    return std::min<std::size_t>(8 * bytes / std::max<std::size_t>(count, 1), 32);
  }

  /// What an instruction with this rule makes of `operands` in one lane.
  std::optional<Held> result_in(std::uint32_t lane, const ptx::Instruction& text, BitRule rule,
                                std::span<const Source> operands) const {
    if (rule == all_unwritten) {  // as most have it: the values do not matter
      for (const Source& one : operands) {
        if ((lanes_of(one) >> lane & 1) != 0)
          return Held{all_bits, Treatment::computed, one.held->of[lane].read};
      }
    }
    FollowedSource sources[most_sources];
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Operand& operand = text.operands[i + 1];
      sources[i] = operand.kind == Operand::Kind::vector ? packed(text, operand, lane)
                                                         : operands[i].in(lane);
      bits |= sources[i].held.bits;
    }
    return bits != 0 ? rule(text, std::span(sources, operands.size())) : std::nullopt;
  }

  void compute(const ptx::Instruction& text) {
    const LaneMask unsure =
        inst_.guard == no_register ? 0 : mask_ & followed_.lanes(warp_.frame, inst_.guard);
    const LaneMask sure = active_ & ~unsure;
    const std::size_t count = std::min(text.operands.size() - 1, most_sources);
    Source operands[most_sources];
    LaneMask unwritten = 0;  // lanes in which a source is
    for (std::size_t i = 0; i < count; ++i) {
      const Operand& operand = text.operands[i + 1];
      operands[i] = source(operand);
      unwritten |= lanes_of(operands[i]);
      for (const Operand& part : operand.elements) unwritten |= lanes_of(source(part));
    }
    const BitRule rule = bit_rule_of(text);
    std::array<Held, warp_size> results;
    LaneMask held = unsure;
    for_followed(unwritten & sure, [&](std::uint32_t lane) {
      const auto result = result_in(lane, text, rule, std::span(operands, count));
      if (!result) return;
      results[lane] = *result;
      held |= 1u << lane;
    });
    // Whether the result is the new or the old one hangs on what nobody has written.
    for_followed(unsure, [&](std::uint32_t lane) {
      results[lane] = {all_bits, Treatment::computed,
                       followed_.find(warp_.frame, inst_.guard, lane)->read};
    });
    for (const VectorRegister to : kernel_.dependences[at_].writes) {
      followed_.forget(warp_.frame, to, sure & ~held);
      if (held == 0) continue;
      auto& of = followed_.hold(warp_.frame, to, held);
      for_followed(held, [&](std::uint32_t lane) { of[lane] = results[lane]; });
    }
  }

  static LaneMask lanes_of(const Source& source) { return source.held ? source.held->lanes : 0; }

  void set(VectorRegister to, std::uint32_t lane, const std::optional<Held>& held) {
    if (held)
      followed_.hold(warp_.frame, to, lane, *held);
    else
      followed_.forget(warp_.frame, to, 1u << lane);
  }

  static UnwrittenRegisters::Place param(const Inst& inst, std::uint32_t byte) {
    return UnwrittenRegisters::byte_of_param(static_cast<std::uint32_t>(inst.imm) + byte);
  }

  void load_param() {
    for (std::uint32_t k = 0; k < inst_.count; ++k) {
      const VectorRegister to = use_of(inst_).registers[k];
      for_followed(active_, [&](std::uint32_t lane) {
        std::optional<Held> whole;
        for (std::uint32_t i = 0; i < inst_.width; ++i) {
          const Held* const byte =
              followed_.find(warp_.frame, param(inst_, k * inst_.width + i), lane);
          if (!byte) continue;
          if (!whole) whole = Held{0, byte->treatment, byte->read};
          whole->treatment = std::max(whole->treatment, byte->treatment);
          whole->bits |= byte->bits << 8 * i;
        }
        set(to, lane, whole);
      });
    }
  }

  void store_param() {
    for (std::uint32_t k = 0; k < inst_.count; ++k) {
      const VectorRegister from = use_of(inst_).registers[k];
      for_followed(active_, [&](std::uint32_t lane) {
        const Held* const found = followed_.find(warp_.frame, from, lane);
        const Held held = found ? *found : Held{};
        for (std::uint32_t i = 0; i < inst_.width; ++i) {
          Held byte = held;
          byte.bits = held.bits >> 8 * i & 0xff;
          const auto place = param(inst_, k * inst_.width + i);
          if (byte.bits != 0)
            followed_.hold(warp_.frame, place, lane, byte);
          else
            followed_.forget(warp_.frame, place, 1u << lane);
        }
      });
    }
  }

  Warp& warp_;
  UnwrittenRegisters& followed_;
  const KernelCode& kernel_;
  std::size_t at_;
  const Inst& inst_;
  const Origin& origin_;
  LaneMask mask_, active_;
};

/// Bytes of .param variables go from one activation to another.
void move_params(UnwrittenRegisters& followed, const Frame* from, std::uint32_t from_offset,
                 const Frame* to, std::uint32_t to_offset, std::uint32_t bytes, LaneMask lanes) {
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const auto source = UnwrittenRegisters::byte_of_param(from_offset + i);
    const auto target = UnwrittenRegisters::byte_of_param(to_offset + i);
    for_followed(lanes, [&](std::uint32_t lane) {
      const Held* const found = followed.find(from, source, lane);
      if (!found) return followed.forget(to, target, 1u << lane);
      const Held held = *found;
      followed.hold(to, target, lane, held);
    });
  }
}

}  // namespace

void follow(Warp& warp, std::int32_t pc, LaneMask mask, LaneMask active) {
  if (!warp.followed.empty()) Step(warp, pc, mask, active).take();
}

void follow_call(Warp& warp, const Inst& inst, std::int32_t pc) {
  UnwrittenRegisters& followed = warp.followed;
  const auto& site = *static_cast<const CallSite*>(inst.extra);
  const Frame* const caller = warp.frame;
  if (site.intrinsic) {
    const LaneMask lanes = warp.mask();
    for (const ParamCopy& argument : site.arguments) {
      for (std::uint32_t i = 0; followed.holds_params() && i < argument.bytes; ++i) {
        const auto place = UnwrittenRegisters::byte_of_param(argument.from + i);
        const LaneMask held = followed.lanes(caller, place) & lanes;
        if (held == 0) continue;
        const std::uint32_t lane = first_lane(held);
        const UnwrittenRead read = followed.find(caller, place, lane)->read;
        warp.grid->findings.uninitialized_read(thread_of(warp, lane), read, inst.source);
        followed.forget(caller, place, held);
      }
    }
    return call(warp, inst, pc);
  }
  call(warp, inst, pc);
  const WarpSplit& split = warp.splits[warp.current];
  followed.forget(split.frame, split.mask);
  if (!followed.holds_params()) return;
  const FunctionCode& callee = *split.frame->function;
  for (std::size_t i = 0; i < site.arguments.size(); ++i) {
    const ParamCopy& copy = site.arguments[i];
    const ParamSlot to = site.callee ? ParamSlot{copy.to, copy.bytes} : callee.parameters.at(i);
    move_params(followed, caller, copy.from, split.frame, to.offset, std::min(copy.bytes, to.bytes),
                split.mask);
  }
}

void follow_return(Warp& warp) {
  UnwrittenRegisters& followed = warp.followed;
  const Frame* const frame = warp.frame;
  const LaneMask lanes = warp.mask();
  if (frame->caller && followed.holds_params()) {
    const Inst& at = warp.grid->kernel.code[static_cast<std::size_t>(frame->return_to - 1)];
    const auto& site = *static_cast<const CallSite*>(at.extra);
    const FunctionCode& callee = *frame->function;
    for (std::size_t i = 0; i < site.results.size() && i < callee.results.size(); ++i) {
      const ParamSlot& from = callee.results[i];
      move_params(followed, frame, from.offset, frame->caller, site.results[i].from,
                  std::min(site.results[i].bytes, from.bytes), lanes);
    }
  }
  followed.forget(frame, lanes);
  return_from(warp);
}

}  // namespace gridstride::sim

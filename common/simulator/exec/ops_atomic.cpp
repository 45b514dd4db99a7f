// atom and red, in global, shared and generic memory.
//
// Lanes are served one after the other, lowest first; on the hardware their order is not defined.
#include <algorithm>
#include <bit>
#include <type_traits>

#include "common/simulator/exec/float_lanes.h"
#include "common/simulator/exec/memory_decode.h"
#include "common/simulator/exec/memory_places.h"
#include "common/simulator/exec/operands.h"

namespace gridstride::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

/// New value from the old one and the operands, all as bits.
using Combine = std::uint64_t (*)(std::uint64_t old, std::uint64_t b, std::uint64_t c);

/// `extra` of an atomic. Its first member is what use_of() sees.
struct AtomicUse {
  MemoryUse memory;
  Combine combine = nullptr;         ///< in shared memory
  Combine combine_global = nullptr;  ///< in global memory
  Row b = no_row, c = no_row;
  bool aggregates = false;    ///< one operation for the warp: uniform address, constant integer
  bool counts_lanes = false;  ///< shared memory adds the number of lanes at once
  bool is_float = false;
  bool loops = false;  ///< in shared memory a loop of comparisons and swaps
};
static_assert(std::is_standard_layout_v<AtomicUse>);

std::uint64_t bits_at(const Warp& warp, Row at, unsigned width, std::uint32_t lane) {
  if (at == no_row) return 0;
  return width == 8 ? row<const std::uint64_t>(warp.registers, at)[lane]
                    : row<const std::uint32_t>(warp.registers, at)[lane];
}

void count(Warp& warp, const Inst& inst, const AtomicUse& use, const MemoryPlaces& places) {
  GridRun& grid = *warp.grid;
  if (places.shared != 0) {
    const SharedCost cost = shared_atomic_cost(places.offsets, places.shared, use.counts_lanes);
    InstructionCounts& counts = grid.counts[inst.source];
    ++counts.shared_requests;
    counts.shared_wavefronts += cost.wavefronts;
    counts.shared_ideal += cost.ideal;
    warp.outcome.wavefronts = cost.wavefronts;
    if (cost.wavefronts > cost.ideal) {
      grid.note_pattern(inst, places.offsets, places.shared, cost.wavefronts, cost.ideal);
    }
    BlockOrder& order = warp.block->order;
    if (use.memory.releases) order.release(warp.index, use.memory.device_wide);
    order.acquire(warp.index, order.releases().latest());
    if (use.loops) {
      warp.outcome.swaps = most_on_one(places.offsets, places.shared);
      counts.shared_rounds += warp.outcome.swaps;
    }
    if (warp.block->races) {
      warp.block->races->atomic(warp.index, places.shared, places.offsets, inst.width, inst.source);
    }
  }
  if (places.global != 0) {
    grid.count_atomic(warp, inst, places.addresses, places.global, use.aggregates, use.is_float);
  }
}

void atomic(Warp& warp, const Inst& inst, LaneMask mask) {
  const auto& use = *static_cast<const AtomicUse*>(inst.extra);
  MemoryPlaces places;
  find_places(warp, inst, mask, inst.width, Access::atomic, places);
  count(warp, inst, use, places);
  note_poll(warp, use.memory);
  std::uint64_t changed = 0;
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::uint64_t old = 0;
    std::memcpy(&old, places.at[lane], inst.width);
    const Combine combine = (places.global >> lane & 1) != 0 ? use.combine_global : use.combine;
    const std::uint64_t value = combine(old, bits_at(warp, use.b, inst.width, lane),
                                        bits_at(warp, use.c, inst.width, lane));
    std::memcpy(places.at[lane], &value, inst.width);
    changed |= old ^ value;
    if (inst.dst == no_row) continue;
    if (inst.width == 8) {
      row<std::uint64_t>(warp.registers, inst.dst)[lane] = old;
    } else {
      row<std::uint32_t>(warp.registers, inst.dst)[lane] = static_cast<std::uint32_t>(old);
    }
  }
  if (changed != 0) ++warp.grid->atomic_changes;
}

/// Runs F on values of type T that travel as bits.
template <class T, class F>
std::uint64_t on(std::uint64_t old, std::uint64_t b, std::uint64_t) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const T result =
      F::apply(std::bit_cast<T>(static_cast<Bits>(old)), std::bit_cast<T>(static_cast<Bits>(b)));
  return std::bit_cast<Bits>(result);
}

struct Add {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return static_cast<T>(a + b);
    }
  }
};
/// Additions of floats in global memory are made in the L2, which takes subnormal numbers for
/// zeros; shared memory does not (PTX ISA, atom; seen on an H200).
struct AddInGlobal {
  static float apply(float a, float b) {
    return lanes::flushed(lanes::flushed(a) + lanes::flushed(b));
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return std::min(a, b);
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return std::max(a, b);
  }
};
struct And {
  template <class T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
struct Inc {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a >= b ? 0 : a + 1; }
};
struct Dec {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    return a == 0 || a > b ? b : a - 1;
  }
};
std::uint64_t exchange(std::uint64_t, std::uint64_t b, std::uint64_t) { return b; }
std::uint64_t compare_and_swap(std::uint64_t old, std::uint64_t b, std::uint64_t c) {
  return old == b ? c : old;
}

template <class F>
Combine integer(Type type) {
  switch (type) {
    case Type::u32:
      return on<std::uint32_t, F>;
    case Type::s32:
      return on<std::int32_t, F>;
    case Type::u64:
      return on<std::uint64_t, F>;
    case Type::s64:
      return on<std::int64_t, F>;
    default:
      return nullptr;
  }
}
template <class F>
Combine bitwise(Type type) {
  switch (type) {
    case Type::b32:
      return on<std::uint32_t, F>;
    case Type::b64:
      return on<std::uint64_t, F>;
    default:
      return nullptr;
  }
}

Combine add(Type type) {
  if (type == Type::f32) return on<float, Add>;
  if (type == Type::f64) return on<double, Add>;
  return integer<Add>(type);
}

bool is_bits(Type type) {
  return type == Type::b32 || type == Type::b64 || type == Type::u32 || type == Type::s32 ||
         type == Type::u64 || type == Type::s64;
}

/// Takes the operation and its type; null when it does not exist.
Combine take_operation(Modifiers& modifiers, Type& type, bool& is_add) {
  constexpr const char* names[] = {"add", "min", "max", "and",  "or",
                                   "xor", "inc", "dec", "exch", "cas"};
  std::string_view name;
  for (const char* candidate : names) {
    if (modifiers.take(candidate)) {
      name = candidate;
      break;
    }
  }
  type = modifiers.take_type();
  is_add = name == "add";
  if (name == "add") return add(type);
  if (name == "min") return integer<Min>(type);
  if (name == "max") return integer<Max>(type);
  if (name == "and") return bitwise<And>(type);
  if (name == "or") return bitwise<Or>(type);
  if (name == "xor") return bitwise<Xor>(type);
  if (name == "inc") return type == Type::u32 ? on<std::uint32_t, Inc> : nullptr;
  if (name == "dec") return type == Type::u32 ? on<std::uint32_t, Dec> : nullptr;
  if (name == "exch") return is_bits(type) ? exchange : nullptr;
  if (name == "cas") return is_bits(type) ? compare_and_swap : nullptr;
  return nullptr;
}

/// An operation that a warp can do among its lanes first: redux has it.
bool is_reduction(const Instruction& instruction) {
  for (const char* name : {"min", "max", "and", "or", "xor"}) {
    if (instruction.has(name)) return true;
  }
  return false;
}

bool decode(const Instruction& instruction, ProgramContext& context, Inst& out, bool has_result) {
  Modifiers modifiers(instruction);
  const Space space = take_space(modifiers);
  const bool known_space =
      space == Space::generic || space == Space::global || space == Space::shared;
  Type type{};
  bool is_add = false;
  auto* use = context.make<AtomicUse>();
  take_order(modifiers, use->memory);
  use->memory.kind = AccessStrength::strong;
  use->combine = take_operation(modifiers, type, is_add);
  use->combine_global = is_add && type == Type::f32 ? on<float, AddInGlobal> : use->combine;
  if (!use->combine || !known_space || !modifiers.done()) return false;
  const bool takes_two = use->combine == compare_and_swap;
  const std::size_t first = has_result ? 1 : 0;
  if (instruction.operands.size() != first + 2 + (takes_two ? 1 : 0)) return false;
  out.width = static_cast<std::uint8_t>(ptx::size_of(type));
  if (has_result && instruction.operands[0].kind != Operand::Kind::sink) {
    out.dst = context.destination(instruction.operands[0], type);
    if (context.row_bytes(instruction.operands[0], type) != out.width) return false;
  }
  MemoryOperand memory;
  if (!decode_address(context, instruction.operands[first], space, out, use->memory, memory)) {
    return false;
  }
  out.extra = use;
  const Operand& value = instruction.operands[first + 1];
  if (context.row_bytes(value, type) != out.width) return false;
  use->b = context.source(value, type);
  if (takes_two && !bind_source(instruction.operands[first + 2], type, context, use->c)) {
    return false;
  }
  const bool constant = value.kind == Operand::Kind::immediate && !value.is_float;
  const bool integer_add = is_add && type != Type::f32 && type != Type::f64;
  use->is_float = is_add && !integer_add;
  // ptxas adds up within the warp whatever 32-bit integers go to one address, and constants of any
  // width; of the other operations those whose result nobody asks for.
  const bool exchanges = use->combine == exchange || use->combine == compare_and_swap;
  const bool narrow = out.width == 4 && !use->is_float && !exchanges &&
                      (integer_add || (!has_result && is_reduction(instruction)));
  use->aggregates = memory.uniform && (narrow || (integer_add && constant));
  use->loops = !exchanges && (use->is_float || out.width == 8);
  use->counts_lanes = integer_add && constant && value.bits == 1 && out.width == 4;
  // The first two are what locks and queues are made of; the third only looks.
  const bool looks = has_result && constant && value.bits == 0;
  use->memory.polls = takes_two || use->combine == exchange || looks;
  out.handler = out.full_handler = atomic;
  return true;
}

bool decode_atom(const Instruction& instruction, DecodeContext& context, Inst& out) {
  return decode(instruction, static_cast<ProgramContext&>(context), out, true);
}
bool decode_red(const Instruction& instruction, DecodeContext& context, Inst& out) {
  return decode(instruction, static_cast<ProgramContext&>(context), out, false);
}

}  // namespace

std::span<const OpcodeEntry> atomic_opcodes() {
  static constexpr OpcodeEntry entries[] = {{"atom", decode_atom}, {"red", decode_red}};
  return entries;
}

}  // namespace gridstride::sim

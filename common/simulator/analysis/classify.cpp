// See classify.h.
#include "common/simulator/analysis/classify.h"

#include <cstdint>
#include <string>

#include "common/simulator/analysis/opcodes.h"
#include "common/simulator/analysis/sass_instructions.h"
#include "common/simulator/base/unsupported.h"

namespace gridstride::sim {

namespace {

using ptx::Type;

/// The last type that is written: cvt and set name the source last, all others have only one.
Type type_of(const ptx::Instruction& instruction) {
  Type type = Type::none;
  for (const std::string& modifier : instruction.modifiers)
    if (const Type named = ptx::type_named(modifier); named != Type::none) type = named;
  return type;
}

InstructionClass by_type(Type type, std::uint8_t operations) {
  const auto packed = static_cast<std::uint8_t>(2 * operations);
  switch (type) {
    case Type::f64:
      return {Unit::double_precision, Latency::double_precision, operations};
    case Type::f32:
    case Type::tf32:
    case Type::f16:
    case Type::bf16:
      return {Unit::single_precision, Latency::arithmetic, operations};
    case Type::f16x2:
    case Type::bf16x2:
      return {Unit::single_precision, Latency::arithmetic, packed};
    default:
      return {Unit::integer, Latency::arithmetic, 0};
  }
}

InstructionClass division(Type type) {
  InstructionClass result = by_type(type, 1);
  // Integer division is a subroutine built around a reciprocal, double division one around the
  // units for double precision.
  if (result.unit == Unit::single_precision) result.unit = Unit::special;
  if (result.unit != Unit::double_precision) result.latency = Latency::special;
  return result;
}

/// Between doubles and all else a conversion goes to the special units.
InstructionClass conversion(const ptx::Instruction& instruction) {
  int doubles = 0, types = 0;
  for (const std::string& modifier : instruction.modifiers) {
    const Type named = ptx::type_named(modifier);
    types += named != Type::none;
    doubles += named == Type::f64;
  }
  if (doubles != 0 && doubles != types) return {Unit::special, Latency::special, 0};
  return {Unit::move, doubles != 0 ? Latency::double_precision : Latency::arithmetic, 0};
}

bool is_shared(const ptx::Instruction& instruction) {
  return instruction.has("shared") || instruction.has("shared::cta") ||
         instruction.has("shared::cluster");
}

InstructionClass memory(const ptx::Instruction& instruction) {
  if (is_shared(instruction)) return {Unit::memory, Latency::shared, 0};
  // Kernel parameters are constants; those of functions are registers on the hardware.
  if (instruction.has("const") || instruction.has("param"))
    return {Unit::memory, Latency::constant, 0};
  const bool fetches = instruction.opcode == "tex" || instruction.opcode == "tld4";
  return {Unit::memory, fetches ? Latency::texture : Latency::global, 0};
}

/// Tensor cores have no unit of their own here: the slots that they take are those of the issue
/// (sass_instructions.h).
InstructionClass matrix(const ptx::Instruction& instruction) {
  const std::uint32_t multiplications = matrix_multiplications(instruction);
  if (multiplications == 0) return memory(instruction);
  const bool is_double = instruction.has("f64");
  const bool integers = instruction.has("s32");
  return {is_double  ? Unit::double_precision
          : integers ? Unit::integer
                     : Unit::single_precision,
          Latency::arithmetic,
          integers ? std::uint16_t{0} : static_cast<std::uint16_t>(multiplications * 2 / 32)};
}

InstructionClass class_of(const ptx::Instruction& instruction, OpcodeKind kind) {
  const Type type = type_of(instruction);
  switch (kind) {
    case OpcodeKind::arithmetic:
      return by_type(type, 1);
    case OpcodeKind::fused:
      return by_type(type, 2);
    case OpcodeKind::compare:
      return by_type(type, 0);
    case OpcodeKind::division:
      return division(type);
    case OpcodeKind::special:
      return {Unit::special, Latency::special, 1};
    case OpcodeKind::bits:
      return {Unit::integer, Latency::arithmetic, 0};
    case OpcodeKind::slow_bits:
      return {Unit::special, Latency::special, 0};
    case OpcodeKind::convert:
      return conversion(instruction);
    case OpcodeKind::move:
      return {Unit::move, Latency::arithmetic, 0};
    case OpcodeKind::memory:
      return memory(instruction);
    case OpcodeKind::atomic:
      return {Unit::atomic,
              is_shared(instruction) ? Latency::shared_atomic : Latency::global_atomic, 0};
    case OpcodeKind::warp:
    case OpcodeKind::shuffle:
      return {Unit::warp, Latency::shuffle, 0};
    case OpcodeKind::match:
      return {Unit::warp, Latency::match, 0};
    case OpcodeKind::barrier:
      return {Unit::barrier, Latency::barrier, 0};
    case OpcodeKind::product:
    case OpcodeKind::fragment:
      return matrix(instruction);
    case OpcodeKind::control:
    case OpcodeKind::branch:
    case OpcodeKind::table_branch:
      return {Unit::control, Latency::branch, 0};
  }
  return {};
}

bool reads_clock(const ptx::Instruction& instruction) {
  for (const ptx::Operand& operand : instruction.operands) {
    if (operand.kind == ptx::Operand::Kind::special &&
        (operand.name.starts_with("%clock") || operand.name.starts_with("%globaltimer"))) {
      return true;
    }
  }
  return false;
}

/// Divisions and roots that round as IEEE 754 wants, and those of 64 bits, look whether an operand
/// is one of the rare ones that need more, and branch. ptxas moves nothing over that.
bool is_subroutine(const ptx::Instruction& instruction, const Opcode& opcode) {
  if ((opcode.traits & trait::subroutine) == 0) return false;
  switch (type_of(instruction)) {
    case Type::f32:
      return !instruction.has("approx") && !instruction.has("full");
    case Type::f64:
      return !instruction.has("approx");
    default:
      return instruction.has("u64") || instruction.has("s64");
  }
}

/// The column `memory`, and for the fragments of wmma what their modifiers say.
MemoryEffect memory_effect(const ptx::Instruction& instruction, const Opcode& opcode) {
  if (opcode.memory != MemoryEffect::by_modifier) {
    // Of bulk copies some go the other way, from shared to global memory.
    return instruction.has("bulk_group") ? MemoryEffect::store : opcode.memory;
  }
  return instruction.has("store") ? MemoryEffect::store : MemoryEffect::load;
}

/// Of an atomic: what comes before or behind it in the program does so for other threads, too.
bool orders_others(const ptx::Instruction& instruction) {
  return instruction.has("acquire") || instruction.has("release") || instruction.has("acq_rel");
}

SchedulingConstraint scheduling_of(const ptx::Instruction& instruction, const Opcode& opcode,
                                   Unit unit) {
  if (is_subroutine(instruction, opcode)) return SchedulingConstraint::subroutine;
  if (reads_clock(instruction)) return SchedulingConstraint::fixed;
  if (unit == Unit::atomic && is_shared(instruction) && !orders_others(instruction)) {
    return SchedulingConstraint::store;
  }
  if (unit == Unit::atomic || unit == Unit::barrier || unit == Unit::control) {
    return SchedulingConstraint::fixed;
  }
  if (unit != Unit::memory) return SchedulingConstraint::free;
  for (const char* strong : {"volatile", "relaxed", "acquire", "release", "mmio"}) {
    if (instruction.has(strong)) return SchedulingConstraint::fixed;
  }
  switch (memory_effect(instruction, opcode)) {
    case MemoryEffect::load:
      return SchedulingConstraint::load;
    case MemoryEffect::store:
      return SchedulingConstraint::store;
    default:
      return SchedulingConstraint::fixed;
  }
}

CounterGroup counters_of(const ptx::Instruction& instruction, const Opcode& opcode) {
  // A branch without a guard has one way to go on.
  const bool parts = opcode.kind == OpcodeKind::table_branch ||
                     (opcode.kind == OpcodeKind::branch && instruction.guard >= 0);
  if (parts) return CounterGroup::branches;
  if (opcode.kind == OpcodeKind::shuffle) return CounterGroup::shuffles;
  switch (memory_effect(instruction, opcode)) {
    case MemoryEffect::store:
      return CounterGroup::stores;
    case MemoryEffect::atomic:
      return CounterGroup::atomics;
    case MemoryEffect::copy:
      return CounterGroup::copies;
    default:
      return CounterGroup::loads;
  }
}

/// How often the multipliers are taken: measured on an H200 (model/measure/arithmetic.csv), clocks of one
/// multiprocessor for each product of a warp: 0.54 of 32 bits, 1.00 of their upper half, 2.1 of 64 bits,
/// 4.4 of their upper half.
std::uint8_t product_slots(const ptx::Instruction& instruction, Type type) {
  const bool long_words = type == Type::u64 || type == Type::s64 || type == Type::b64;
  const bool high = instruction.has("hi");
  if (long_words) return high ? 9 : 4;
  return high || instruction.has("wide") ? 2 : 1;
}

void set_integer_slots(InstructionClass& result, const ptx::Instruction& instruction,
                       OpcodeKind kind, Type type) {
  if (result.unit == Unit::double_precision) return;
  // Predicates are combined by the comparison that makes one of them.
  if (instruction.has("pred")) return;
  const bool chooses = instruction.opcode == "selp";
  if (kind == OpcodeKind::bits || kind == OpcodeKind::compare || chooses) {
    result.logic_slots = result.sass_instructions;
  } else if (result.unit == Unit::integer &&
             (kind == OpcodeKind::arithmetic || kind == OpcodeKind::fused)) {
    const bool multiplies = instruction.opcode == "mul" || kind == OpcodeKind::fused;
    (multiplies ? result.product_slots : result.sum_slots) =
        multiplies ? product_slots(instruction, type) : result.sass_instructions;
  }
}

}  // namespace

InstructionClass classify(const ptx::Instruction& instruction) {
  const Opcode* opcode = find_opcode(instruction.opcode);
  if (!opcode) throw Unsupported(instruction.full_name());
  InstructionClass result = class_of(instruction, opcode->kind);
  result.sass_instructions = sass_instructions(instruction);
  set_integer_slots(result, instruction, opcode->kind, type_of(instruction));
  result.scheduling = scheduling_of(instruction, *opcode, result.unit);
  if (result.unit == Unit::special) {
    const bool rounds = result.scheduling == SchedulingConstraint::subroutine;
    result.special_slots = rounds && opcode->kind == OpcodeKind::division ? 2 : 1;
  }
  result.counters = counters_of(instruction, *opcode);
  return result;
}

}  // namespace gridstride::sim

// See classify.h.
#include "common/simulator/analysis/classify.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/simulator/analysis/sass_instructions.h"

namespace gridstride::sim {

namespace {

using ptx::Type;

enum class Kind : std::uint8_t {
  arithmetic,  ///< integer or float by type, one operation
  fused,       ///< the same, two operations
  division,
  special,
  bits,       ///< integer whatever the type says
  slow_bits,  ///< the same at the rate of special functions
  convert,
  compare,  ///< by the type of what is compared, no floating-point operation
  move,
  memory,
  atomic,
  warp,
  barrier,
  control,
  matrix,  ///< mma, wmma
};

const std::unordered_map<std::string_view, Kind>& kinds() {
  static const std::unordered_map<std::string_view, Kind> table{
      {"add", Kind::arithmetic},   {"sub", Kind::arithmetic},    {"mul", Kind::arithmetic},
      {"neg", Kind::compare},      {"abs", Kind::compare},       {"min", Kind::compare},
      {"max", Kind::compare},      {"copysign", Kind::compare},  {"testp", Kind::compare},
      {"setp", Kind::compare},     {"set", Kind::compare},       {"slct", Kind::compare},
      {"fma", Kind::fused},        {"mad", Kind::fused},         {"div", Kind::division},
      {"rem", Kind::division},     {"rcp", Kind::special},       {"sqrt", Kind::special},
      {"rsqrt", Kind::special},    {"sin", Kind::special},       {"cos", Kind::special},
      {"ex2", Kind::special},      {"lg2", Kind::special},       {"tanh", Kind::special},
      {"mov", Kind::move},         {"cvt", Kind::convert},       {"cvta", Kind::move},
      {"popc", Kind::slow_bits},   {"clz", Kind::slow_bits},     {"brev", Kind::slow_bits},
      {"bfind", Kind::slow_bits},  {"redux", Kind::slow_bits},   {"selp", Kind::move},
      {"isspacep", Kind::move},    {"mapa", Kind::move},         {"ld", Kind::memory},
      {"ldu", Kind::memory},       {"st", Kind::memory},         {"prefetch", Kind::memory},
      {"prefetchu", Kind::memory}, {"tex", Kind::memory},        {"tld4", Kind::memory},
      {"suld", Kind::memory},      {"sust", Kind::memory},       {"sured", Kind::memory},
      {"txq", Kind::memory},       {"suq", Kind::memory},        {"membar", Kind::memory},
      {"fence", Kind::memory},     {"cp", Kind::memory},         {"atom", Kind::atomic},
      {"red", Kind::atomic},       {"shfl", Kind::warp},         {"vote", Kind::warp},
      {"match", Kind::warp},       {"activemask", Kind::warp},   {"elect", Kind::warp},
      {"bar", Kind::barrier},      {"barrier", Kind::barrier},   {"mbarrier", Kind::barrier},
      {"bra", Kind::control},      {"brx", Kind::control},       {"call", Kind::control},
      {"ret", Kind::control},      {"exit", Kind::control},      {"trap", Kind::control},
      {"brkpt", Kind::control},    {"nanosleep", Kind::control}, {"mma", Kind::matrix},
      {"wmma", Kind::matrix},      {"ldmatrix", Kind::memory},   {"stmatrix", Kind::memory},
      {"movmatrix", Kind::warp},
  };
  return table;
}

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
  // Integer division is a routine built around a reciprocal, double division one around the units
  // for double precision.
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
  return {Unit::memory, Latency::global, 0};
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

InstructionClass class_of(const ptx::Instruction& instruction) {
  const auto known = kinds().find(instruction.opcode);
  const Type type = type_of(instruction);
  switch (known == kinds().end() ? Kind::bits : known->second) {
    case Kind::arithmetic:
      return by_type(type, 1);
    case Kind::fused:
      return by_type(type, 2);
    case Kind::compare:
      return by_type(type, 0);
    case Kind::division:
      return division(type);
    case Kind::special:
      return {Unit::special, Latency::special, 1};
    case Kind::bits:
      return {Unit::integer, Latency::arithmetic, 0};
    case Kind::slow_bits:
      return {Unit::special, Latency::special, 0};
    case Kind::convert:
      return conversion(instruction);
    case Kind::move:
      return {Unit::move, Latency::arithmetic, 0};
    case Kind::memory:
      return memory(instruction);
    case Kind::atomic:
      return {Unit::atomic,
              is_shared(instruction) ? Latency::shared_atomic : Latency::global_atomic, 0};
    case Kind::warp:
      return {Unit::warp, instruction.opcode == "match" ? Latency::match : Latency::shuffle, 0};
    case Kind::barrier:
      return {Unit::barrier, Latency::barrier, 0};
    case Kind::matrix:
      return matrix(instruction);
    case Kind::control:
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
bool is_routine(const ptx::Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  if (opcode != "div" && opcode != "rem" && opcode != "rcp" && opcode != "sqrt") return false;
  switch (type_of(instruction)) {
    case Type::f32:
      return !instruction.has("approx") && !instruction.has("full");
    case Type::f64:
      return !instruction.has("approx");
    default:
      return instruction.has("u64") || instruction.has("s64");
  }
}

Motion motion_of(const ptx::Instruction& instruction, Unit unit) {
  if (is_routine(instruction)) return Motion::routine;
  if (reads_clock(instruction)) return Motion::fixed;
  if (unit == Unit::atomic || unit == Unit::barrier || unit == Unit::control) return Motion::fixed;
  if (unit != Unit::memory) return Motion::free;
  for (const char* strong : {"volatile", "relaxed", "acquire", "release", "mmio"}) {
    if (instruction.has(strong)) return Motion::fixed;
  }
  const bool matrix = instruction.opcode == "wmma";
  if (instruction.opcode == "st" || instruction.opcode == "sust" ||
      instruction.opcode == "stmatrix" || (matrix && instruction.has("store"))) {
    return Motion::store;
  }
  const bool loads = instruction.opcode == "ld" || instruction.opcode == "ldu" ||
                     instruction.opcode == "tex" || instruction.opcode == "tld4" ||
                     instruction.opcode == "suld" || instruction.opcode == "ldmatrix" || matrix;
  return loads ? Motion::load : Motion::fixed;
}

}  // namespace

InstructionClass classify(const ptx::Instruction& instruction) {
  InstructionClass result = class_of(instruction);
  result.machine_instructions = machine_instructions(instruction);
  result.motion = motion_of(instruction, result.unit);
  return result;
}

}  // namespace gridstride::sim

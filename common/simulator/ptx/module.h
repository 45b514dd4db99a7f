// The PTX of one module as the parser leaves it: names resolved to indices, nothing interpreted.
//
// The parser (parser.h) produces it, the linker (linker.h) joins several, and decode/decode.h turns
// each instruction into one that runs. Opcodes and modifiers stay text here, so that the parser
// need not know what an opcode means: that is said in analysis/opcodes.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/simulator/debug_info/debug_info.h"

namespace gridstride::sim::ptx {

/// A PTX fundamental type. `pred` holds one bit a lane.
enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f64,
  e4m3x2,
  e5m2x2,
};

/// Width in bytes of one value; 0 for `none` and `pred`.
std::size_t size_of(Type type);
/// The type that a modifier such as "u32" names, or `none`.
Type type_named(std::string_view name);
const char* name_of(Type type);

/// State spaces in which variables live.
enum class Space : std::uint8_t { generic, global, shared, constant, local, param };
const char* name_of(Space space);

/// Where a source line stands. `.loc` gives file and line; inlined code has the place it was
/// inlined at, which is followed outwards so that `line` is in the code that the user wrote
/// (the outermost entry of the chain). `inner_*` is the line before following, 0 if the same.
struct Location {
  std::uint32_t file = 0;  ///< index into Module::files; 0 means unknown
  std::uint32_t line = 0;
  std::uint32_t inner_file = 0;
  std::uint32_t inner_line = 0;
  std::uint32_t own_line = 0;  ///< the innermost line of the chain that is in `file`
  /// Of inlined code, where the innermost line was called: an index of Function::calls plus one; 0
  /// where `line` is all there is.
  std::uint32_t call = 0;
  bool operator==(const Location&) const = default;
};

/// A place that calls inlined code.
struct InlinedCall {
  std::uint32_t file = 0;  ///< index into Module::files; 0 means unknown
  std::uint32_t line = 0;
  /// Where this place itself was called, see Location; always an earlier one.
  std::uint32_t call = 0;
  bool of_toolkit =
      false;  ///< calls a function of the toolkit, which was expanded (toolkit_calls.h)
};

/// The innermost line in `file` of a place and those that led to it: its own, that of its call, of
/// the call of that …; 0 when none is. `calls` are the function's.
std::uint32_t innermost_line_in(std::uint32_t file, InlinedCall place,
                                const std::vector<InlinedCall>& calls);

/// One operand of an instruction.
struct Operand {
  enum class Kind : std::uint8_t {
    reg,        ///< `index` in Function::registers; `negate` for !%p
    immediate,  ///< `bits`: integers sign-extended to 64 bits, 0f…/0d… as their raw bits
    special,    ///< special register: `name` as written, e.g. "%tid.x", "%laneid"
    symbol,     ///< address of a variable or function: `name`, `offset`
    address,    ///< [base + offset]; `base` is a reg (index), a symbol (name) or neither (absolute)
    vector,     ///< {a, b, …} in `elements`
    label,      ///< branch target: `index` of the instruction it stands before
    sink,       ///< `_`
  };
  Kind kind = Kind::sink;
  bool negate = false;           ///< !%p, or arithmetic minus before a register
  bool is_float = false;         ///< immediate written as 0f…, 0d… or a decimal fraction
  std::uint8_t float_bytes = 0;  ///< 4 for 0f…, 8 for 0d… and decimal fractions
  std::int32_t index = -1;
  std::int64_t offset = 0;
  std::uint64_t bits = 0;
  std::string name;
  std::vector<Operand> elements;
  std::int32_t second_index = -1;  ///< the predicate q of a destination pair r|q, else -1
};

/// One instruction, e.g. `@!%p1 ld.global.nc.v4.f32 {…}, [%rd1+16];`
///
/// The operands of a call always read (results), function, (arguments)[, prototype or targets]: two
/// vectors, empty where nothing was written, of symbols that name .param variables; the function is
/// a symbol, or a register when indirect. The last operand of `brx.idx` is a symbol that names an
/// entry of Function::targets; that of an indirect call names a prototype (or call targets). An
/// address of a texture `[t, {x, y}]` has its coordinates in `elements`.
struct Instruction {
  std::string opcode;                  ///< "ld"
  std::vector<std::string> modifiers;  ///< {"global","nc","v4","f32"}, in the order written
  std::int32_t guard = -1;             ///< guard predicate register, or -1
  bool guard_negated = false;
  bool not_unrolled = false;  ///< .pragma "nounroll" stands before it: of a loop that begins here
  std::vector<Operand> operands;  ///< in the order written, destination first
  Location location;
  std::uint32_t ptx_line = 0;  ///< line in the PTX text, for messages
  /// "ld.global.nc.v4.f32", for messages.
  std::string full_name() const;
  bool has(std::string_view modifier) const {
    for (const std::string& one : modifiers) {
      if (one == modifier) return true;
    }
    return false;
  }
};

struct Register {
  std::string name;  ///< "%r1"
  Type type = Type::none;
};

/// A variable in global, shared, constant or local space, or a kernel/function parameter.
struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::b8;     ///< element type
  std::uint32_t align = 1;  ///< bytes
  std::uint64_t size = 0;   ///< bytes in all; 0 for an extern array of unknown size
  bool is_extern = false;   ///< declared here, defined elsewhere (or dynamic shared memory)
  bool is_visible = false;  ///< .visible or .weak: other modules may name it
  bool is_weak = false;
  bool is_managed = false;
  std::vector<std::uint8_t> initial;  ///< empty (zeros) or `size` bytes
  /// Places in `initial` to be filled with the address of a symbol: 8 bytes at `at`.
  struct Relocation {
    std::uint64_t at = 0;
    std::string symbol;
    std::int64_t addend = 0;
    bool generic = true;  ///< generic(symbol) or, for global symbols, the same thing
  };
  std::vector<Relocation> relocations;
};

/// A kernel (`.entry`) or device function (`.func`).
struct Function {
  std::string name;
  bool is_kernel = false;
  bool is_extern = false;  ///< declared only
  bool is_visible = false;
  bool is_weak = false;
  std::vector<Variable> parameters;  ///< in order; for .func also in `.param` space
  std::vector<Variable> results;     ///< return parameters of a .func
  /// .shared/.local/.param variables declared in the body, names unique in the function: one of a
  /// nested block that is shadowed elsewhere is called "name#1" here and in operands.
  std::vector<Variable> variables;
  std::vector<Register> registers;
  /// Empty only when declared but not defined; ends with a `ret`, so a label always stands before
  /// an instruction.
  std::vector<Instruction> body;
  /// .branchtargets and .calltargets lists by label: indices of instructions, or names.
  struct Targets {
    std::string label;
    std::vector<std::string> names;
    std::vector<std::int32_t> instructions;
  };
  std::vector<Targets> targets;
  /// .callprototype declarations, by label: what an indirect call passes and returns.
  struct Prototype {
    std::string label;
    std::vector<Variable> results;
    std::vector<Variable> parameters;
  };
  std::vector<Prototype> prototypes;
  std::uint32_t max_threads = 0;  ///< .maxntid product, 0 if absent
  std::uint32_t min_blocks = 0;   ///< .minnctapersm, 0 if absent
  /// .reqnctapercluster product: blocks of a cluster that each launch has; 0 if absent.
  std::uint32_t cluster_blocks = 0;
  /// A directive that the parser does not know, ".maxfoo"; else empty. What it means is unknown, so
  /// the function cannot run, but others of the module can.
  std::string unknown_directive;
  Location location;
  std::vector<InlinedCall> calls;  ///< what Location::call refers to
  /// With nvcc -G: the source's variables, where instructions are numbered as in `body` and symbols
  /// have the names that they have in operands, and the types that those number.
  std::vector<DebugVariable> source_variables;
  std::shared_ptr<const std::vector<SourceType>> source_types;
};

/// One PTX module.
struct Module {
  std::uint32_t version = 0;       ///< 90 for .version 9.0
  std::string target;              ///< "sm_75"
  std::vector<std::string> files;  ///< .file table; [0] is ""
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

}  // namespace gridstride::sim::ptx

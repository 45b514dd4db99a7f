// See the header. What is not looked at closely makes all of its result unwritten.
#include "common/simulator/exec/unwritten/unwritten_bits.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "common/simulator/analysis/opcodes.h"

namespace gridstride::sim {
namespace {

using Held = UnwrittenRegisters::Held;
using Sources = std::span<const FollowedSource>;

std::uint64_t low_bits(std::uint64_t count) {
  return count >= 64 ? all_bits : (std::uint64_t{1} << count) - 1;
}

/// Bits of a type; 1 of a predicate, 0 when it is none.
unsigned bits_of(const std::string& modifier) {
  const ptx::Type type = ptx::type_named(modifier);
  return type == ptx::Type::pred ? 1 : static_cast<unsigned>(8 * ptx::size_of(type));
}

bool is_integer(const std::string& modifier) {
  return bits_of(modifier) != 0 &&
         (modifier[0] == 'u' || modifier[0] == 's' || modifier[0] == 'b') && modifier[1] != 'f';
}

bool is_whole_bytes(std::uint64_t bits) {
  for (unsigned i = 0; i < 64; i += 8) {
    const std::uint64_t byte = bits >> i & 0xff;
    if (byte != 0 && byte != 0xff) return false;
  }
  return true;
}

/// The first source with unwritten bits, with the harshest treatment of all that have some.
Held joined(Sources sources) {
  Held result;
  for (const FollowedSource& source : sources) {
    if (source.held.bits == 0) continue;
    if (result.bits == 0) result.read = source.held.read;
    result.bits |= source.held.bits;
    result.treatment = std::max(result.treatment, source.held.treatment);
  }
  return result;
}

std::optional<Held> with_bits(Held held, std::uint64_t bits) {
  if (bits == 0) return std::nullopt;
  held.bits = bits;
  return held;
}

std::optional<Held> computed(Sources sources, std::uint64_t bits = all_bits) {
  Held held = joined(sources);
  held.treatment = Treatment::computed;
  return with_bits(held, bits);
}

/// Of a sum, a difference or a product: the lowest unwritten bit and all above it.
std::optional<Held> carried(const ptx::Instruction&, Sources sources) {
  const std::uint64_t bits = joined(sources).bits;
  return computed(sources, all_bits << std::countr_zero(bits));
}

std::optional<Held> of_logic(const ptx::Instruction& logic, Sources sources) {
  const std::string &opcode = logic.opcode, &type = logic.modifiers.back();
  const FollowedSource &a = sources[0], &b = sources[1];
  const std::uint64_t ua = a.held.bits, ub = b.held.bits, own = low_bits(bits_of(type));
  std::uint64_t bits = ua | ub;
  // A written 0 decides a conjunction, a written 1 a disjunction.
  if (opcode == "and") bits = (ua & ub) | (ua & b.value) | (ub & a.value);
  if (opcode == "or") bits = (ua & ub) | (ua & ~b.value) | (ub & ~a.value);
  bits &= own;
  Held held = joined(sources);
  if (bits_of(type) == 1 || opcode == "xor") {
    held.treatment = Treatment::computed;
  } else if (opcode == "and") {
    if (!is_whole_bytes(bits)) held.treatment = std::max(held.treatment, Treatment::masked);
  } else if ((held.treatment == Treatment::masked || held.treatment == Treatment::set_in) &&
             (ua == 0 || ub == 0)) {
    held.treatment = Treatment::set_in;
  } else if (!is_whole_bytes(bits)) {
    held.treatment = std::max(held.treatment, Treatment::masked);
  }
  return with_bits(held, bits);
}

std::optional<Held> of_shift(const ptx::Instruction& shift, Sources sources) {
  const std::string& type = shift.modifiers.back();
  const unsigned width = bits_of(type);
  if (sources[1].held.bits != 0) return computed(sources);
  const std::uint64_t by = sources[1].value & 0xffffffff, own = low_bits(width);
  std::uint64_t bits = sources[0].held.bits & own;
  const bool copies_sign =
      shift.opcode == "shr" && type[0] == 's' && (bits >> (width - 1) & 1) != 0;
  if (by >= width) {
    bits = copies_sign ? own : 0;
  } else if (shift.opcode == "shl") {
    bits = bits << by & own;
  } else {
    bits >>= by;
    if (copies_sign) bits |= own & ~(own >> by);
  }
  Held held = joined(sources);
  if (by % 8 != 0 || copies_sign) held.treatment = std::max(held.treatment, Treatment::masked);
  return with_bits(held, bits);
}

std::optional<Held> of_conversion(const ptx::Instruction& cvt, Sources sources) {
  if (cvt.modifiers.size() != 2 || !is_integer(cvt.modifiers[0]) || !is_integer(cvt.modifiers[1]))
    return computed(sources);
  const unsigned to = bits_of(cvt.modifiers[0]), from = bits_of(cvt.modifiers[1]);
  std::uint64_t bits = sources[0].held.bits & low_bits(from);
  Held held = joined(sources);
  if (to > from && cvt.modifiers[1][0] == 's' && (bits >> (from - 1) & 1) != 0) {
    bits |= all_bits << from;
    held.treatment = Treatment::computed;
  }
  return with_bits(held, bits & low_bits(to));
}

std::optional<Held> of_inserted_field(const ptx::Instruction& bfi, Sources sources) {
  if (sources[2].held.bits != 0 || sources[3].held.bits != 0) return computed(sources);
  const std::uint64_t at = sources[2].value & 0xff, length = sources[3].value & 0xff;
  const std::uint64_t field = at >= 64 ? 0 : low_bits(length) << at;
  const std::uint64_t inserted = at >= 64 ? 0 : sources[0].held.bits << at & field;
  Held held = joined(sources);
  if (!is_whole_bytes(field)) held.treatment = std::max(held.treatment, Treatment::set_in);
  return with_bits(
      held, (inserted | (sources[1].held.bits & ~field)) & low_bits(bits_of(bfi.modifiers.back())));
}

std::optional<Held> of_permuted_bytes(const ptx::Instruction& prmt, Sources sources) {
  if (prmt.modifiers.size() != 1 || sources[2].held.bits != 0) return computed(sources);
  const std::uint64_t both = (sources[0].held.bits & 0xffffffff) | sources[1].held.bits << 32;
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint64_t select = sources[2].value >> 4 * i & 0xf;
    std::uint64_t byte = both >> 8 * (select & 7) & 0xff;
    if ((select & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;  // its sign
    bits |= byte << 8 * i;
  }
  return with_bits(joined(sources), bits);
}

std::optional<Held> of_move(const ptx::Instruction&, Sources sources) {
  return with_bits(sources[0].held, sources[0].held.bits);
}

std::optional<Held> of_negation(const ptx::Instruction&, Sources sources) {
  return computed(sources, sources[0].held.bits);
}

std::optional<Held> of_selection(const ptx::Instruction&, Sources sources) {
  if (sources[2].held.bits != 0) return computed(sources);
  const Held& held = sources[(sources[2].value & 1) != 0 ? 0 : 1].held;
  return held.bits != 0 ? std::optional(held) : std::nullopt;
}

std::optional<Held> of_comparison(const ptx::Instruction& setp, Sources sources) {
  const std::string& type = setp.modifiers.back();
  const std::uint64_t own = low_bits(bits_of(type));
  const std::uint64_t unwritten = (sources[0].held.bits | sources[1].held.bits) & own;
  const bool joins = sources.size() == 3;  // with a further predicate
  const bool further = joins && sources[2].held.bits != 0;
  if (unwritten == 0 && !further) return std::nullopt;
  // Where a written bit differs the whole is not equal.
  const bool is_equality = is_integer(type) && (setp.has("eq") || setp.has("ne"));
  if (!joins && is_equality && ((sources[0].value ^ sources[1].value) & own & ~unwritten) != 0)
    return std::nullopt;
  if (joins && !further && setp.has("and") && (sources[2].value & 1) == 0) return std::nullopt;
  if (joins && !further && setp.has("or") && (sources[2].value & 1) != 0) return std::nullopt;
  return computed(sources);
}

}  // namespace

bool computes_by_lane(const ptx::Instruction& instruction) {
  const Opcode* const opcode = find_opcode(instruction.opcode);
  if (!opcode || opcode->result != Result::first || instruction.operands.empty()) return false;
  if ((opcode->traits & (trait::consumes | trait::by_lane | trait::whole_warp)) != 0) return false;
  switch (opcode->kind) {
    case OpcodeKind::arithmetic:
    case OpcodeKind::fused:
    case OpcodeKind::division:
    case OpcodeKind::special:
    case OpcodeKind::bits:
    case OpcodeKind::slow_bits:
    case OpcodeKind::convert:
    case OpcodeKind::compare:
    case OpcodeKind::move:
      return instruction.operands[0].kind == ptx::Operand::Kind::reg &&
             instruction.opcode != "alloca";
    default:
      return false;
  }
}

std::optional<Held> all_unwritten(const ptx::Instruction&, Sources sources) {
  return computed(sources);
}

BitRule bit_rule_of(const ptx::Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  const std::size_t count = instruction.operands.size() - 1;
  if (instruction.modifiers.empty() || count == 0) return all_unwritten;
  const std::string& type = instruction.modifiers.back();
  if (opcode == "mov" && count == 1) return of_move;
  if (opcode == "selp" && count == 3) return of_selection;
  if (opcode == "setp" && count >= 2 && bits_of(type) != 0) return of_comparison;
  if ((opcode == "and" || opcode == "or" || opcode == "xor") && count == 2) return of_logic;
  if (opcode == "not" && count == 1) return of_negation;
  if ((opcode == "shl" || opcode == "shr") && count == 2 && bits_of(type) != 0) return of_shift;
  if (opcode == "bfi" && count == 4) return of_inserted_field;
  if (opcode == "prmt" && count == 3) return of_permuted_bytes;
  if (opcode == "cvt" && count == 1) return of_conversion;
  const bool adds = opcode == "add" || opcode == "sub" || opcode == "mul" || opcode == "mad";
  if (adds && is_integer(type) && !instruction.has("hi") && !instruction.has("sat")) return carried;
  return all_unwritten;
}

}  // namespace gridstride::sim

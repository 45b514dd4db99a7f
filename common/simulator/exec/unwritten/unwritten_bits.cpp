// See the header. What is not looked at closely makes all of its result unwritten.
#include "common/simulator/exec/unwritten/unwritten_bits.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

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

/// What a source is without its unwritten bits, and with all of them set.
std::uint64_t least(const FollowedSource& source) { return source.value & ~source.held.bits; }
std::uint64_t most(const FollowedSource& source) { return source.value | source.held.bits; }

/// A sum or a difference: the sources' own bits, and where carries may come or not.
std::uint64_t bits_of_sum(const FollowedSource& a, const FollowedSource& b, bool subtracts) {
  const std::uint64_t low = subtracts ? least(a) - most(b) : least(a) + least(b);
  const std::uint64_t high = subtracts ? most(a) - least(b) : most(a) + most(b);
  return a.held.bits | b.held.bits | (low ^ high);
}

/// A product: the lowest bit that an unwritten one changes, and all above it.
FollowedSource product(const FollowedSource& a, const FollowedSource& b) {
  std::uint64_t bits = 0;
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const std::uint64_t factor = most(*other);
    if (one->held.bits == 0 || factor == 0) continue;
    const int lowest = std::countr_zero(one->held.bits) + std::countr_zero(factor);
    if (lowest < 64) bits |= all_bits << lowest;
  }
  FollowedSource result{least(a) * least(b), {}};
  result.held.bits = bits;
  return result;
}

/// The source as a number of `width` bits.
FollowedSource narrowed(FollowedSource source, unsigned width) {
  source.held.bits &= low_bits(width);
  source.value &= low_bits(width);
  return source;
}

std::optional<Held> of_sum(const ptx::Instruction& sum, Sources sources) {
  const unsigned width = bits_of(sum.modifiers.back());
  const bool wide = sum.has("wide");
  const FollowedSource a = narrowed(sources[0], width), b = narrowed(sources[1], width);
  std::uint64_t bits = 0;
  if (sum.opcode == "add" || sum.opcode == "sub") {
    bits = bits_of_sum(a, b, sum.opcode == "sub");
  } else {
    // Signs are extended as far as anything is looked at.
    const bool widens_signs = wide && sum.modifiers.back()[0] == 's';
    FollowedSource result = product(a, b);
    if (widens_signs) {
      const std::uint64_t any = a.held.bits | b.held.bits;
      result.held.bits = any == 0 ? 0 : all_bits << std::countr_zero(any);
      result.value = 0;
    }
    bits = result.held.bits;
    if (sum.opcode == "mad") {
      const FollowedSource c = narrowed(sources[2], wide ? 2 * width : width);
      const std::uint64_t any = bits | c.held.bits;
      bits = widens_signs && any != 0 ? all_bits << std::countr_zero(any)
                                      : bits_of_sum(result, c, false);
    }
  }
  return computed(sources, bits & low_bits(wide ? 2 * width : width));
}

std::optional<Held> of_negative(const ptx::Instruction& neg, Sources sources) {
  const unsigned width = bits_of(neg.modifiers.back());
  const std::uint64_t bits = sources[0].held.bits & low_bits(width);
  return computed(sources, bits == 0 ? 0 : all_bits << std::countr_zero(bits) & low_bits(width));
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

constexpr std::uint64_t low_half = 0xffff, high_half = low_half << 16;

/// Two numbers of 16 bits in a word, which are computed apart: each half of the result is that of the sources.
std::optional<Held> of_pairs(const ptx::Instruction&, Sources sources) {
  const std::uint64_t any = joined(sources).bits;
  return computed(
      sources, ((any & low_half) != 0 ? low_half : 0) | ((any & high_half) != 0 ? high_half : 0));
}

/// cvt of two numbers to such a pair: the first one is the high half.
std::optional<Held> of_made_pair(const ptx::Instruction&, Sources sources) {
  return computed(sources, (sources[0].held.bits != 0 ? high_half : 0) |
                               (sources[1].held.bits != 0 ? low_half : 0));
}

bool is_pair_of_16_bits(const std::string& type) {
  return type == "f16x2" || type == "bf16x2" || type == "u16x2" || type == "s16x2";
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

std::optional<Held> of_field(const ptx::Instruction& bfe, Sources sources) {
  if (sources[1].held.bits != 0 || sources[2].held.bits != 0) return computed(sources);
  const std::string& type = bfe.modifiers.back();
  const std::uint64_t width = bits_of(type), at = sources[1].value & 0xff,
                      length = sources[2].value & 0xff;
  const std::uint64_t whole = sources[0].held.bits & low_bits(width);
  std::uint64_t bits = at >= 64 ? 0 : whole >> at & low_bits(length);
  Held held = joined(sources);
  if (at % 8 != 0 || length % 8 != 0) held.treatment = std::max(held.treatment, Treatment::masked);
  if (type[0] == 's' && length != 0 && at + length != at) {
    const std::uint64_t sign = std::min(at + length, width) - 1;
    if ((whole >> sign & 1) != 0) {
      bits |= low_bits(width) & ~low_bits(sign >= at ? sign - at : 0);
      held.treatment = Treatment::computed;
    }
  }
  return with_bits(held, bits);
}

/// shf: 32 bits out of two words.
std::optional<Held> of_funnel(const ptx::Instruction& shf, Sources sources) {
  if (sources[2].held.bits != 0) return computed(sources);
  const std::uint64_t amount = sources[2].value & 0xffffffff;
  const std::uint64_t by = shf.has("clamp") ? std::min<std::uint64_t>(amount, 32) : amount & 31;
  const std::uint64_t both = (sources[0].held.bits & low_bits(32)) | sources[1].held.bits << 32;
  Held held = joined(sources);
  if (by % 8 != 0) held.treatment = std::max(held.treatment, Treatment::masked);
  return with_bits(held, (shf.has("l") ? (by == 0 ? both >> 32 : both >> (32 - by)) : both >> by) &
                             low_bits(32));
}

/// lop3: a bit is unwritten where the table has both answers for what its three bits may be.
std::optional<Held> of_table(const ptx::Instruction&, Sources sources) {
  std::uint64_t may_be[2] = {0, 0};
  for (unsigned i = 0; i < 8; ++i) {
    std::uint64_t can = low_bits(32);
    for (unsigned k = 0; k < 3; ++k) {
      const FollowedSource& source = sources[k];
      can &= ((i >> (2 - k) & 1) != 0 ? source.value : ~source.value) | source.held.bits;
    }
    may_be[sources[3].value >> i & 1] |= can;
  }
  Held held = joined(sources);
  const std::uint64_t bits = may_be[0] & may_be[1];
  held.treatment =
      is_whole_bytes(bits) ? held.treatment : std::max(held.treatment, Treatment::masked);
  std::uint64_t plain = 0;  // where the answer is an unwritten bit as it is
  for (unsigned k = 0; k < 3; ++k) {
    const auto table = static_cast<std::uint64_t>(sources[3].value & 0xff);
    std::uint64_t moved = bits & sources[k].held.bits;
    for (unsigned i = 0; i < 8; ++i) {
      std::uint64_t can = low_bits(32);
      for (unsigned n = 0; n < 3; ++n)
        can &=
            ((i >> (2 - n) & 1) != 0 ? sources[n].value : ~sources[n].value) | sources[n].held.bits;
      if ((table >> i & 1) != (i >> (2 - k) & 1)) moved &= ~can;
    }
    plain |= moved;
  }
  if ((bits & ~plain) != 0) held.treatment = Treatment::computed;
  return with_bits(held, bits);
}

std::optional<Held> of_reversal(const ptx::Instruction& brev, Sources sources) {
  const unsigned width = bits_of(brev.modifiers.back());
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < width; ++i) {
    if ((sources[0].held.bits >> i & 1) != 0) bits |= std::uint64_t{1} << (width - 1 - i);
  }
  return computed(sources, bits);
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
  const FollowedSource &a = sources[0], &b = sources[1];
  // Whichever is taken, where they are the same so is what is got.
  if (sources[2].held.bits != 0)
    return computed(sources, (a.value ^ b.value) | a.held.bits | b.held.bits);
  const Held& held = sources[(sources[2].value & 1) != 0 ? 0 : 1].held;
  return held.bits != 0 ? std::optional(held) : std::nullopt;
}

/// The answer of a comparison of integers, where the unwritten bits leave one.
std::optional<bool> decided(const ptx::Instruction& setp, const FollowedSource& one,
                            const FollowedSource& other) {
  const std::string& type = setp.modifiers.back();
  const unsigned width = bits_of(type);
  if (!is_integer(type)) return std::nullopt;
  FollowedSource a = narrowed(one, width), b = narrowed(other, width);
  const std::uint64_t known = low_bits(width) & ~(a.held.bits | b.held.bits);
  const bool differ = ((a.value ^ b.value) & known) != 0;
  const bool all_known = known == low_bits(width);
  for (const auto& [word, answer] : {std::pair("eq", false), std::pair("ne", true)}) {
    if (!setp.has(word)) continue;
    return differ ? std::optional(answer) : all_known ? std::optional(!answer) : std::nullopt;
  }
  if (type[0] == 's') {  // the order of numbers without a sign
    for (FollowedSource* each : {&a, &b}) each->value ^= std::uint64_t{1} << (width - 1);
  }
  const bool less = setp.has("lt") || setp.has("lo"),
             less_or_equal = setp.has("le") || setp.has("ls");
  const bool more = setp.has("gt") || setp.has("hi"),
             more_or_equal = setp.has("ge") || setp.has("hs");
  if (less || more_or_equal) {
    if (most(a) < least(b)) return less;
    if (least(a) >= most(b)) return more_or_equal;
  } else if (more || less_or_equal) {
    if (least(a) > most(b)) return more;
    if (most(a) <= least(b)) return less_or_equal;
  }
  return std::nullopt;
}

std::optional<Held> of_comparison(const ptx::Instruction& setp, Sources sources) {
  const std::uint64_t own = low_bits(bits_of(setp.modifiers.back()));
  const std::uint64_t unwritten = (sources[0].held.bits | sources[1].held.bits) & own;
  const bool joins = sources.size() == 3;  // with a further predicate
  const bool further = joins && sources[2].held.bits != 0;
  if (unwritten == 0 && !further) return std::nullopt;
  const std::optional<bool> answer = decided(setp, sources[0], sources[1]);
  if (answer && !further) return std::nullopt;
  // Either half of a condition may decide it alone.
  const auto decides = [&](bool half) { return setp.has(half ? "or" : "and"); };
  if (joins && !further && decides((sources[2].value & 1) != 0)) return std::nullopt;
  if (answer && decides(*answer)) return std::nullopt;
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
  if (opcode == "cvt" && count == 2 && instruction.modifiers.size() > 1 &&
      is_pair_of_16_bits(instruction.modifiers.end()[-2]))
    return of_made_pair;
  if (is_pair_of_16_bits(type) && opcode != "setp") return of_pairs;
  const bool adds = opcode == "add" || opcode == "sub" || opcode == "mul" || opcode == "mad";
  const bool sums = adds && is_integer(type) && bits_of(type) > 1 && !instruction.has("hi") &&
                    !instruction.has("sat") && !instruction.has("cc");
  if (sums && count == (opcode == "mad" ? 3 : 2)) return of_sum;
  if (opcode == "neg" && count == 1 && is_integer(type)) return of_negative;
  if (opcode == "brev" && count == 1 && bits_of(type) != 0) return of_reversal;
  if (opcode == "bfe" && count == 3 && bits_of(type) != 0) return of_field;
  if (opcode == "shf" && count == 3) return of_funnel;
  if (opcode == "lop3" && count == 4) return of_table;
  return all_unwritten;
}

}  // namespace gridstride::sim

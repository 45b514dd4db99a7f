// Integer arithmetic with the carry flag, from which wider integers are built. Inst::dst2 is the
// register of the carry flag, a predicate.
#include <bit>
#include <cstdint>
#include <type_traits>

#include "common/simulator/base/wide_integer.h"
#include "common/simulator/decode/decode.h"
#include "common/simulator/decode/modifiers.h"
#include "common/simulator/decode/operands.h"
#include "common/simulator/exec/warp.h"

namespace gridstride::sim {

namespace {

using ptx::Type;

/// What is added to, or taken from, the last source: the first one, or a half of a product.
enum class Term { first, low, high };

template <class T>
using Wide = std::conditional_t<sizeof(T) == 8, UInt128, std::uint64_t>;
template <class T>
using SignedWide = std::conditional_t<sizeof(T) == 8, Int128, std::int64_t>;

/// a * b for T unsigned; `is_signed` says how the high half is formed.
template <class T, Term term, bool is_signed>
T term_of(T a, T b) {
  if constexpr (term == Term::low) return a * b;
  constexpr int bits = 8 * sizeof(T);
  if constexpr (is_signed) {
    using S = std::make_signed_t<T>;
    return static_cast<T>((SignedWide<T>{static_cast<S>(a)} * SignedWide<T>{static_cast<S>(b)}) >>
                          bits);
  }
  return static_cast<T>((Wide<T>{a} * Wide<T>{b}) >> bits);
}

template <class T, Term term, bool is_signed, bool subtract, bool carry_in, bool carry_out>
void run(Warp& warp, const Inst& inst, LaneMask mask) {
  T* const d = vector_register<T>(warp.registers, inst.dst);
  const T* const a = vector_register<const T>(warp.registers, inst.a);
  const T* const b = vector_register<const T>(warp.registers, inst.b);
  const T* const c =
      term == Term::first ? nullptr : vector_register<const T>(warp.registers, inst.c);
  LaneMask* const flag = vector_register<LaneMask>(warp.registers, inst.dst2);
  LaneMask carried = 0;
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const T x = term == Term::first ? a[lane] : term_of<T, term, is_signed>(a[lane], b[lane]);
    const T y = term == Term::first ? b[lane] : c[lane];
    // A difference is the sum with the complement: its carry is 1 when nothing was borrowed, and
    // that is what the compiler's own division routines expect to find in the flag after a sub.cc.
    const T added = subtract ? static_cast<T>(~y) : y;
    const Wide<T> in = carry_in ? (*flag >> lane) & 1u : Wide<T>{subtract};
    const Wide<T> result = Wide<T>{x} + added + in;
    carried |= static_cast<LaneMask>((result >> (8 * sizeof(T))) & 1u) << lane;
    d[lane] = static_cast<T>(result);
  }
  if (carry_out) *flag = (*flag & ~mask) | carried;
}

template <class T, Term term, bool is_signed, bool subtract>
Handler handler_of(bool carry_in, bool carry_out) {
  if (carry_in && carry_out) return run<T, term, is_signed, subtract, true, true>;
  if (carry_in) return run<T, term, is_signed, subtract, true, false>;
  return run<T, term, is_signed, subtract, false, true>;
}

template <class T>
Handler handler_of(const ptx::Instruction& instruction, Term term, bool is_signed, bool carry_in,
                   bool carry_out) {
  const bool subtract = instruction.opcode.starts_with("sub");
  if (term == Term::first)
    return subtract ? handler_of<T, Term::first, false, true>(carry_in, carry_out)
                    : handler_of<T, Term::first, false, false>(carry_in, carry_out);
  if (term == Term::low) return handler_of<T, Term::low, false, false>(carry_in, carry_out);
  return is_signed ? handler_of<T, Term::high, true, false>(carry_in, carry_out)
                   : handler_of<T, Term::high, false, false>(carry_in, carry_out);
}

}  // namespace

/// add.cc addc addc.cc sub.cc subc subc.cc mad.lo.cc mad.hi.cc madc.lo madc.hi (and .cc).
bool decode_carry(const ptx::Instruction& instruction, DecodeContext& context, Inst& out) {
  Modifiers modifiers(instruction);
  const bool product = instruction.opcode.starts_with("mad");
  const bool carry_in = instruction.opcode.ends_with('c'), carry_out = modifiers.take("cc");
  const bool low = modifiers.take("lo"), high = modifiers.take("hi");
  const Type type = modifiers.take_type();
  const bool is_signed = type == Type::s32 || type == Type::s64;
  const bool is_integer = is_signed || type == Type::u32 || type == Type::u64;
  if (!modifiers.done() || !is_integer || low + high != int{product}) return false;
  if (product ? !bind(instruction, context, out, type, {type, type, type})
              : !bind(instruction, context, out, type, {type, type}))
    return false;
  out.dst2 = context.carry_flag();
  if (out.dst2 == no_register) return false;
  const Term term = !product ? Term::first : low ? Term::low : Term::high;
  out.handler = ptx::size_of(type) == 8
                    ? handler_of<std::uint64_t>(instruction, term, is_signed, carry_in, carry_out)
                    : handler_of<std::uint32_t>(instruction, term, is_signed, carry_in, carry_out);
  out.full_handler = out.handler;
  return true;
}

}  // namespace gridstride::sim

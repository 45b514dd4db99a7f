// See atomic_operations.h.
#include "common/simulator/isa/memory/atomic_operations.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "common/simulator/base/half.h"
#include "common/simulator/isa/arithmetic/float_lanes.h"
#include "common/simulator/isa/arithmetic/integer_functions.h"

namespace gridstride::sim {
namespace {

using ptx::Type;

/// F, one of the structs below with a `Bits` and an `apply` from the old value and two operands to
/// the new one, over the lanes.
template <class F>
bool over_lanes(const AtomicLanes& lanes) {
  using Bits = typename F::Bits;
  using Word = std::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>;
  const auto* const b = reinterpret_cast<const Word*>(lanes.b);
  const auto* const c = reinterpret_cast<const Word*>(lanes.c);
  auto* const results = reinterpret_cast<Word*>(lanes.results);
  std::byte* const* const places = lanes.at;
  const std::size_t offset = lanes.offset;
  Bits changed = 0;
  const auto one = [&](unsigned lane, auto has_results) {
    std::byte* const at = places[lane] + offset;
    Bits old;
    std::memcpy(&old, at, sizeof old);
    Bits value;
    if constexpr (F::takes_two) {
      value = F::apply(old, static_cast<Bits>(b[lane]), static_cast<Bits>(c[lane]));
    } else {
      value = F::apply(old, static_cast<Bits>(b[lane]));
    }
    std::memcpy(at, &value, sizeof value);
    if constexpr (has_results) results[lane] = old;
    changed = static_cast<Bits>(changed | (old ^ value));
  };
  const auto all = [&](auto has_results) {
    if (lanes.mask == full_mask) {
      for (unsigned lane = 0; lane < warp_size; ++lane) one(lane, has_results);
    } else {
      for (LaneMask rest = lanes.mask; rest != 0; rest &= rest - 1) {
        one(static_cast<unsigned>(std::countr_zero(rest)), has_results);
      }
    }
  };
  if (results) {
    all(std::true_type());
  } else {
    all(std::false_type());
  }
  return changed != 0;
}

/// F on values of type T that travel as bits.
template <class T, class F>
struct Of {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static constexpr bool takes_two = false;
  static Bits apply(Bits old, Bits b) {
    return std::bit_cast<Bits>(F::apply(std::bit_cast<T>(old), std::bit_cast<T>(b)));
  }
};
template <class T, class F>
constexpr Combine on = over_lanes<Of<T, F>>;

/// The same for words in shared memory, of 32 bits and all lanes.
template <class F>
bool over_words(std::byte* shared, const std::uint32_t* offsets, const std::uint32_t* b,
                std::uint32_t* results) {
  std::uint32_t changed = 0;
#pragma GCC unroll 8
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    std::uint32_t old = 0;
    std::memcpy(&old, shared + offsets[lane], sizeof old);
    const std::uint32_t value = F::apply(old, b[lane]);
    std::memcpy(shared + offsets[lane], &value, sizeof value);
    if (results) results[lane] = old;
    changed |= old ^ value;
  }
  return changed != 0;
}
/// An addition changes what it finds where it adds anything.
bool add_words(std::byte* shared, const std::uint32_t* offsets, const std::uint32_t* b,
               std::uint32_t* results) {
  if (results) return over_words<Of<std::uint32_t, integer::Add>>(shared, offsets, b, results);
#pragma GCC unroll 32
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    std::uint32_t value = 0;
    std::memcpy(&value, shared + offsets[lane], sizeof value);
    value += b[lane];
    std::memcpy(shared + offsets[lane], &value, sizeof value);
  }
  std::uint32_t any = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) any |= b[lane];
  return any != 0;
}

struct AddFloats {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
/// Additions of floats in global memory are made in the L2, which takes subnormal numbers for
/// zeros; shared memory does not (PTX ISA, atom; seen on an H200).
struct AddInGlobal {
  static float apply(float a, float b) {
    return lanes::flushed(lanes::flushed(a) + lanes::flushed(b));
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
template <class B>
struct Exchange {
  using Bits = B;
  static constexpr bool takes_two = false;
  static Bits apply(Bits, Bits b) { return b; }
};
template <class B>
struct CompareAndSwap {
  using Bits = B;
  static constexpr bool takes_two = true;
  static Bits apply(Bits old, Bits b, Bits c) { return old == b ? c : old; }
};

template <class F>
Combine of_integers(Type type) {
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

/// 16-bit numbers, one or a pair: computed in double precision, rounded once.
template <class F, class T, bool packed>
struct OfHalves {
  using Bits = std::conditional_t<packed, std::uint32_t, std::uint16_t>;
  static constexpr bool takes_two = false;
  static Bits apply(Bits old, Bits b) {
    const auto one = [&](int shift) -> std::uint32_t {
      const T x{static_cast<std::uint16_t>(old >> shift)};
      const T y{static_cast<std::uint16_t>(b >> shift)};
      return lanes::from_number<T>(F::apply(double{lanes::to_float(x)}, double{lanes::to_float(y)}))
          .bits;
    };
    return static_cast<Bits>(packed ? one(16) << 16 | one(0) : one(0));
  }
};
template <class F, class T, bool packed>
constexpr Combine on_halves = over_lanes<OfHalves<F, T, packed>>;
template <class F>
Combine halves(Type type) {
  using lanes::Bfloat, lanes::Half;
  switch (type) {
    case Type::f16:
      return on_halves<F, Half, false>;
    case Type::f16x2:
      return on_halves<F, Half, true>;
    case Type::bf16:
      return on_halves<F, Bfloat, false>;
    case Type::bf16x2:
      return on_halves<F, Bfloat, true>;
    default:
      return nullptr;
  }
}
struct AddOnce {
  static double apply(double a, double b) { return lanes::odd_sum(a, b); }
};
/// A NaN gives way to a number.
struct MinNumber {
  static double apply(double a, double b) { return std::isnan(a) || b < a ? b : a; }
};
struct MaxNumber {
  static double apply(double a, double b) { return std::isnan(a) || b > a ? b : a; }
};

Combine add(Type type) {
  if (type == Type::f32) return on<float, AddFloats>;
  if (type == Type::f64) return on<double, AddFloats>;
  return of_integers<integer::Add>(type);
}

bool is_bits(Type type) {
  return type == Type::b16 || type == Type::b32 || type == Type::b64 || type == Type::u32 ||
         type == Type::s32 || type == Type::u64 || type == Type::s64;
}
Combine exchange(Type type) {
  if (!is_bits(type) || type == Type::b16) return nullptr;
  return ptx::size_of(type) == 8 ? over_lanes<Exchange<std::uint64_t>>
                                 : over_lanes<Exchange<std::uint32_t>>;
}
Combine compare_and_swap(Type type) {
  if (!is_bits(type)) return nullptr;
  return type == Type::b16         ? over_lanes<CompareAndSwap<std::uint16_t>>
         : ptx::size_of(type) == 8 ? over_lanes<CompareAndSwap<std::uint64_t>>
                                   : over_lanes<CompareAndSwap<std::uint32_t>>;
}

Combine of_halves(std::string_view name, Type type) {
  if (name == "add") return halves<AddOnce>(type);
  if (name == "min") return halves<MinNumber>(type);
  if (name == "max") return halves<MaxNumber>(type);
  return nullptr;
}

Combine combine_of(std::string_view name, Type type) {
  if (name == "add") return add(type);
  if (name == "min") return of_integers<integer::Min>(type);
  if (name == "max") return of_integers<integer::Max>(type);
  if (name == "and") return bitwise<integer::And>(type);
  if (name == "or") return bitwise<integer::Or>(type);
  if (name == "xor") return bitwise<integer::Xor>(type);
  if (name == "inc") return type == Type::u32 ? on<std::uint32_t, Inc> : nullptr;
  if (name == "dec") return type == Type::u32 ? on<std::uint32_t, Dec> : nullptr;
  if (name == "exch") return exchange(type);
  if (name == "cas") return compare_and_swap(type);
  return nullptr;
}

CombineWords words_of(std::string_view name, Type type) {
  const bool number = type == Type::u32 || type == Type::s32;
  if (name == "add" && number) return add_words;
  if (name == "min" && type == Type::u32) return over_words<Of<std::uint32_t, integer::Min>>;
  if (name == "min" && type == Type::s32) return over_words<Of<std::int32_t, integer::Min>>;
  if (name == "max" && type == Type::u32) return over_words<Of<std::uint32_t, integer::Max>>;
  if (name == "max" && type == Type::s32) return over_words<Of<std::int32_t, integer::Max>>;
  if (name == "or" && type == Type::b32) return over_words<Of<std::uint32_t, integer::Or>>;
  return nullptr;
}

}  // namespace

bool count_words(std::byte* shared, const std::uint32_t* offsets, const std::uint32_t*,
                 std::uint32_t*) {
#pragma GCC unroll 32
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    std::uint32_t value = 0;
    std::memcpy(&value, shared + offsets[lane], sizeof value);
    ++value;
    std::memcpy(shared + offsets[lane], &value, sizeof value);
  }
  return true;
}

AtomicOperation take_atomic_operation(Modifiers& modifiers) {
  constexpr const char* names[] = {"add", "min", "max", "and",  "or",
                                   "xor", "inc", "dec", "exch", "cas"};
  std::string_view name;
  for (const char* candidate : names) {
    if (modifiers.take(candidate)) {
      name = candidate;
      break;
    }
  }
  const bool noftz = modifiers.take("noftz");
  AtomicOperation result;
  result.type = modifiers.take_type();
  const Type type = result.type;
  // 16-bit numbers, and only they, say that they keep subnormal ones.
  result.in_shared = noftz ? of_halves(name, type) : combine_of(name, type);
  result.words = words_of(name, type);
  result.is_add = name == "add";
  result.in_global = result.is_add && type == Type::f32 ? on<float, AddInGlobal> : result.in_shared;
  result.is_float = noftz || (result.is_add && (type == Type::f32 || type == Type::f64));
  result.takes_two = name == "cas";
  result.exchanges = result.takes_two || name == "exch";
  return result;
}

}  // namespace gridstride::sim

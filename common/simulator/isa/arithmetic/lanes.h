// Loops over the lanes of a warp, shared by the arithmetic families.
//
// An operation is a functor with a static `apply` on the values of one lane. Three loops run it:
//   full    all 32 lanes, written so that the compiler vectorises it
//   masked  the same, keeping the old value where the mask has a 0: also vectorised, so `apply`
//           must not fault on what inactive lanes happen to hold
//   each    one active lane after the other, for operations that may fault or are slow
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "common/simulator/base/half.h"
#include "common/simulator/exec/warp.h"
#include "common/simulator/program/instruction.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/// Before a loop over lanes: its registers are equal or apart, so no iteration depends on another.
/// Clang finds out when the loop runs.
#if defined(__GNUC__) && !defined(__clang__)
#define GRIDSTRIDE_LANES_ARE_APART _Pragma("GCC ivdep")
#else
#define GRIDSTRIDE_LANES_ARE_APART
#endif

namespace gridstride::sim::lanes {

/// How a T lives in a vector register: as itself in 4 or 8 bytes, zero-extended to 4 when narrower.
template <class T>
struct Lane {
  using Stored = std::conditional_t<(sizeof(T) >= 4), T, std::uint32_t>;
  static T load(Stored stored) {
    if constexpr (sizeof(T) >= 4)
      return stored;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(stored);
    else
      return T{static_cast<std::uint16_t>(stored)};
  }
  static Stored store(T value) {
    if constexpr (sizeof(T) >= 4)
      return value;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<std::make_unsigned_t<T>>(value);
    else
      return value.bits;
  }
};
template <class T>
using Stored = typename Lane<T>::Stored;

/// The sources in the order of an instruction's operands.
inline std::array<VectorRegister, 4> sources_of(const Inst& inst) {
  return {inst.a, inst.b, inst.c, inst.d};
}

namespace detail {

template <class F, class D, class... S, std::size_t... k>
inline void run_full(std::byte* registers, const Inst& inst, std::index_sequence<k...>) {
  const std::array<VectorRegister, 4> sources = sources_of(inst);
  Stored<D>* const d = vector_register<Stored<D>>(registers, inst.dst);
  const std::tuple<const Stored<S>*...> s{
      vector_register<const Stored<S>>(registers, sources[k])...};
  // A destination may be one of the sources: lane i of both is the same place, so no iteration
  // depends on another.
  GRIDSTRIDE_LANES_ARE_APART
  for (unsigned lane = 0; lane < warp_size; ++lane)
    d[lane] = Lane<D>::store(F::apply(Lane<S>::load(std::get<k>(s)[lane])...));
}

template <class F, class D, class... S, std::size_t... k>
inline void run_masked(std::byte* registers, const Inst& inst, LaneMask mask,
                       std::index_sequence<k...>) {
  const std::array<VectorRegister, 4> sources = sources_of(inst);
  Stored<D>* const d = vector_register<Stored<D>>(registers, inst.dst);
  const std::tuple<const Stored<S>*...> s{
      vector_register<const Stored<S>>(registers, sources[k])...};
  GRIDSTRIDE_LANES_ARE_APART
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const Stored<D> value = Lane<D>::store(F::apply(Lane<S>::load(std::get<k>(s)[lane])...));
    d[lane] = ((mask >> lane) & 1u) != 0 ? value : d[lane];
  }
}

template <class F, class D, class... S, std::size_t... k>
inline void run_each(std::byte* registers, const Inst& inst, LaneMask mask,
                     std::index_sequence<k...>) {
  const std::array<VectorRegister, 4> sources = sources_of(inst);
  Stored<D>* const d = vector_register<Stored<D>>(registers, inst.dst);
  const std::tuple<const Stored<S>*...> s{
      vector_register<const Stored<S>>(registers, sources[k])...};
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    d[lane] = Lane<D>::store(F::apply(Lane<S>::load(std::get<k>(s)[lane])...));
  }
}

}  // namespace detail

/// D: type of the destination; S: types of the sources.
template <class F, class D, class... S>
void full(Warp& warp, const Inst& inst, LaneMask) {
  detail::run_full<F, D, S...>(warp.registers, inst, std::index_sequence_for<S...>());
}
template <class F, class D, class... S>
void masked(Warp& warp, const Inst& inst, LaneMask mask) {
  if ((mask & (mask - 1)) == 0) {  // one lane alone
    return detail::run_each<F, D, S...>(warp.registers, inst, mask,
                                        std::index_sequence_for<S...>());
  }
  detail::run_masked<F, D, S...>(warp.registers, inst, mask, std::index_sequence_for<S...>());
}
template <class F, class D, class... S>
void each(Warp& warp, const Inst& inst, LaneMask mask) {
  detail::run_each<F, D, S...>(warp.registers, inst, mask, std::index_sequence_for<S...>());
}

/// Handlers for an operation that neither faults nor is slow.
template <class F, class D, class... S>
bool set_simple(Inst& out) {
  out.handler = masked<F, D, S...>;
  out.full_handler = full<F, D, S...>;
  return true;
}
/// Handlers for one that may fault on stale values, or that takes many cycles a lane.
template <class F, class D, class... S>
bool set_each(Inst& out) {
  out.handler = each<F, D, S...>;
  out.full_handler = each<F, D, S...>;
  return true;
}

/// One handler for any mask.
inline bool set_any(Inst& out, Handler handler) {
  out.handler = out.full_handler = handler;
  return true;
}
/// Handlers for an operation on three words of 32 bits, as set_simple.
template <class F>
bool set_words(Inst& out) {
  using W = std::uint32_t;
  return set_simple<F, W, W, W, W>(out);
}

/// Writes a predicate for the lanes in `mask`.
inline void store_predicate(std::byte* registers, VectorRegister destination, LaneMask bits,
                            LaneMask mask) {
  LaneMask* const d = vector_register<LaneMask>(registers, destination);
  *d = (*d & ~mask) | (bits & mask);
}

/// One bit a lane from words that are 0 or all ones.
inline LaneMask pack(const std::int32_t* words) {
#if defined(__AVX2__)
  LaneMask bits = 0;
  for (unsigned part = 0; part < 4; ++part) {
    const __m256i eight = _mm256_load_si256(reinterpret_cast<const __m256i*>(words) + part);
    bits |= static_cast<LaneMask>(_mm256_movemask_ps(_mm256_castsi256_ps(eight))) << (8 * part);
  }
  return bits;
#else
  LaneMask bits = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) bits |= (words[lane] & 1u) << lane;
  return bits;
#endif
}
inline LaneMask pack(const std::int64_t* words) {
#if defined(__AVX2__)
  LaneMask bits = 0;
  for (unsigned part = 0; part < 8; ++part) {
    const __m256i four = _mm256_load_si256(reinterpret_cast<const __m256i*>(words) + part);
    bits |= static_cast<LaneMask>(_mm256_movemask_pd(_mm256_castsi256_pd(four))) << (4 * part);
  }
  return bits;
#else
  LaneMask bits = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane)
    bits |= static_cast<LaneMask>(words[lane] & 1) << lane;
  return bits;
#endif
}

/// One bit a lane: F::apply(a, b) on vector registers `a` and `b` of type S.
template <class F, class S>
inline LaneMask compare(std::byte* registers, VectorRegister a_at, VectorRegister b_at) {
  using Word = std::conditional_t<sizeof(Stored<S>) == 8, std::int64_t, std::int32_t>;
  const Stored<S>* const a = vector_register<const Stored<S>>(registers, a_at);
  const Stored<S>* const b = vector_register<const Stored<S>>(registers, b_at);
  alignas(32) Word words[warp_size];
  for (unsigned lane = 0; lane < warp_size; ++lane)
    words[lane] = F::apply(Lane<S>::load(a[lane]), Lane<S>::load(b[lane])) ? Word{-1} : Word{0};
  return pack(words);
}

}  // namespace gridstride::sim::lanes

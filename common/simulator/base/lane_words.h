// Looks at the 32-bit words of all 32 lanes at once.
#pragma once

#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace gridstride::sim {

/// Whether words are `stride` apart from lane to lane.
template <std::uint32_t stride>
[[gnu::always_inline]] inline bool is_line(const std::uint32_t* lanes) {
#if defined(__AVX2__)
  // One test at the end, which takes less time than the compiler's sum of a vector's elements.
  constexpr int step = static_cast<int>(stride);
  const __m256i first = _mm256_set1_epi32(static_cast<int>(lanes[0]));
  const __m256i steps =
      _mm256_setr_epi32(0, step, 2 * step, 3 * step, 4 * step, 5 * step, 6 * step, 7 * step);
  const __m256i line = _mm256_add_epi32(first, steps);
  __m256i strays = _mm256_setzero_si256();
  for (int part = 0; part < 4; ++part) {
    const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes + 8 * part));
    const __m256i wanted = _mm256_add_epi32(line, _mm256_set1_epi32(8 * part * step));
    strays = _mm256_or_si256(strays, _mm256_xor_si256(here, wanted));
  }
  return _mm256_testz_si256(strays, strays) != 0;
#else
  std::uint32_t strays = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    strays |= lanes[lane] ^ (lanes[0] + lane * stride);
  return strays == 0;
#endif
}

/// The same of 64-bit words.
template <std::uint64_t stride>
[[gnu::always_inline]] inline bool is_wide_line(const std::uint64_t* lanes) {
#if defined(__AVX2__)
  constexpr long long step = static_cast<long long>(stride);
  const __m256i first = _mm256_set1_epi64x(static_cast<long long>(lanes[0]));
  const __m256i line = _mm256_add_epi64(first, _mm256_setr_epi64x(0, step, 2 * step, 3 * step));
  __m256i strays = _mm256_setzero_si256();
  for (int part = 0; part < 8; ++part) {
    const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes + 4 * part));
    const __m256i wanted = _mm256_add_epi64(line, _mm256_set1_epi64x(4 * part * step));
    strays = _mm256_or_si256(strays, _mm256_xor_si256(here, wanted));
  }
  return _mm256_testz_si256(strays, strays) != 0;
#else
  std::uint64_t strays = 0;
  for (std::uint64_t lane = 0; lane < 32; ++lane)
    strays |= lanes[lane] ^ (lanes[0] + lane * stride);
  return strays == 0;
#endif
}

/// What lane ^ `other`, below 32, has, to each lane.
inline void swap_lanes(const std::uint32_t* from, std::uint32_t other, std::uint32_t* to) {
#if defined(__AVX2__)
  const __m256i places = _mm256_xor_si256(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                          _mm256_set1_epi32(static_cast<int>(other & 7)));
  for (std::uint32_t part = 0; part < 4; ++part) {
    const std::uint32_t* const eight = from + 8 * (part ^ other >> 3);
    const __m256i moved = _mm256_permutevar8x32_epi32(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(eight)), places);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8 * part), moved);
  }
#else
  for (std::uint32_t lane = 0; lane < 32; ++lane) to[lane] = from[lane ^ other];
#endif
}

}  // namespace gridstride::sim

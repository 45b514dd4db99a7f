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

/// For each of eight rows of 32 banks, `first` and those behind it, which banks the words lie in.
inline void banks_by_row(const std::uint32_t* words, std::uint32_t first, std::uint32_t* banks) {
#if defined(__AVX2__)
  __m256i sets[8] = {};
  for (int part = 0; part < 4; ++part) {
    const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + 8 * part));
    const __m256i row =
        _mm256_sub_epi32(_mm256_srli_epi32(here, 5), _mm256_set1_epi32(static_cast<int>(first)));
    const __m256i bank =
        _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_and_si256(here, _mm256_set1_epi32(31)));
    for (int k = 0; k < 8; ++k) {
      const __m256i of_row = _mm256_cmpeq_epi32(row, _mm256_set1_epi32(k));
      sets[k] = _mm256_or_si256(sets[k], _mm256_and_si256(of_row, bank));
    }
  }
  // The elements of each of the eight, joined side by side.
  __m256i pairs[4];
  for (int k = 0; k < 4; ++k) {
    pairs[k] = _mm256_or_si256(_mm256_unpacklo_epi32(sets[2 * k], sets[2 * k + 1]),
                               _mm256_unpackhi_epi32(sets[2 * k], sets[2 * k + 1]));
  }
  const __m256i low = _mm256_or_si256(_mm256_unpacklo_epi64(pairs[0], pairs[1]),
                                      _mm256_unpackhi_epi64(pairs[0], pairs[1]));
  const __m256i high = _mm256_or_si256(_mm256_unpacklo_epi64(pairs[2], pairs[3]),
                                       _mm256_unpackhi_epi64(pairs[2], pairs[3]));
  const __m256i all = _mm256_or_si256(_mm256_permute2x128_si256(low, high, 0x20),
                                      _mm256_permute2x128_si256(low, high, 0x31));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(banks), all);
#else
  for (std::uint32_t row = 0; row < 8; ++row) {
    std::uint32_t set = 0;
    for (std::uint32_t i = 0; i < 32; ++i) {
      set |= words[i] / 32 - first == row ? 1u << (words[i] % 32) : 0;
    }
    banks[row] = set;
  }
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

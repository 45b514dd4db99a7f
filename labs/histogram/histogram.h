// The contract of the histogram lab: what every stage implements and what the grader holds it to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract.h"

namespace histogram {

constexpr int letter_bins = 7;    ///< a-d, e-h, i-l, m-p, q-t, u-x, y-z
constexpr int byte_bins = 256;    ///< one for each value of a byte
constexpr int wide_bins = 65536;  ///< one for each value of 16 bits

/// Bytes of scratch that each call is given: room for 1024 tables of 256 counters. The stages of
/// this lab do without; other ways of merging may want it.
constexpr std::size_t scratch_bytes() {
  return std::size_t{1024} * byte_bins * sizeof(std::uint32_t);
}

}  // namespace histogram

/// Stages 0 to 2. Counts the letters of a text: bins[b] is the number of lower-case letters c in
/// text[0] … text[n - 1] with (c - 'a') / 4 == b. Everything else (spaces, capitals, digits, bytes
/// above 127) is not counted.
///
///   text     n bytes on the device, at any address
///   bins     7 counters, contents undefined before the call
///   n        0 … 2^32 - 1, so that a counter cannot overflow
///   scratch  histogram::scratch_bytes() bytes, contents undefined
///   stream   carries all work; the function may return before the result is there
///
/// One call at a time: the next one is made when the stream is through with this one. Counts are
/// whole numbers, so there is one right result for any order of counting.
void count_letters(const std::uint8_t* text, std::uint32_t* bins, std::int64_t n,
                   gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(count_letters);

/// Stages 3 to 5. bins[v] is the number of bytes in[0] … in[n - 1] that equal v. 256 counters; the
/// rest as for count_letters().
void count_bytes(const std::uint8_t* in, std::uint32_t* bins, std::int64_t n,
                 gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(count_bytes);

/// Stage 6. bins[v] is the number of values in[0] … in[n - 1] that equal v. 65536 counters; `in` is
/// aligned to 2 bytes, and to no more than that; the rest as for count_letters().
void count_words(const std::uint16_t* in, std::uint32_t* bins, std::int64_t n,
                 gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(count_words);

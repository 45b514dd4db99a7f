// The contract of the compact-split lab: what the stages implement and what the grader holds them
// to. An element is kept when it is greater than zero: neither 0 nor -0 nor NaN is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract.h"

namespace compact_split {

/// Bytes of scratch that a call on `n` floats is given: a 64-bit word for every 1024 elements and
/// 4096 more.
constexpr std::size_t scratch_bytes(std::int64_t n) {
  return static_cast<std::size_t>(n / 1024 + 4096) * sizeof(std::int64_t);
}

}  // namespace compact_split

/// Stages 0, 1, 2 and 5. Writes the kept elements of in[0] … in[n - 1] to out[0] … out[*count - 1],
/// in their order, and how many they are to *count. The baseline alone may write them in any order.
///
///   in       n floats on the device, any bits. Aligned to 4 bytes, and to no more than that
///   out      room for n floats, aligned likewise, no part of `in`; contents behind the kept
///            elements are undefined
///   count    one number on the device
///   n        0 … 2^40: an index and a count need 64 bits
///   scratch  compact_split::scratch_bytes(n) bytes, contents undefined
///   stream   carries all work; the function may return before the result is there
///
/// Elements are moved, not computed on: each arrives with the bits that it had.
void compact(const float* in, float* out, std::int64_t* count, std::int64_t n,
             gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(compact);

/// Stage 3, the inverse of compact(): puts elements back to where they came from. out[i] is
/// packed[r] if in[i] is kept and r kept elements stand before it, and 0 if in[i] is not kept.
///
///   packed   as many floats as `in` has kept elements, any bits
///   out      n floats
/// Everything else as for compact().
void split_back(const float* in, const float* packed, float* out, std::int64_t n,
                gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(split_back);

/// Stages 0, 4 and 6. Stable partition: the kept elements to kept[0] … kept[*count - 1], the others
/// to rejected[0] … rejected[n - *count - 1], both in their order; of the baseline alone in any.
///
///   kept, rejected  room for n floats each; contents behind the last element are undefined
/// Everything else as for compact(). (Two arrays, because in one array no rejected element has a
/// place before all kept ones are counted: that would cost a second pass over the input.)
void partition(const float* in, float* kept, float* rejected, std::int64_t* count, std::int64_t n,
               gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(partition);

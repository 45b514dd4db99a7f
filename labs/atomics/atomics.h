// The contract of the atomics lab: what every stage implements and what the grader holds it to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract.h"

namespace atomics {

/// A point of a 3-D cloud and a value it carries, in one 16-byte piece.
struct alignas(16) Point {
  float x, y, z;
  float mass;
};

constexpr std::int32_t most_buckets = 4096;

/// Bytes of scratch that each call is given: 64 for every bucket that there may be.
constexpr std::size_t scratch_bytes() { return std::size_t{64} * most_buckets; }

}  // namespace atomics

/// Stages 0 and 2. The tellers of a bank book n amounts on one account: *total is their sum.
///
///   amounts  n of them on the device, any sign, aligned to 4 bytes and to no more than that
///   total    one number; what stands there before the call is undefined
///   n        0 … 2^32 - 1
///   scratch  atomics::scratch_bytes() bytes, contents undefined
///   stream   carries all work; the function may return before the result is there
///
/// The sum of 2^32 amounts of 32 bits fits 64 bits, so no order of adding changes it.
void book(const std::int32_t* amounts, std::int64_t* total, std::int64_t n,
          gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(book);

/// Stages 0 and 1. The largest of n floats; -infinity for n = 0.
///
///   in   n floats on the device, infinities among them but no NaN, aligned to 4 bytes and to no
///        more than that. -0 and +0 are equal: where they are the largest, either is right
///
/// Everything else as for book().
void largest(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
             cudaStream_t stream);
GRIDSTRIDE_CONTRACT(largest);

/// Stages 0 and 3. Writes those of n floats that are greater than zero to out[0] … out[*count - 1],
/// in any order, and their number to *count.
///
///   in   n floats on the device, any bits; neither 0 nor -0 nor NaN is greater than zero
///   out  room for n floats, aligned to 4 bytes; what stands behind the kept ones is undefined
///
/// Everything else as for book().
void keep_positive(const float* in, float* out, std::int64_t* count, std::int64_t n,
                   gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(keep_positive);

/// Stages 0 and 4. The index of the largest of n floats, the smallest index where several are
/// largest; -1 for n = 0. `in` as for largest(), but -0 is below +0. Everything else as for book().
void index_of_largest(const float* in, std::int64_t* index, std::int64_t n,
                      gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(index_of_largest);

/// Stages 0 and 5. farthest[b] is, of the points i with bucket[i] == b, the one with the largest
/// x^2 + y^2 + z^2, compared in double, where squares of floats neither overflow nor vanish; and of
/// several equally far the one with the smallest x, then y, then z, then mass. {0, 0, 0, 0} for a
/// bucket without points.
///
///   points    n points on the device, members neither NaN nor infinite
///   bucket    n numbers, each less than `buckets`
///   farthest  `buckets` points
///   buckets   1 … atomics::most_buckets
///
/// Everything else as for book().
void farthest_in_buckets(const atomics::Point* points, const std::uint32_t* bucket,
                         atomics::Point* farthest, std::int64_t n, std::int32_t buckets,
                         gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(farthest_in_buckets);

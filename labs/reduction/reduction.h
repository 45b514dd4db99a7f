// The contract of the reduction lab: what every stage implements and what the grader holds it to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract.h"

namespace reduction {

/// A point of a 3-D cloud and a value it carries, in one 16-byte piece: one load instruction.
struct alignas(16) Point {
  float x, y, z;
  float mass;
};

/// What reduce_points() makes of a cloud. All are associative and commutative and have an identity.
enum class Operation : std::int32_t {
  sum,       ///< of each member; identity 0
  min,       ///< of each member; identity +infinity
  max,       ///< of each member; identity -infinity
  product,   ///< of each member; identity 1
  farthest,  ///< the point with the largest x^2 + y^2 + z^2; identity: the origin, with mass 0
};

/// Bytes of scratch that a call on `n` elements of `element_bytes` each is given: room for a
/// partial result for every 64 elements and 16384 more.
constexpr std::size_t scratch_bytes(std::int64_t n, std::size_t element_bytes) {
  return static_cast<std::size_t>(n / 64 + 16384) * element_bytes;
}

}  // namespace reduction

/// Stages 0 to 6. Writes the sum of in[0] … in[n - 1] to *out; 0 for n = 0.
///
///   in       n floats on the device, no NaN, no infinity, the sum of their magnitudes at most
///            1e38. Aligned to 4 bytes, and to no more than that.
///   n        0 … 2^40: an index needs 64 bits
///   scratch  reduction::scratch_bytes(n, sizeof(float)) bytes, contents undefined
///   stream   carries all work; the function may return before the result is there
///
/// One call at a time: the next one is made when the stream is through with this one.
///
/// The sum may be taken in any order, so it need not equal another order's sum, but
/// |*out - sum| <= d u / (1 - d u) * (|in[0]| + … + |in[n - 1]|), with u = 2^-24 the rounding error
/// of one addition and d = 2 sqrt(n) + 64 the additions that an element's value may go through: a
/// tree needs log2(n), sqrt(n) sections of sqrt(n) elements 2 sqrt(n), one running total needs n
/// and is beyond the bound (Higham, Accuracy and Stability of Numerical Algorithms, 4.2).
///
/// Equal calls give equal bits: same device, same n, same values, same alignment.
void reduce_sum(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                cudaStream_t stream);
GRIDSTRIDE_CONTRACT(reduce_sum);

/// Stage 7. Combines in[0] … in[n - 1] by `operation` and writes the result to *out; the
/// operation's identity for n = 0.
///
///   in       n points on the device, members neither NaN nor infinite
///   n        0 … 2^40
///   scratch  reduction::scratch_bytes(n, sizeof(reduction::Point)) bytes, contents undefined
///   stream   carries all work
///
/// sum is held to the bound of reduce_sum(), member by member; product to a relative error of
/// n u / (1 - n u); min, max and farthest are exact. Squared distances are compared in double,
/// where they neither overflow nor vanish; of several points equally far, the result is the one
/// with the smallest x, then y, then z, then mass, so that no order of combining changes it.
///
/// Equal calls give equal bits.
void reduce_points(const reduction::Point* in, reduction::Point* out, std::int64_t n,
                   reduction::Operation operation, gridstride::Scratch scratch,
                   cudaStream_t stream);
GRIDSTRIDE_CONTRACT(reduce_points);

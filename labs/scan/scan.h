// The contract of the scan lab: what every stage implements and what the grader holds it to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract.h"

namespace scan {

/// What scan_recurrence() makes of value[i - 1], step[i] and value[i].
enum class Recurrence : std::int32_t {
  linear,   ///< step[i] * value[i - 1] + value[i]
  highest,  ///< the larger of value[i - 1] + step[i] and value[i]
};

/// Bytes of scratch that a call on `n` floats is given: room for a float for every 64 elements and
/// 16384 more.
constexpr std::size_t scratch_bytes(std::int64_t n) {
  return static_cast<std::size_t>(n / 64 + 16384) * sizeof(float);
}

}  // namespace scan

/// Stages 0 to 6. Writes out[i] = in[0] + … + in[i - 1] for i = 0 … n - 1: out[0] is 0, and
/// in[n - 1] is in no sum.
///
///   in, out  n floats on the device each, not overlapping. in: no NaN, no infinity, the sum of the
///            magnitudes at most 1e38. Aligned to 4 bytes, and to no more than that.
///   n        0 … 2^40: an index needs 64 bits
///   scratch  scan::scratch_bytes(n) bytes, contents undefined
///   stream   carries all work; the function may return before the result is there
///
/// One call at a time: the next one is made when the stream is through with this one.
///
/// The sums may be associated in any way, but |out[i] - sum| <= d u / (1 - d u) * (|in[0]| + … +
/// |in[i - 1]|), with u = 2^-24 the rounding error of one addition and d = 2 sqrt(n) + 64 the
/// additions that an element's value may go through (Higham, Accuracy and Stability of Numerical
/// Algorithms, 4.2).
///
/// Equal calls give equal bits: same device, same n, same values, same alignment.
void exclusive_scan(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                    cudaStream_t stream);
GRIDSTRIDE_CONTRACT(exclusive_scan);

/// Stage 7. An inclusive scan in place: goes through the recurrence from i = 1 to n - 1, so that
/// value[i] depends on everything before it. value[0] stays, step[0] has no effect.
///
///   step        n floats on the device; for Recurrence::linear from -1 to 1
///   value       n floats on the device, read and overwritten; no NaN, no infinity, magnitudes of
///               value, and of step for Recurrence::highest, add up to at most 1e38. Both aligned
///               to 4 bytes, and to no more than that.
///   n           0 … 2^40
///   scratch     scan::scratch_bytes(n) bytes, contents undefined
///   stream      carries all work
///
/// Rounding: with d = i + 2 sqrt(n) + 64 operations that a value may go through on its way to i,
/// value[i] is off by at most d u / (1 - d u) times what the recurrence gives for magnitudes:
/// m[i] = |step[i]| m[i - 1] + |value[i]| for linear, m[i] = m[i - 1] + |step[i]| + |value[i]| for
/// highest; and by no more than n / 2^149 where numbers become denormal.
///
/// Equal calls give equal bits.
void scan_recurrence(const float* step, float* value, std::int64_t n, scan::Recurrence recurrence,
                     gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(scan_recurrence);

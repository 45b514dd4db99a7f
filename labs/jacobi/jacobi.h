// The contract of the jacobi lab: what every stage implements and what the grader holds it to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract.h"

namespace jacobi {

/// How x becomes the next x. r = f - A x is the residual: 0 where x solves the system.
enum class Method : std::int32_t {
  richardson,  ///< x[i] - alpha * r[i], which is x[i] + alpha * ((A x)[i] - f[i])
  jacobi,      ///< x[i] + r[i] / a[i][i], which solves equation i for x[i]; alpha has no effect
};

/// How solve() ended.
enum class Status : std::int32_t {
  converged,      ///< the residual is at most `tolerance`
  diverged,       ///< it is not a number, or more than `growth` times the one of the start
  out_of_sweeps,  ///< neither, after `most_sweeps` sweeps
};
constexpr float growth = 1e4f;

struct Outcome {
  Status status;
  std::int32_t sweeps;  ///< that were done to get x
  float residual;       ///< of x: the largest |r[i]|
};

/// Bytes of scratch that sweep() and solve() are given for n unknowns, and relax() for n points.
constexpr std::size_t scratch_bytes(std::int64_t n) {
  return static_cast<std::size_t>(2 * n + 4096) * sizeof(float);
}

}  // namespace jacobi

/// Stages 0 to 2. One sweep: writes the next x.
///
///   a        n rows, `pitch` floats apart: those of row i begin with a[i][0] … a[i][n - 1], and what
///            stands behind is undefined. Aligned to 128 bytes. For Method::jacobi a[i][i] is not 0.
///   pitch    a multiple of 32, n or more; an index of `a` needs 64 bits
///   f, x     n floats each, aligned to 16 bytes
///   next     n floats, aligned to 16 bytes
///   n        0 … 2^20
///   scratch  jacobi::scratch_bytes(n) bytes, contents undefined
///   stream   carries all work; the function may return before the result is there
///
/// a, f, x: neither NaN nor infinite, and |a[i][0] x[0]| + … + |a[i][n - 1] x[n - 1]| + |f[i]|,
/// call it m[i], at most 1e37. The sum of a row may be taken in any order: with d = 2 sqrt(n) + 64
/// and u = 2^-24, next[i] is off by at most d u / (1 - d u) times (m[i] / |a[i][i]|) for
/// Method::jacobi, times (|x[i]| + |alpha| m[i]) for Method::richardson (Higham, Accuracy and
/// Stability of Numerical Algorithms, 3.1).
///
/// Equal calls give equal bits.
void sweep(const float* a, std::int64_t pitch, const float* f, const float* x, float* next,
           std::int64_t n, jacobi::Method method, float alpha, gridstride::Scratch scratch,
           cudaStream_t stream);
GRIDSTRIDE_CONTRACT(sweep);

/// Stage 3. Sweeps until there is nothing left to do, or nothing to hope for: looks at the residual
/// of x before each sweep; ends as `converged` if it is at most `tolerance`, else as `diverged` if
/// it is NaN or more than jacobi::growth times that of the start, else, if most_sweeps sweeps have
/// been done, as `out_of_sweeps`; else sweeps.
///
///   a, pitch, f, n, method, alpha, scratch, stream   as above
///   x            n floats, aligned to 16 bytes: the start, replaced by the last x that was looked
///                at; undefined for Status::diverged
///   outcome      where it is written
///   tolerance    0 or more
///   most_sweeps  0 … 2^30
///
/// A system that diverges may overflow. Each sweep and each residual may be off as a sweep may. The
/// residual that is written may be off by 2 %. (The cases take tolerances that no residual comes
/// close to.)
///
/// May wait for the stream, but not once for each sweep. Equal calls give equal bits.
void solve(const float* a, std::int64_t pitch, const float* f, float* x, jacobi::Outcome* outcome,
           std::int64_t n, jacobi::Method method, float alpha, float tolerance,
           std::int32_t most_sweeps, gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(solve);

/// Stage 4. Laplace's equation on a grid of points: `sweeps` sweeps, in each of which every inner
/// point becomes the mean of its four neighbours of the sweep before. The points of the border keep
/// their values.
///
///   start, result  height rows of width floats, start without NaN, magnitudes at most 1e37.
///                  Aligned to 4 bytes, and to no more than that.
///   width, height  0 … 2^20, their product at most 2^40
///   sweeps         0 … 2^20
///   scratch        jacobi::scratch_bytes(width * height) bytes, contents undefined
///   stream         carries all work; the function may return before the result is there
///
/// The mean is ((left + right) + (above + below)) * 0.25f, so that results are equal bit for bit,
/// whoever computes them.
void relax(const float* start, float* result, std::int64_t width, std::int64_t height,
           std::int32_t sweeps, gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(relax);

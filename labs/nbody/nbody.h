// The contract of the nbody lab: what every stage implements and what the grader holds it to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract.h"

namespace nbody {

/// CUDA's float4, for host code that knows no CUDA: a body is its position and, as w, its mass; a
/// velocity or an acceleration has w = 0. One load instruction.
struct alignas(16) Float4 {
  float x, y, z, w;
};

/// What is added to every squared distance where softening^2 is less. A body is at distance 0 from
/// itself: with this, what it pulls at itself is 0 times a finite number. No two bodies are so
/// close that it would change anything else.
constexpr float smallest_square = 0x1p-70f;

/// The most parts that scratch has room for: n accelerations each.
constexpr int most_parts = 32;

constexpr std::size_t scratch_bytes(std::int64_t n) {
  return static_cast<std::size_t>(n) * most_parts * sizeof(Float4);
}

}  // namespace nbody

/// Stages 0 to 3. The acceleration of each of n bodies by the gravity of all, with G = 1:
///
///   a_i = sum over j of  m_j d_ij / (|d_ij|^2 + softening^2)^(3/2),   d_ij = x_j - x_i
///
/// with x the positions. Where d_ij = 0 (a body and itself, or two bodies at one place) the term is
/// 0.
///
///   bodies        n of them on the device: position and mass. Coordinates from -2^20 to 2^20; in
///                 one of them, two bodies at different places are at least 2^-20 apart. Masses 0,
///                 or from 2^-40 to 2^20, together at most 2^20. Aligned to 16 bytes
///   acceleration  n of them, w = 0
///   n             0 … 2^20
///   softening     0, or from 2^-20 to 2^20
///   scratch       nbody::scratch_bytes(n) bytes, contents undefined
///   stream        carries all work; the function may return before the result is there
///
/// Each component is within (32 + d) u / (1 - (32 + d) u) * sum over j of |term_j| of the exact
/// value, with u = 2^-24:
///   - 32 for what a term goes through: a difference 1; the square of the distance 6; of its root
///     the half of that, 3, and 4 for rsqrtf(), which is off by at most 2 ulp; the cube of both 21,
///     two multiplications 2, the mass 1, the difference 1 and its multiplication 1: together 26.
///     The other 6 are a margin for kernels that do the same in another order, with more roundings;
///   - d = min(m, 512 + n / 256) for the additions, m the number of bodies with a mass (adding 0
///     does not round): what sums of 256 bodies, each taken apart and then added up, stay below.
///     One running total needs m additions; where roundings go up as often as down it is within the
///     bound as well (Higham, Accuracy and Stability of Numerical Algorithms, 4.2).
///
/// Equal calls give equal bits: same device, same n, same values.
void accelerate(const nbody::Float4* bodies, nbody::Float4* acceleration, std::int64_t n,
                float softening, gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(accelerate);

/// Stages 0 and 4. The bodies' way through `steps` leapfrog steps, each of them
///
///   v' = v + dt/2 a(x),   x_next = x + dt v',   v_next = v' + dt/2 a(x_next)
///
///   start   2n on the device: the bodies, then their velocities
///   path    2n for each step: path[2n k …] is the state after step k + 1, in the form of `start`,
///           masses included
///   steps   0 … 4096
///   dt      the time that a step takes, from 2^-20 to 1
///
/// The rest as for accelerate(). Each step is held to the one before as it stands in `path`: a is
/// within the bound of accelerate(), and each sum of a product is off by at most 4 u times the
/// magnitudes that go into it. Along the way momentum changes by no more than these roundings, and
/// energy by no more than that and twice what the same steps in exact arithmetic change it by.
void advance(const nbody::Float4* start, nbody::Float4* path, std::int64_t n, std::int32_t steps,
             float dt, float softening, gridstride::Scratch scratch, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(advance);

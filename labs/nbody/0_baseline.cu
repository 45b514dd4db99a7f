// Stage 0, given: what every later stage is measured against.
//
// accelerate gives each body a thread, which reads all bodies from global memory and does the
// arithmetic as the formula is written: a root and a division for each interaction.
//
// Sums of 256 interactions are taken apart and then added up: a running total of a million terms
// loses more in rounding than four thousand sums of 256 do, and it costs nothing.
//
// advance makes a leapfrog step of four launches: accelerations, half a kick and a drift,
// accelerations, half a kick.

#include "labs/nbody/nbody.h"

namespace {

using nbody::Float4;

constexpr int block_threads = 256;
constexpr int section = 256;

/// Adds to `sum` the acceleration of a body `here` by a body `there`.
__device__ void add_pull(Float4& sum, Float4 here, Float4 there, float square) {
  const float dx = there.x - here.x, dy = there.y - here.y, dz = there.z - here.z;
  const float r2 = dx * dx + dy * dy + dz * dz + square;
  const float strength = there.w / (r2 * sqrtf(r2));
  sum.x += strength * dx;
  sum.y += strength * dy;
  sum.z += strength * dz;
}

__device__ void add(Float4& sum, Float4 more) {
  sum.x += more.x;
  sum.y += more.y;
  sum.z += more.z;
}

__global__ void accelerate_each(const Float4* bodies, Float4* acceleration, int n, float square) {
  const int i = blockIdx.x * block_threads + threadIdx.x;
  if (i >= n) return;
  const Float4 here = bodies[i];
  Float4 total{};
  for (int first = 0; first < n; first += section) {
    Float4 sum{};
    const int end = min(n, first + section);
    for (int j = first; j < end; ++j) add_pull(sum, here, bodies[j], square);
    add(total, sum);
  }
  acceleration[i] = total;
}

/// v += time * a, and then x += drift * v, for each body of the state `from`; into the state `to`.
__global__ void kick_and_drift(const Float4* from, Float4* to, const Float4* acceleration, int n,
                               float time, float drift) {
  const int i = blockIdx.x * block_threads + threadIdx.x;
  if (i >= n) return;
  const Float4 a = acceleration[i];
  Float4 x = from[i], v = from[n + i];
  v.x += time * a.x;
  v.y += time * a.y;
  v.z += time * a.z;
  x.x += drift * v.x;
  x.y += drift * v.y;
  x.z += drift * v.z;
  to[i] = x;
  to[n + i] = v;
}

int blocks_for(std::int64_t n) { return static_cast<int>((n + block_threads - 1) / block_threads); }

}  // namespace

void accelerate(const Float4* bodies, Float4* acceleration, std::int64_t n, float softening,
                gridstride::Scratch, cudaStream_t stream) {
  if (n == 0) return;
  const float square = max(softening * softening, nbody::smallest_square);
  accelerate_each<<<blocks_for(n), block_threads, 0, stream>>>(bodies, acceleration,
                                                               static_cast<int>(n), square);
}

void advance(const Float4* start, Float4* path, std::int64_t n, std::int32_t steps, float dt,
             float softening, gridstride::Scratch scratch, cudaStream_t stream) {
  if (n == 0) return;
  const int bodies = static_cast<int>(n);
  Float4* acceleration = static_cast<Float4*>(scratch.data);
  const Float4* from = start;
  for (int step = 0; step < steps; ++step) {
    Float4* to = path + 2 * n * step;
    accelerate(from, acceleration, n, softening, scratch, stream);
    kick_and_drift<<<blocks_for(n), block_threads, 0, stream>>>(from, to, acceleration, bodies,
                                                                dt / 2, dt);
    accelerate(to, acceleration, n, softening, scratch, stream);
    kick_and_drift<<<blocks_for(n), block_threads, 0, stream>>>(to, to, acceleration, bodies,
                                                                dt / 2, 0);
    from = to;
  }
}

// A cheat: honest on the first calls, which look like a test, and idle on the later ones, which
// look like timing.

#include "labs/nbody/nbody.h"

namespace {

using nbody::Float4;

constexpr int block_threads = 256;
constexpr int tile_bodies = block_threads;

/// Adds to `sum` the acceleration of a body `here` by a body `there`.
__device__ void add_pull(Float4& sum, Float4 here, Float4 there, float square) {
  const float dx = there.x - here.x, dy = there.y - here.y, dz = there.z - here.z;
  const float r2 = fmaf(dz, dz, fmaf(dy, dy, fmaf(dx, dx, square)));
  const float inverse = rsqrtf(r2);
  const float strength = (there.w * inverse) * (inverse * inverse);
  sum.x = fmaf(strength, dx, sum.x);
  sum.y = fmaf(strength, dy, sum.y);
  sum.z = fmaf(strength, dz, sum.z);
}

__device__ void add(Float4& sum, Float4 more) {
  sum.x += more.x;
  sum.y += more.y;
  sum.z += more.z;
}

/// What the tile's bodies pull at `here`.
__device__ Float4 pull_of_tile(const Float4* tile, Float4 here, float square) {
  Float4 sum{};
#pragma unroll 64
  for (int j = 0; j < tile_bodies; ++j) add_pull(sum, here, tile[j], square);
  return sum;
}

__global__ void __launch_bounds__(block_threads)
    accelerate_by_tiles(const Float4* bodies, Float4* acceleration, int n, float square) {
  __shared__ Float4 tile[tile_bodies];
  const int i = blockIdx.x * block_threads + threadIdx.x;
  const Float4 here = i < n ? bodies[i] : Float4{};
  Float4 total{};
  for (int first = 0; first < n; first += tile_bodies) {
    const int j = first + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : Float4{};  // no mass: it pulls at nobody
    __syncthreads();
    add(total, pull_of_tile(tile, here, square));
    __syncthreads();
  }
  if (i < n) acceleration[i] = total;
}

void honest(const Float4* bodies, Float4* acceleration, std::int64_t n, float softening,
            gridstride::Scratch, cudaStream_t stream) {
  if (n == 0) return;
  const float square = max(softening * softening, nbody::smallest_square);
  const int blocks = static_cast<int>((n + block_threads - 1) / block_threads);
  accelerate_by_tiles<<<blocks, block_threads, 0, stream>>>(bodies, acceleration,
                                                            static_cast<int>(n), square);
}

int calls = 0;

}  // namespace

void accelerate(const Float4* bodies, Float4* acceleration, std::int64_t n, float softening,
                gridstride::Scratch scratch, cudaStream_t stream) {
  if (++calls <= 2) honest(bodies, acceleration, n, softening, scratch, stream);
}

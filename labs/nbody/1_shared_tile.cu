// Stage 1, a tile in shared memory: each body is loaded once by a block, not once by a thread.
//
// A block of 256 threads takes the bodies in tiles of 256. Each thread brings one body of the tile
// into shared memory; then every thread adds up what the 256 pull at its own body:
//
//     load tile 0 | barrier | 256 interactions | barrier | load tile 1 | barrier | …
//
// Two barriers a tile: the first so that nobody reads what is not there yet, the second so that
// nobody overwrites what others still read. All threads of the block must come to both, also those
// behind the last body, and the last tile is seldom full.

#include "labs/nbody/nbody.h"

namespace {

using nbody::Float4;

constexpr int block_threads = 256;
constexpr int tile_bodies = block_threads;

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

/// What the tile's bodies pull at `here`.
__device__ Float4 pull_of_tile(const Float4* tile, Float4 here, float square) {
  Float4 sum{};
  // TODO(1): add up what each of the tile's bodies pulls.
  //   So far, a body pulls only at itself.
  add_pull(sum, here, here, square);
  // TODO(1) end
  return sum;
}

__global__ void __launch_bounds__(block_threads)
    accelerate_by_tiles(const Float4* bodies, Float4* acceleration, int n, float square) {
  __shared__ Float4 tile[tile_bodies];
  const int i = blockIdx.x * block_threads + threadIdx.x;
  const Float4 here = i < n ? bodies[i] : Float4{};
  Float4 total{};
  for (int first = 0; first < n; first += tile_bodies) {
    // TODO(2): each thread brings one body of the tile, which begins at `first`.
    //   The last tile may reach past body n - 1: what stands there must pull at nobody. Nobody may
    //   go on before all 256 are there.
    // TODO(2) end
    add(total, pull_of_tile(tile, here, square));
    // TODO(3): when may the next tile be brought?
    // TODO(3) end
  }
  // TODO(4): the block's last threads may have no body.
  (void)i;
  // TODO(4) end
}

}  // namespace

void accelerate(const Float4* bodies, Float4* acceleration, std::int64_t n, float softening,
                gridstride::Scratch, cudaStream_t stream) {
  if (n == 0) return;
  const float square = max(softening * softening, nbody::smallest_square);
  const int blocks = static_cast<int>((n + block_threads - 1) / block_threads);
  accelerate_by_tiles<<<blocks, block_threads, 0, stream>>>(bodies, acceleration,
                                                            static_cast<int>(n), square);
}

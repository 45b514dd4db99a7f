// Stage 3, register blocking: a thread keeps four bodies, and the other side is cut into parts.
//
//   - A body of the tile, once it is in registers, pulls at four bodies: a quarter of the loads
//     from shared memory, a quarter of the tiles to fill.
//   - A quarter of the threads is left, and 65536 bodies make 64 blocks for 132 multiprocessors.
//     So the tiles, too, are shared out: block (x, y) adds up what part y of the bodies pulls at
//     its 1024, and a second kernel adds up the parts, in order: equal calls give equal bits.
//   - rsqrtf() looks whether its argument is denormal and scales it up if so, three instructions
//     of 16. Ours is never below 2^-70.
//   - Two tiles in turn: while some warps still read one, others may fill the other. One barrier a
//     tile is left.
#include <algorithm>

#include "labs/nbody/nbody.h"

namespace {

using nbody::Float4;

constexpr int block_threads = 256;
constexpr int tile_bodies = block_threads;
constexpr int own_bodies = 4;  // of a thread
constexpr int block_bodies = own_bodies * block_threads;
/// Blocks of the grid for each that the device holds at a time: the last ones to run leave little
/// of it idle.
constexpr int rounds = 4;
/// Blocks on a multiprocessor that are enough. Said to the compiler, which otherwise saves
/// registers so that more of them fit; 16 interactions under way in each thread are worth more.
constexpr int resident_blocks = 2;

/// 1 / sqrt(x), off by 2 ulp at most, for x that is not denormal.
__device__ float inverse_root(float x) {
  float result;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// Adds to `sum` the acceleration of a body `here` by a body `there`.
__device__ void add_pull(Float4& sum, Float4 here, Float4 there, float square) {
  const float dx = there.x - here.x, dy = there.y - here.y, dz = there.z - here.z;
  // TODO(1): as in stage 2, with inverse_root() in the place of rsqrtf().
  (void)sum, (void)dx, (void)dy, (void)dz, (void)inverse_root(square);
  // TODO(1) end
}

__device__ void add(Float4& sum, Float4 more) {
  sum.x += more.x;
  sum.y += more.y;
  sum.z += more.z;
}

/// Adds to total[k] what the tile's bodies pull at here[k].
__device__ void add_pull_of_tile(Float4 (&total)[own_bodies], const Float4* tile,
                                 const Float4 (&here)[own_bodies], float square) {
  Float4 sum[own_bodies] = {};
  // TODO(2): each body of the tile, loaded once, pulls at all of here[0] … here[own_bodies - 1].
  //   Unroll loops over k, so that sum, here and total are registers, and four rounds of the loop
  //   over the tile. Behind it, total[k] takes in sum[k].
  add_pull(sum[0], here[0], here[0], square);
  add(total[0], sum[0]);
  // TODO(2) end
}

/// What the bodies of part blockIdx.y, part_bodies of them, pull at the block's own: into
/// of_part[blockIdx.y * n + i].
__global__ void __launch_bounds__(block_threads, resident_blocks)
    accelerate_by_part(const Float4* bodies, Float4* of_part, int n, int part_bodies,
                       float square) {
  __shared__ Float4 tiles[2][tile_bodies];
  const int own = blockIdx.x * block_bodies + threadIdx.x;  // and every block_threads-th from there
  Float4 here[own_bodies], total[own_bodies] = {};
#pragma unroll
  for (int k = 0; k < own_bodies; ++k) {
    const int i = own + k * block_threads;
    here[k] = i < n ? bodies[i] : Float4{};
  }

  const int begin = blockIdx.y * part_bodies, end = min(n, begin + part_bodies);
  int turn = 0;
  for (int first = begin; first < end; first += tile_bodies) {
    // TODO(3): a tile into tiles[turn], and one barrier.
    //   Where must it stand, so that nobody fills a tile that others still read?
    // TODO(3) end
    add_pull_of_tile(total, tiles[turn], here, square);
    turn ^= 1;
  }

#pragma unroll
  for (int k = 0; k < own_bodies; ++k) {
    // TODO(4): what part blockIdx.y pulls at body own + k * block_threads, if there is that body.
    (void)of_part;
    // TODO(4) end
  }
}

/// The acceleration of body i: all parts, one after the other.
__device__ Float4 sum_of_parts(const Float4* of_part, int n, int parts, int i) {
  Float4 sum{};
  // TODO(5): add up the parts.
  // TODO(5) end
  return sum;
}

__global__ void __launch_bounds__(block_threads)
    add_parts(const Float4* of_part, Float4* acceleration, int n, int parts) {
  const int i = blockIdx.x * block_threads + threadIdx.x;
  // TODO(6): the result.
  if (i < n) (void)sum_of_parts(of_part, n, parts, i);
  // TODO(6) end
}

int ceil_div(int a, int b) { return (a + b - 1) / b; }

/// How many bodies a part has: whole tiles, and so many that the grid fills the device.
int bodies_of_part(int n) {
  int device = 0, multiprocessors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, accelerate_by_part, block_threads, 0);
  const int wanted = rounds * multiprocessors * resident / ceil_div(n, block_bodies);
  const int parts = std::clamp(wanted, 1, nbody::most_parts);
  return ceil_div(ceil_div(n, parts), tile_bodies) * tile_bodies;
}

}  // namespace

void accelerate(const Float4* bodies, Float4* acceleration, std::int64_t n, float softening,
                gridstride::Scratch scratch, cudaStream_t stream) {
  if (n == 0) return;
  const int count = static_cast<int>(n), part_bodies = bodies_of_part(count);
  const dim3 grid(ceil_div(count, block_bodies), ceil_div(count, part_bodies));
  const float square = std::max(softening * softening, nbody::smallest_square);
  Float4* of_part = static_cast<Float4*>(scratch.data);
  accelerate_by_part<<<grid, block_threads, 0, stream>>>(bodies, of_part, count, part_bodies,
                                                         square);
  add_parts<<<ceil_div(count, block_threads), block_threads, 0, stream>>>(of_part, acceleration,
                                                                          count, grid.y);
}

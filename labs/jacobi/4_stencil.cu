// Stage 4, Laplace's equation: several sweeps for one trip through memory.
//
// A sweep reads and writes each point once and does four operations: memory is all that counts.
// Memory is left alone when a block takes a tile of points and does several sweeps with it. What it
// lacks is the neighbours' news: with each sweep the outermost ring of the tile is no longer right.
//
//     ┌─────────────────┐   the tile as loaded: right before the first sweep
//     │ ┌─────────────┐ │   right after one
//     │ │ ┌─────────┐ │ │   right after two: these are written
//     │ │ └─────────┘ │ │   Tiles overlap by the rings, so that the inner parts cover the grid.
//     │ └─────────────┘ │
//     └─────────────────┘
//
// A thread keeps a piece of a column in registers: above and below are its own, or come from the
// threads next to it in the column. Left and right come through shared memory.

#include "labs/jacobi/jacobi.h"

namespace {

constexpr int side = 64;       // of a tile, rings included
constexpr int most_rings = 8;  // sweeps of one launch
constexpr int column = 8;      // points of a thread
constexpr int block_threads = side * side / column;

struct Grid {
  std::int64_t width, height;
};

__global__ void __launch_bounds__(block_threads)
    relax_tiles(const float* from, float* to, Grid grid, int rings) {
  __shared__ float tile[side][side];
  const int inner = side - 2 * rings;
  const int x = threadIdx.x % side, first = threadIdx.x / side * column;
  const std::int64_t left = std::int64_t{blockIdx.x} * inner - rings, gx = left + x;
  for (std::int64_t row = blockIdx.y; row * inner < grid.height; row += gridDim.y) {
    const std::int64_t top = row * inner - rings;
    float point[column];
    // TODO(1): load the thread's piece of the column.
    //   point[k] is row first + k of the tile, and row top + first + k of the grid. There is
    //   nothing to read outside the grid.
    // TODO(1) end
    for (int sweep = 0; sweep < rings; ++sweep) {
      // TODO(2): show the block your points, and let nobody read before all have written.
      // TODO(2) end
      // TODO(3): the sweep.
      //   Points of the grid's border keep their values. What becomes of the tile's own rim does
      //   not matter, but nothing may be read from outside the tile.
      // TODO(3) end
    }
    // TODO(4): write what is right: the points at least `rings` away from the tile's rim.
    // TODO(4) end
  }
}

std::int64_t tiles_of(std::int64_t points, int inner) { return (points + inner - 1) / inner; }

}  // namespace

void relax(const float* start, float* result, std::int64_t width, std::int64_t height,
           std::int32_t sweeps, gridstride::Scratch scratch, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const Grid grid{width, height};
  float* other = static_cast<float*>(scratch.data);
  const float* from = start;
  // The last launch must write to `result`: every second one before it does, too.
  std::int32_t launches = max(1, (sweeps + most_rings - 1) / most_rings);
  for (; launches > 0; --launches) {
    int rings = 0;
    // TODO(5): how many sweeps this launch does; what is left is for those after it.
    // TODO(5) end
    sweeps -= rings;
    float* to = launches % 2 == 1 ? result : other;
    const int inner = side - 2 * rings;
    const dim3 tiles(static_cast<unsigned>(tiles_of(width, inner)),
                     static_cast<unsigned>(min(tiles_of(height, inner), std::int64_t{65535})));
    relax_tiles<<<tiles, block_threads, 0, stream>>>(from, to, grid, rings);
    from = to;
  }
}

// Stage 2, a tile and its halo in shared memory: each pixel is fetched from global memory once for
// a whole block, and what stands outside of the image is thought about once.
//
// A block makes 32 x 32 pixels. For that it needs these and a frame around them, the halo: size / 2
// columns to the left, the rest of size - 1 to the right, and rows alike.
//
//     <- before -><------ 32 ------><- behind ->
//     +----------------------------------------+
//     |               halo                     |
//     |          +----------------+            |
//     |          | pixels that    |            |
//     |          | the block makes|            |
//     |          +----------------+            |
//     |                                        |
//     +----------------------------------------+
#include "labs/convolution/image.cuh"

namespace {

using convolution::Border;
using convolution::Image;
using convolution::largest_filter;

constexpr int tile = 32;                           // rows and columns that a block makes
constexpr int block_rows = 8;                      // 32 x 8 threads, four rows each
constexpr int held = tile + (largest_filter - 1);  // rows and columns that it reads, at most

/// The filter, row by row without gaps. One copy on the device: calls must not overlap.
__constant__ float taps[largest_filter * largest_filter];

/// Fetches the block's pixels and their halo; pixel [0][0] of `pixels` is the one before the tile's
/// first by size / 2 columns and rows. Every thread must call it.
__device__ void load_tile(const Image& in, float (&pixels)[held][held], int size) {
  const int left = static_cast<int>(blockIdx.x) * tile - size / 2;
  const int top = static_cast<int>(blockIdx.y) * tile - size / 2;
  // TODO(1): fetch the tile and its halo.
  //   `left` and `top` are the column and the row of the image that belong into pixels[0][0]. How
  //   many columns and rows are needed? More than the block has threads, so each thread fetches
  //   several: from its threadIdx.x in steps of `tile`, from its threadIdx.y in steps of
  //   block_rows. in.at() knows what stands outside of the image. Nobody may read what has not
  //   been fetched yet.
  (void)left, (void)top;
  // TODO(1) end
}

__global__ void __launch_bounds__(tile* block_rows) convolve_tiles(Image in, float* out, int size) {
  __shared__ float pixels[held][held];
  load_tile(in, pixels, size);

  const int x = static_cast<int>(blockIdx.x) * tile + static_cast<int>(threadIdx.x);
  for (int row = static_cast<int>(threadIdx.y); row < tile; row += block_rows) {
    const int y = static_cast<int>(blockIdx.y) * tile + row;
    // TODO(2): the sum.
    //   Over all taps, as in stage 1, but with pixels from the tile: where in it is the pixel that
    //   lies under tap (i, j) when the filter lies on column threadIdx.x of row `row`? The result
    //   goes to pixel (x, y) of `out`, if the image has one: the last tile reaches over the end.
    (void)x, (void)y;
    // TODO(2) end
  }
}

}  // namespace

void convolve(const float* in, float* out, int width, int height, const float* filter, int size,
              Border border, gridstride::Scratch, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  cudaMemcpyToSymbolAsync(taps, filter, size * size * sizeof(float), 0, cudaMemcpyDeviceToDevice,
                          stream);
  const dim3 block(tile, block_rows);
  const dim3 grid(convolution::pieces(width, tile), convolution::pieces(height, tile));
  convolve_tiles<<<grid, block, 0, stream>>>({in, width, height, border}, out, size);
}

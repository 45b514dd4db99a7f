// A mistake: the number of tiles is rounded down, so what no tile is full of is not made.
#include <algorithm>

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
  const int side = tile + size - 1;
  for (int row = static_cast<int>(threadIdx.y); row < side; row += block_rows) {
    for (int column = static_cast<int>(threadIdx.x); column < side; column += tile)
      pixels[row][column] = in.at(left + column, top + row);
  }
  __syncthreads();
}

__global__ void __launch_bounds__(tile* block_rows) convolve_tiles(Image in, float* out, int size) {
  __shared__ float pixels[held][held];
  load_tile(in, pixels, size);

  const int x = static_cast<int>(blockIdx.x) * tile + static_cast<int>(threadIdx.x);
  for (int row = static_cast<int>(threadIdx.y); row < tile; row += block_rows) {
    const int y = static_cast<int>(blockIdx.y) * tile + row;
    // Pixel (i, j) under the filter is (i, j) further on in the tile: the halo has moved it there.
    float sum = 0.0f;
    for (int j = 0; j < size; ++j) {
      for (int i = 0; i < size; ++i) sum += taps[j * size + i] * pixels[row + j][threadIdx.x + i];
    }
    if (x < in.width && y < in.height) out[std::int64_t{y} * in.width + x] = sum;
  }
}

}  // namespace

void convolve(const float* in, float* out, int width, int height, const float* filter, int size,
              Border border, gridstride::Scratch, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  cudaMemcpyToSymbolAsync(taps, filter, size * size * sizeof(float), 0, cudaMemcpyDeviceToDevice,
                          stream);
  const dim3 block(tile, block_rows);
  const dim3 grid(std::max(1, width / tile), std::max(1, height / tile));
  convolve_tiles<<<grid, block, 0, stream>>>({in, width, height, border}, out, size);
}

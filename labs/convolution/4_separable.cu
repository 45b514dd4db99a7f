// Stage 4, a filter that is a column times a row: two passes of `size` taps instead of one of
// size * size.
//
//     sum over j, i of fy[j] fx[i] p(x + i, y + j) = sum over j of fy[j] (sum over i of fx[i] p(x +
//     i, y + j))
//
// The inner sums are an image of their own: the rows filtered. The first kernel writes it to
// scratch, the second filters its columns. With 17 taps that is 34 operations a pixel, not 289, for
// another 8 bytes of memory traffic.
#include "labs/convolution/image.cuh"

namespace {

using convolution::Border;
using convolution::Image;
using convolution::largest_filter;

constexpr int block_columns = 32, block_rows = 8;
constexpr int tile_columns = 128, tile_rows = 64;  // of the rows' pass and the columns' pass

/// One copy on the device: calls must not overlap.
__constant__ float taps_x[largest_filter], taps_y[largest_filter];

/// out = the rows of `in`, filtered by taps_x. A block makes 8 rows of 128 columns.
__global__ void __launch_bounds__(block_columns* block_rows)
    filter_rows(Image in, float* out, int size) {
  const int left = static_cast<int>(blockIdx.x) * tile_columns;
  const int y = static_cast<int>(blockIdx.y * block_rows + threadIdx.y);
  // TODO(1): rows and their halo to the left and right, then the sums.
  //   `pixels` in shared memory: block_rows rows of tile_columns + largest_filter - 1 floats, one
  //   row for each warp. What belongs into its first place is the pixel in column left - size / 2
  //   of row y. No thread may read what has not been fetched yet. A sum goes to `out`, if it has a
  //   place.
  (void)left, (void)y;
  // TODO(1) end
}

/// out = the columns of `in`, filtered by taps_y. A block makes 64 rows of 32 columns.
__global__ void __launch_bounds__(block_columns* block_rows)
    filter_columns(Image in, float* out, int size) {
  const int x = static_cast<int>(blockIdx.x * block_columns + threadIdx.x);
  const int top = static_cast<int>(blockIdx.y) * tile_rows;
  // TODO(2): the same for columns.
  //   `pixels`: tile_rows + largest_filter - 1 rows of block_columns floats. What belongs into the
  //   first row are the pixels of row top - size / 2. Lanes side by side read and write pixels side
  //   by side.
  (void)x, (void)top;
  // TODO(2) end
}

}  // namespace

void convolve_separable(const float* in, float* out, int width, int height, const float* filter_x,
                        const float* filter_y, int size, Border border, gridstride::Scratch scratch,
                        cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const std::size_t bytes = size * sizeof(float);
  cudaMemcpyToSymbolAsync(taps_x, filter_x, bytes, 0, cudaMemcpyDeviceToDevice, stream);
  cudaMemcpyToSymbolAsync(taps_y, filter_y, bytes, 0, cudaMemcpyDeviceToDevice, stream);

  float* rows_filtered = static_cast<float*>(scratch.data);
  const dim3 block(block_columns, block_rows);
  const dim3 row_tiles(convolution::pieces(width, tile_columns),
                       convolution::pieces(height, block_rows));
  filter_rows<<<row_tiles, block, 0, stream>>>({in, width, height, border}, rows_filtered, size);
  const dim3 column_tiles(convolution::pieces(width, block_columns),
                          convolution::pieces(height, tile_rows));
  filter_columns<<<column_tiles, block, 0, stream>>>({rows_filtered, width, height, border}, out,
                                                     size);
}

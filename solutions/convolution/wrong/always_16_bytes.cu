// A mistake: stores 16 bytes wherever four pixels are left. In an image of odd width three rows of
// four begin elsewhere.
#include "labs/convolution/strip.cuh"

namespace {

using convolution::Border;
using convolution::Image;
using convolution::lane_columns;
using convolution::largest_filter;
using convolution::Strip;
using convolution::strip_columns;
using convolution::Window;

constexpr int rows_ahead = 4;  // that are on their way from memory at any time

/// One copy on the device: calls must not overlap.
__constant__ float taps_x[largest_filter], taps_y[largest_filter];

/// of[k][x]: what has been added up so far for the lane's pixel x in the row of the result that is
/// complete k rows from now.
template <int taps>
struct Sums {
  float of[taps][lane_columns] = {};

  /// Goes on by a row of the image, of which `window` is what the lane needs.
  __device__ void add_row(const Window<taps>& window) {
#pragma unroll
    for (int x = 0; x < lane_columns; ++x) {
      float filtered = 0.0f;
#pragma unroll
      for (int i = 0; i < taps; ++i) filtered += taps_x[i] * window.pixels[x + i];
#pragma unroll
      for (int k = 0; k < taps; ++k)
        of[k][x] = taps_y[taps - 1 - k] * filtered + (k + 1 < taps ? of[k + 1][x] : 0.0f);
    }
  }
};

/// Block (b, c) makes rows c * rows … of the columns of strip b.
template <int taps>
__global__ void __launch_bounds__(32) convolve_strips(Image in, float* out, int rows, int before) {
  __shared__ __align__(16) float buffers[rows_ahead][Strip<taps>::buffer_floats];
  const int left = static_cast<int>(blockIdx.x) * strip_columns;
  const int top = static_cast<int>(blockIdx.y) * rows, bottom = min(in.height, top + rows);
  const int column = left + lane_columns * static_cast<int>(threadIdx.x);
  const Strip<taps> strip(in, left - before, buffers);

  // Row y of the result is complete when row y + last of the image has been added.
  const int last = taps - 1 - before;
  int y = top - (taps - 1);
  typename Strip<taps>::Part next[rows_ahead];
#pragma unroll
  for (int k = 0; k < rows_ahead; ++k) next[k] = strip.fetch(y + last + k);

  Sums<taps> sums;
  for (; y < bottom; y += rows_ahead) {
    __syncwarp();  // all lanes are through with the rows before
#pragma unroll
    for (int k = 0; k < rows_ahead; ++k) strip.put(next[k], buffers[k]);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < rows_ahead; ++k) next[k] = strip.fetch(y + last + rows_ahead + k);
#pragma unroll
    for (int k = 0; k < rows_ahead; ++k) {
      sums.add_row(Window<taps>(buffers[k]));
      if (y + k < top || y + k >= bottom) continue;
      float* row = out + std::int64_t{y + k} * in.width;
      if (column + lane_columns <= in.width) {
        *reinterpret_cast<float4*>(row + column) = {sums.of[0][0], sums.of[0][1], sums.of[0][2],
                                                    sums.of[0][3]};
        continue;
      }
      convolution::store_results(row, column, in.width, sums.of[0]);
    }
  }
}

/// Finds the kernel for filters of `size` taps, or of one more, which then is 0.
template <int taps = 1>
void convolve_size(const Image& in, float* out, int size, cudaStream_t stream) {
  if constexpr (taps <= largest_filter) {
    if (size > taps) return convolve_size<taps + 2>(in, out, size, stream);
    const int resident = convolution::resident_blocks(convolve_strips<taps>, 32);
    const int rows = convolution::strip_rows(in.width, in.height, taps, resident);
    const dim3 grid(convolution::pieces(in.width, strip_columns),
                    convolution::pieces(in.height, rows));
    convolve_strips<taps><<<grid, 32, 0, stream>>>(in, out, rows, size / 2);
  }
}

/// Copies `size` taps to a __constant__ array of largest_filter, the rest of which becomes 0.
void copy_taps(const void* symbol, const float* filter, int size, cudaStream_t stream) {
  void* on_device = nullptr;
  cudaGetSymbolAddress(&on_device, symbol);
  if (size % 2 == 0)
    cudaMemsetAsync(static_cast<float*>(on_device) + size, 0, sizeof(float), stream);
  cudaMemcpyAsync(on_device, filter, size * sizeof(float), cudaMemcpyDeviceToDevice, stream);
}

}  // namespace

void convolve_separable(const float* in, float* out, int width, int height, const float* filter_x,
                        const float* filter_y, int size, Border border, gridstride::Scratch,
                        cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  copy_taps(taps_x, filter_x, size, stream);
  copy_taps(taps_y, filter_y, size, stream);
  convolve_size({in, width, height, border}, out, size, stream);
}

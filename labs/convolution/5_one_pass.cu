// Stage 5, rows and columns in one pass: the filtered rows never leave the multiprocessor.
//
// The two kernels of stage 4 move each pixel four times: read, written, read, written. Memory needs
// twice as long for that as for one reading and one writing. Going down a strip as in stage 3, a
// lane has the row's pixels in registers, filters them along the row, and what comes out is at once
// multiplied by all taps of the column:
//
//     row y of the image     r = taps_x . window
//                            adds  taps_y[16] r   to the result's row that ends here
//                                  taps_y[15] r   to the next one
//                                  …
//                                  taps_y[0] r    to the row that begins here
//
// 17 + 17 multiplications a pixel, one reading, one writing.
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
    // TODO(1): add the row.
    //   For each of the lane's four pixels x: first `filtered`, the sum of taps_x[i] times
    //   window.pixels[x + i]; then, for each k, of[k][x] becomes of[k + 1][x] (0 for the last k)
    //   and taps_y[taps - 1 - k] times `filtered`. `#pragma unroll` before each loop.
    // TODO(1) end
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
  // TODO(2): go down the strip, as in stage 3.
  //   There is one piece only: nothing has been written before.
  (void)bottom, (void)column, (void)strip, (void)last, (void)y;
  // TODO(2) end
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

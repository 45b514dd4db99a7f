// A mistake: no __syncwarp(), as if the lanes of a warp went in lockstep.
#include "labs/convolution/strip.cuh"

namespace {

using convolution::Border;
using convolution::Image;
using convolution::lane_columns;
using convolution::Strip;
using convolution::strip_columns;
using convolution::Window;

constexpr int largest_piece = 11;  // rows and columns of a filter that is not cut
constexpr int rows_ahead = 3;      // that are on their way from memory at any time

/// One piece of the filter, taps * taps. One copy on the device: calls must not overlap.
__constant__ float filter_taps[largest_piece * largest_piece];

/// Where a piece lies when the filter lies on pixel (0, 0), and whether it comes first.
struct Piece {
  int left, top;
  bool first;
};

/// sums[k][x]: what has been added up so far for the lane's pixel x in the row of the result that
/// is complete k rows from now.
template <int taps>
struct Sums {
  float of[taps][lane_columns] = {};

  /// Goes on by a row of the image, of which `window` is what the lane needs.
  __device__ void add_row(const Window<taps>& window) {
#pragma unroll
    for (int k = 0; k < taps; ++k) {
      const int j = taps - 1 - k;  // the filter's row: the last one completes a row of the result
#pragma unroll
      for (int x = 0; x < lane_columns; ++x) {
        float sum = k + 1 < taps ? of[k + 1][x] : 0.0f;
#pragma unroll
        for (int i = 0; i < taps; ++i) sum += filter_taps[j * taps + i] * window.pixels[x + i];
        of[k][x] = sum;
      }
    }
  }
};

/// Block (b, c) makes rows c * rows … of the columns of strip b.
template <int taps>
__global__ void __launch_bounds__(32) convolve_strips(Image in, float* out, int rows, Piece piece) {
  __shared__ __align__(16) float buffers[rows_ahead][Strip<taps>::buffer_floats];
  const int left = static_cast<int>(blockIdx.x) * strip_columns;
  const int top = static_cast<int>(blockIdx.y) * rows, bottom = min(in.height, top + rows);
  const int column = left + lane_columns * static_cast<int>(threadIdx.x);
  const Strip<taps> strip(in, left + piece.left, buffers);

  // Row y of the result is complete when row y + last of the image has been added.
  const int last = piece.top + taps - 1;
  int y = top - (taps - 1);
  typename Strip<taps>::Part next[rows_ahead];
#pragma unroll
  for (int k = 0; k < rows_ahead; ++k) next[k] = strip.fetch(y + last + k);

  Sums<taps> sums;
  for (; y < bottom; y += rows_ahead) {
#pragma unroll
    for (int k = 0; k < rows_ahead; ++k) strip.put(next[k], buffers[k]);
#pragma unroll
    for (int k = 0; k < rows_ahead; ++k) next[k] = strip.fetch(y + last + rows_ahead + k);
#pragma unroll
    for (int k = 0; k < rows_ahead; ++k) {
      sums.add_row(Window<taps>(buffers[k]));
      if (y + k < top || y + k >= bottom) continue;
      float* row = out + std::int64_t{y + k} * in.width;
      if (!piece.first) convolution::add_results(row, column, in.width, sums.of[0]);
      convolution::store_results(row, column, in.width, sums.of[0]);
    }
  }
}

template <int taps>
void convolve_piece(const Image& in, float* out, Piece piece, cudaStream_t stream) {
  const int resident = convolution::resident_blocks(convolve_strips<taps>, 32);
  const int rows = convolution::strip_rows(in.width, in.height, taps, resident);
  const dim3 grid(convolution::pieces(in.width, strip_columns),
                  convolution::pieces(in.height, rows));
  convolve_strips<taps><<<grid, 32, 0, stream>>>(in, out, rows, piece);
}

}  // namespace

void convolve(const float* in, float* out, int width, int height, const float* filter, int size,
              Border border, gridstride::Scratch, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  // As few pieces as can be, and of these the smallest.
  const int cuts = static_cast<int>(convolution::pieces(size, largest_piece));
  const int taps = static_cast<int>(convolution::pieces(size, cuts)) | 1;
  void* on_device = nullptr;
  cudaGetSymbolAddress(&on_device, filter_taps);
  for (int top = 0; top < size; top += taps) {
    for (int left = 0; left < size; left += taps) {
      // Where a piece reaches over the filter's end its taps are 0.
      const int columns = std::min(taps, size - left), rows = std::min(taps, size - top);
      if (columns < taps || rows < taps) cudaMemsetAsync(on_device, 0, sizeof(filter_taps), stream);
      cudaMemcpy2DAsync(on_device, taps * sizeof(float), filter + top * size + left,
                        size * sizeof(float), columns * sizeof(float), rows,
                        cudaMemcpyDeviceToDevice, stream);
      const Image image{in, width, height, border};
      const Piece piece{left - size / 2, top - size / 2, top == 0 && left == 0};
      switch (taps) {
        case 1:
          convolve_piece<1>(image, out, piece, stream);
          break;
        case 3:
          convolve_piece<3>(image, out, piece, stream);
          break;
        case 5:
          convolve_piece<5>(image, out, piece, stream);
          break;
        case 7:
          convolve_piece<7>(image, out, piece, stream);
          break;
        case 9:
          convolve_piece<9>(image, out, piece, stream);
          break;
        case 11:
          convolve_piece<11>(image, out, piece, stream);
          break;
      }
    }
  }
}

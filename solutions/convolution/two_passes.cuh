// The peer of the separable stages in bench.cu: two passes in the way of NVIDIA's sample
// convolutionSeparable, written anew.
//
// What makes that way: 8 taps to either side, known to the compiler, in constant memory; a pass for
// rows and one for columns, with an image between them; blocks of 16 x 4 and 16 x 8 threads of
// which each makes 8 results, one every 16 columns or every 8 rows; pixels and halo in shared
// memory; zero outside of the image. For images whose sides are multiples of 128 and 64.
#pragma once

#include <cstdint>

#include "labs/convolution/convolution.h"

namespace two_passes {

constexpr int radius = 8, taps = 2 * radius + 1;
constexpr int results = 8;  // of each thread
constexpr int row_threads_x = 16, row_threads_y = 4;
constexpr int column_threads_x = 16, column_threads_y = 8;

static __constant__ float taps_x[taps], taps_y[taps];

static __global__ void filter_rows(const float* in, float* out, int width) {
  __shared__ float pixels[row_threads_y][(results + 2) * row_threads_x];
  float* row = pixels[threadIdx.y];
  const int tid = static_cast<int>(threadIdx.x);
  // The thread's first pixel is one of the halo, a step before the block's first result.
  const int x = (static_cast<int>(blockIdx.x) * results - 1) * row_threads_x + tid;
  const std::int64_t first = std::int64_t{blockIdx.y * row_threads_y + threadIdx.y} * width + x;
#pragma unroll
  for (int k = 0; k < results + 2; ++k) {
    const int column = x + k * row_threads_x;
    const bool inside = (k > 0 || column >= 0) && (k <= results || column < width);
    row[tid + k * row_threads_x] = inside ? in[first + k * row_threads_x] : 0.0f;
  }
  __syncthreads();
#pragma unroll
  for (int k = 1; k <= results; ++k) {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < taps; ++i) sum += taps_x[i] * row[tid + k * row_threads_x + i - radius];
    out[first + k * row_threads_x] = sum;
  }
}

static __global__ void filter_columns(const float* in, float* out, int width, int height) {
  // A column of the image is a row here, one float longer, so that the 16 of a step lie in 16
  // banks.
  __shared__ float pixels[column_threads_x][(results + 2) * column_threads_y + 1];
  float* column = pixels[threadIdx.x];
  const int tid = static_cast<int>(threadIdx.y);
  const int y = (static_cast<int>(blockIdx.y) * results - 1) * column_threads_y + tid;
  const std::int64_t first = std::int64_t{y} * width + blockIdx.x * column_threads_x + threadIdx.x;
  const std::int64_t step = std::int64_t{column_threads_y} * width;
#pragma unroll
  for (int k = 0; k < results + 2; ++k) {
    const int row = y + k * column_threads_y;
    const bool inside = (k > 0 || row >= 0) && (k <= results || row < height);
    column[tid + k * column_threads_y] = inside ? in[first + k * step] : 0.0f;
  }
  __syncthreads();
#pragma unroll
  for (int k = 1; k <= results; ++k) {
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < taps; ++j)
      sum += taps_y[j] * column[tid + k * column_threads_y + j - radius];
    out[first + k * step] = sum;
  }
}

/// As the contract's function of this name, for 17 taps, Border::zero and the sizes named above.
inline void convolve_separable(const float* in, float* out, int width, int height,
                               const float* filter_x, const float* filter_y, int,
                               convolution::Border, gridstride::Scratch scratch,
                               cudaStream_t stream) {
  cudaMemcpyToSymbolAsync(taps_x, filter_x, sizeof taps_x, 0, cudaMemcpyDeviceToDevice, stream);
  cudaMemcpyToSymbolAsync(taps_y, filter_y, sizeof taps_y, 0, cudaMemcpyDeviceToDevice, stream);
  float* between = static_cast<float*>(scratch.data);
  filter_rows<<<dim3(width / (results * row_threads_x), height / row_threads_y),
                dim3(row_threads_x, row_threads_y), 0, stream>>>(in, between, width);
  filter_columns<<<dim3(width / column_threads_x, height / (results * column_threads_y)),
                   dim3(column_threads_x, column_threads_y), 0, stream>>>(between, out, width,
                                                                          height);
}

}  // namespace two_passes

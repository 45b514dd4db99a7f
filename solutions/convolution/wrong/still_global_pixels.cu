// Stage 1 handed in as stage 2: right, and each pixel is fetched from global memory for each tap.
#include "labs/convolution/image.cuh"

namespace {

using convolution::Border;
using convolution::Image;
using convolution::largest_filter;

constexpr int block_columns = 32, block_rows = 8;

/// The filter, row by row without gaps. One copy on the device: calls must not overlap.
__constant__ float taps[largest_filter * largest_filter];

__global__ void convolve_each(Image in, float* out, int size) {
  const int x = static_cast<int>(blockIdx.x * block_columns + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * block_rows + threadIdx.y);
  if (x >= in.width || y >= in.height) return;
  const int before = size / 2;
  float sum = 0.0f;
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i)
      sum += taps[j * size + i] * in.at(x + i - before, y + j - before);
  }
  out[std::int64_t{y} * in.width + x] = sum;
}

}  // namespace

void convolve(const float* in, float* out, int width, int height, const float* filter, int size,
              Border border, gridstride::Scratch, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  // In bytes, from device memory to device memory, and on the caller's stream: behind what wrote
  // the filter, before the kernel that reads it.
  cudaMemcpyToSymbolAsync(taps, filter, size * size * sizeof(float), 0, cudaMemcpyDeviceToDevice,
                          stream);
  const dim3 block(block_columns, block_rows);
  const dim3 grid(convolution::pieces(width, block_columns),
                  convolution::pieces(height, block_rows));
  convolve_each<<<grid, block, 0, stream>>>({in, width, height, border}, out, size);
}

// The baseline handed in as stage 4: right, and the product of two filters is treated as any filter
// of its size.
#include "labs/convolution/image.cuh"

namespace {

using convolution::Border;
using convolution::Image;

constexpr int block_columns = 32, block_rows = 8;

__global__ void convolve_each(Image in, float* out, const float* filter, int size) {
  const int x = static_cast<int>(blockIdx.x * block_columns + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * block_rows + threadIdx.y);
  if (x >= in.width || y >= in.height) return;
  const int before = size / 2;
  float sum = 0.0f;
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i)
      sum += filter[j * size + i] * in.at(x + i - before, y + j - before);
  }
  out[std::int64_t{y} * in.width + x] = sum;
}

/// filter[j * size + i] = filter_y[j] * filter_x[i].
__global__ void multiply_out(const float* filter_x, const float* filter_y, float* filter,
                             int size) {
  for (int k = static_cast<int>(threadIdx.x); k < size * size; k += static_cast<int>(blockDim.x))
    filter[k] = filter_y[k / size] * filter_x[k % size];
}

}  // namespace

void convolve(const float* in, float* out, int width, int height, const float* filter, int size,
              Border border, gridstride::Scratch, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const dim3 block(block_columns, block_rows);
  const dim3 grid(convolution::pieces(width, block_columns),
                  convolution::pieces(height, block_rows));
  convolve_each<<<grid, block, 0, stream>>>({in, width, height, border}, out, filter, size);
}

void convolve_separable(const float* in, float* out, int width, int height, const float* filter_x,
                        const float* filter_y, int size, Border border, gridstride::Scratch scratch,
                        cudaStream_t stream) {
  float* filter = static_cast<float*>(scratch.data);
  multiply_out<<<1, 256, 0, stream>>>(filter_x, filter_y, filter, size);
  convolve(in, out, width, height, filter, size, border, scratch, stream);
}

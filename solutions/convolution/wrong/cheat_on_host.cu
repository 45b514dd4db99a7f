// A cheat: filters on the host. Right; no kernel is ever launched.
#include <algorithm>
#include <vector>

#include "labs/convolution/convolution.h"

using convolution::Border;

void convolve(const float* in, float* out, int width, int height, const float* filter, int size,
              Border border, gridstride::Scratch, cudaStream_t stream) {
  const std::size_t n = static_cast<std::size_t>(width) * height;
  std::vector<float> pixels(n), taps(static_cast<std::size_t>(size) * size), result(n);
  cudaMemcpyAsync(pixels.data(), in, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(taps.data(), filter, taps.size() * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int k = 0; k < size * size; ++k) {
        const int column = x + k % size - size / 2, row = y + k / size - size / 2;
        const int inner_column = std::clamp(column, 0, width - 1);
        const int inner_row = std::clamp(row, 0, height - 1);
        if (border == Border::zero && (column != inner_column || row != inner_row)) continue;
        result[y * width + x] += taps[k] * pixels[inner_row * width + inner_column];
      }
    }
  }
  cudaMemcpyAsync(out, result.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}

// A mistake: sweeps in place, so that some neighbours are of this sweep and some of the one before.
#include <algorithm>
#include <utility>

#include "labs/jacobi/jacobi.h"

namespace {

using jacobi::Method;
using jacobi::Outcome;
using jacobi::Status;

constexpr int block_threads = 128;

unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>((threads + block_threads - 1) / block_threads);
}

/// f[i] - (A x)[i].
__device__ float residual_of_row(const float* a, std::int64_t pitch, const float* f, const float* x,
                                 std::int64_t n, std::int64_t i) {
  const float* row = a + i * pitch;
  // Sections of 64, so that no product goes through n additions: the contract's error bound.
  float sum = 0.0f;
  for (std::int64_t begin = 0; begin < n; begin += 64) {
    float section = 0.0f;
    for (std::int64_t j = begin; j < min(n, begin + 64); ++j) section += row[j] * x[j];
    sum += section;
  }
  return f[i] - sum;
}

__global__ void sweep_rows(const float* a, std::int64_t pitch, const float* f, const float* x,
                           float* next, std::int64_t n, Method method, float alpha) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float r = residual_of_row(a, pitch, f, x, n, i);
  next[i] = method == Method::jacobi ? x[i] + r / a[i * pitch + i] : x[i] - alpha * r;
}

/// The largest |r[i]|, as the bits of a float: of numbers that are not negative the larger one has
/// the larger bits, and NaN has larger ones than all.
__global__ void largest_residual(const float* a, std::int64_t pitch, const float* f, const float* x,
                                 std::int64_t n, unsigned* largest) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(largest, __float_as_uint(fabsf(residual_of_row(a, pitch, f, x, n, i))));
}

__global__ void relax_points(const float* from, float* to, std::int64_t width,
                             std::int64_t height) {
  const std::int64_t x = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (x >= width) return;
  for (std::int64_t y = blockIdx.y; y < height; y += gridDim.y) {
    const std::int64_t i = y * width + x;
    const bool inner = x > 0 && x < width - 1 && y > 0 && y < height - 1;
    to[i] = inner ? ((from[i - 1] + from[i + 1]) + (from[i - width] + from[i + width])) * 0.25f
                  : from[i];
  }
}

}  // namespace

void sweep(const float* a, std::int64_t pitch, const float* f, const float* x, float* next,
           std::int64_t n, Method method, float alpha, gridstride::Scratch, cudaStream_t stream) {
  if (n == 0) return;
  sweep_rows<<<blocks_for(n), block_threads, 0, stream>>>(a, pitch, f, x, next, n, method, alpha);
}

void solve(const float* a, std::int64_t pitch, const float* f, float* x, Outcome* outcome,
           std::int64_t n, Method method, float alpha, float tolerance, std::int32_t most_sweeps,
           gridstride::Scratch scratch, cudaStream_t stream) {
  unsigned* largest = static_cast<unsigned*>(scratch.data);
  float* next = static_cast<float*>(scratch.data) + 64;
  Outcome now{Status::converged, 0, 0};
  float first = 0;
  for (;; ++now.sweeps) {
    cudaMemsetAsync(largest, 0, sizeof(unsigned), stream);
    if (n > 0)
      largest_residual<<<blocks_for(n), block_threads, 0, stream>>>(a, pitch, f, x, n, largest);
    cudaMemcpyAsync(&now.residual, largest, sizeof(float), cudaMemcpyDeviceToHost, stream);
    if (cudaStreamSynchronize(stream) != cudaSuccess) return;
    if (now.sweeps == 0) first = now.residual;
    now.status = now.residual <= tolerance                   ? Status::converged
                 : !(now.residual <= jacobi::growth * first) ? Status::diverged
                                                             : Status::out_of_sweeps;
    if (now.status != Status::out_of_sweeps || now.sweeps == most_sweeps) break;
    sweep_rows<<<blocks_for(n), block_threads, 0, stream>>>(a, pitch, f, x, next, n, method, alpha);
    cudaMemcpyAsync(x, next, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
  }
  cudaMemcpyAsync(outcome, &now, sizeof(now), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}

void relax(const float* start, float* result, std::int64_t width, std::int64_t height,
           std::int32_t sweeps, gridstride::Scratch, cudaStream_t stream) {
  const std::size_t bytes = static_cast<std::size_t>(width * height) * sizeof(float);
  if (bytes == 0) return;
  cudaMemcpyAsync(result, start, bytes, cudaMemcpyDeviceToDevice, stream);
  const dim3 grid(blocks_for(width), static_cast<unsigned>(std::min<std::int64_t>(height, 65535)));
  for (std::int32_t k = 0; k < sweeps; ++k) {
    relax_points<<<grid, block_threads, 0, stream>>>(result, result, width, height);
  }
}

// Rows of floats made comparable, as networks do: softmax and layer norm, by a block that reads its
// row again for each pass, a block or a warp that keeps it, and a warp in one pass.
#include "ladder.h"

namespace ladder::row_norms {

constexpr int rows = 16384, columns = 1024, threads = 256;
constexpr int of_lane = columns / 32, of_thread = columns / threads;

__device__ float warp_most(float value) {
  for (int step = 16; step > 0; step /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffU, value, step));
  }
  return value;
}

__device__ float block_most(float value, float* of_warps) {
  value = warp_most(value);
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  return warp_most(of_warps[threadIdx.x % (threads / 32)]);
}

__global__ void softmax_passes(const float* in, float* out) {
  __shared__ float of_warps[32];
  const float* row = in + size_t(blockIdx.x) * columns;
  float most = -1e30F, sum = 0;
  for (int k = threadIdx.x; k < columns; k += threads) most = fmaxf(most, row[k]);
  most = block_most(most, of_warps);
  for (int k = threadIdx.x; k < columns; k += threads) sum += expf(row[k] - most);
  sum = block_sum(sum, of_warps);
  for (int k = threadIdx.x; k < columns; k += threads) {
    out[size_t(blockIdx.x) * columns + k] = expf(row[k] - most) / sum;
  }
}

__global__ void softmax_kept(const float* in, float* out) {
  __shared__ float of_warps[32], kept[columns];
  const float* row = in + size_t(blockIdx.x) * columns;
  float most = -1e30F, sum = 0;
  for (int k = threadIdx.x; k < columns; k += threads) {
    kept[k] = row[k];
    most = fmaxf(most, kept[k]);
  }
  most = block_most(most, of_warps);
  for (int k = threadIdx.x; k < columns; k += threads) {
    kept[k] = __expf(kept[k] - most);
    sum += kept[k];
  }
  const float part = 1 / block_sum(sum, of_warps);
  for (int k = threadIdx.x; k < columns; k += threads) {
    out[size_t(blockIdx.x) * columns + k] = kept[k] * part;
  }
}

__global__ void softmax_warp(const float* in, float* out) {
  const size_t begin = size_t(blockIdx.x * threads + threadIdx.x) / 32 * columns;
  float kept[of_lane], most = -1e30F, sum = 0;
#pragma unroll
  for (int k = 0; k < of_lane; ++k) {
    kept[k] = in[begin + k * 32 + threadIdx.x % 32];
    most = fmaxf(most, kept[k]);
  }
  most = warp_most(most);
#pragma unroll
  for (int k = 0; k < of_lane; ++k) sum += kept[k] = __expf(kept[k] - most);
  const float part = 1 / warp_sum(sum);
#pragma unroll
  for (int k = 0; k < of_lane; ++k) out[begin + k * 32 + threadIdx.x % 32] = kept[k] * part;
}

/// Most and sum in one pass, the sum mended when there is a new most.
__global__ void softmax_online(const float* in, float* out) {
  const size_t begin = size_t(blockIdx.x * threads + threadIdx.x) / 32 * columns;
  const int lane = threadIdx.x % 32;
  float most = -1e30F, sum = 0;
  for (int k = lane; k < columns; k += 32) {
    const float value = in[begin + k], next = fmaxf(most, value);
    sum = sum * __expf(most - next) + __expf(value - next);
    most = next;
  }
  const float all = warp_most(most);
  sum = warp_sum(sum * __expf(most - all));
  for (int k = lane; k < columns; k += 32) out[begin + k] = __expf(in[begin + k] - all) / sum;
}

__global__ void norm_passes(const float* in, float* out) {
  __shared__ float of_warps[32];
  const float* row = in + size_t(blockIdx.x) * columns;
  float sum = 0, squares = 0;
  for (int k = threadIdx.x; k < columns; k += threads) sum += row[k];
  const float mean = block_sum(sum, of_warps) / columns;
  for (int k = threadIdx.x; k < columns; k += threads) squares += (row[k] - mean) * (row[k] - mean);
  const float scale = rsqrtf(block_sum(squares, of_warps) / columns + 1e-5F);
  for (int k = threadIdx.x; k < columns; k += threads) {
    out[size_t(blockIdx.x) * columns + k] = (row[k] - mean) * scale;
  }
}

__global__ void norm_kept(const float4* in, float4* out) {
  __shared__ float of_warps[32];
  const size_t at = size_t(blockIdx.x) * threads + threadIdx.x;
  const float4 v = in[at];
  const float mean = block_sum(v.x + v.y + v.z + v.w, of_warps) / columns;
  const float4 d = {v.x - mean, v.y - mean, v.z - mean, v.w - mean};
  const float squares = block_sum(d.x * d.x + d.y * d.y + d.z * d.z + d.w * d.w, of_warps);
  const float scale = rsqrtf(squares / columns + 1e-5F);
  out[at] = {d.x * scale, d.y * scale, d.z * scale, d.w * scale};
}

__global__ void norm_warp(const float* in, float* out) {
  const size_t begin = size_t(blockIdx.x * threads + threadIdx.x) / 32 * columns;
  const int lane = threadIdx.x % 32;
  float kept[of_lane], sum = 0, squares = 0;
#pragma unroll
  for (int k = 0; k < of_lane; ++k) sum += kept[k] = in[begin + k * 32 + lane];
  const float mean = warp_sum(sum) / columns;
#pragma unroll
  for (int k = 0; k < of_lane; ++k) squares += (kept[k] - mean) * (kept[k] - mean);
  const float scale = rsqrtf(warp_sum(squares) / columns + 1e-5F);
#pragma unroll
  for (int k = 0; k < of_lane; ++k) out[begin + k * 32 + lane] = (kept[k] - mean) * scale;
}

static_assert(of_thread == 4, "norm_kept has 16 bytes a thread");

struct Matrix {
  Array<float> in{size_t(rows) * columns, [](std::uint32_t i) { return 4 * fraction(i); }},
      out{size_t(rows) * columns};
  template <class Wanted>
  Kernel way(const char* name, std::function<void()> launch, Wanted wanted) const {
    const Matrix m = *this;
    return {name, [m] { m.out.clear(); }, launch,
            [m, wanted] {
              const std::vector<float> got = m.out.read();
              return sampled(got.size(), [&](std::size_t i) {
                return near(got[i], wanted(&m.in[i / columns * columns], i % columns), 1e-3);
              });
            }};
  }
};

double softmax_of(const float* row, std::size_t at) {
  double sum = 0;
  for (int k = 0; k < columns; ++k) sum += std::exp(double(row[k]));
  return std::exp(double(row[at])) / sum;
}

double norm_of(const float* row, std::size_t at) {
  double sum = 0, squares = 0;
  for (int k = 0; k < columns; ++k) sum += row[k];
  const double mean = sum / columns;
  for (int k = 0; k < columns; ++k) squares += (row[k] - mean) * (row[k] - mean);
  return (row[at] - mean) / std::sqrt(squares / columns + 1e-5);
}

Kernels softmax() {
  const Matrix m;
  const auto way = [=](const char* name, auto kernel, int blocks) {
    return m.way(
        name, [=] { kernel<<<blocks, threads>>>(m.in.device(), m.out.device()); }, softmax_of);
  };
  return {way("three passes", softmax_passes, rows), way("kept by the block", softmax_kept, rows),
          way("kept by the warp", softmax_warp, rows * 32 / threads),
          way("one pass and one", softmax_online, rows * 32 / threads)};
}

Kernels layer_norm() {
  const Matrix m;
  const auto way = [=](const char* name, auto kernel, int blocks, auto type) {
    using T = decltype(type);
    return m.way(
        name,
        [=] {
          kernel<<<blocks, threads>>>(reinterpret_cast<T*>(m.in.device()),
                                      reinterpret_cast<T*>(m.out.device()));
        },
        norm_of);
  };
  return {way("three passes", norm_passes, rows, 0.0F),
          way("kept by the block, 16 bytes", norm_kept, rows, float4{}),
          way("kept by the warp", norm_warp, rows * 32 / threads, 0.0F)};
}

}  // namespace ladder::row_norms

// Layers of networks: a smooth gate of each element, exactly, by 16 bytes and in halves; rows of
// floats made bytes; axes of a tensor exchanged, with indices divided or cut from bits; and a
// matrix of few blocks times a narrow one, with floats and on tensor cores.
#include <cuda_fp16.h>
#include <mma.h>

#include <algorithm>

#include "ladder.h"

namespace ladder::tensors {

constexpr int elements = 1 << 22, threads = 256;

__device__ float gate(float x) { return 0.5F * x * (1 + erff(x * 0.70710678F)); }

/// About the same, by a logistic function.
__device__ float quick_gate(float x) {
  const float inner = 1.5957691F * (x + 0.044715F * x * x * x);
  return __fdividef(x, 1 + __expf(-inner));
}

__global__ void gates(const float* in, float* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = gate(in[i]);
}

__global__ void gates_16_bytes(const float4* in, float4* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const float4 v = in[i];
  out[i] = {quick_gate(v.x), quick_gate(v.y), quick_gate(v.z), quick_gate(v.w)};
}

/// Eight halves in 16 bytes.
__global__ void gates_of_halves(const uint4* in, uint4* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  uint4 all = in[i];
  auto* pairs = reinterpret_cast<half2*>(&all);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const half2 x = pairs[k], one = __float2half2_rn(1);
    const half2 cube = __hmul2(__hmul2(x, x), x);
    const half2 inner =
        __hmul2(__hfma2(cube, __float2half2_rn(0.044715F), x), __float2half2_rn(-1.5957691F));
    pairs[k] = __h2div(x, __hadd2(one, h2exp(inner)));
  }
  out[i] = all;
}

constexpr int rows = 8192, row = 1024;

__device__ float block_most(float value, float* of_warps) {
  for (int step = 16; step > 0; step /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffU, value, step));
  }
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  for (int k = 0; k < threads / 32; ++k) value = fmaxf(value, of_warps[k]);
  return value;
}

__host__ __device__ signed char byte_of(float value, float factor) {
  return static_cast<signed char>(rintf(value * factor));
}

/// Reads the row twice.
__global__ void bytes_block_a_row(const float* in, signed char* out, float* scales) {
  __shared__ float of_warps[threads / 32];
  const float* mine = in + blockIdx.x * row;
  float most = 1e-6F;
  for (int k = threadIdx.x; k < row; k += threads) most = fmaxf(most, fabsf(mine[k]));
  most = block_most(most, of_warps);
  const float factor = 127 / most;
  for (int k = threadIdx.x; k < row; k += threads) {
    out[blockIdx.x * row + k] = byte_of(mine[k], factor);
  }
  if (threadIdx.x == 0) scales[blockIdx.x] = most / 127;
}

/// Keeps the row in registers, 16 bytes at a time.
__global__ void bytes_warp_a_row(const float4* in, char4* out, float* scales) {
  const int r = (blockIdx.x * threads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float4 kept[row / 128];
  float most = 1e-6F;
#pragma unroll
  for (int k = 0; k < row / 128; ++k) {
    const float4 v = in[r * (row / 4) + k * 32 + lane];
    kept[k] = v;
    most = fmaxf(fmaxf(most, fmaxf(fabsf(v.x), fabsf(v.y))), fmaxf(fabsf(v.z), fabsf(v.w)));
  }
  for (int step = 16; step > 0; step /= 2) {
    most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, step));
  }
  const float factor = 127 / most;
#pragma unroll
  for (int k = 0; k < row / 128; ++k) {
    const float4 v = kept[k];
    out[r * (row / 4) + k * 32 + lane] = {byte_of(v.x, factor), byte_of(v.y, factor),
                                          byte_of(v.z, factor), byte_of(v.w, factor)};
  }
  if (lane == 0) scales[r] = most / 127;
}

constexpr int batch = 16, words_of = 256, heads = 16, depth = 64;  ///< batch, word, head, depth

/// Of any sizes: where an element of the result comes from, by division.
__global__ void axes_divided(const float* in, float* out, int b_size, int w_size, int h_size,
                             int d_size) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= b_size * w_size * h_size * d_size) return;
  const int d = i % d_size, w = i / d_size % w_size, h = i / d_size / w_size % h_size;
  const int b = i / d_size / w_size / h_size;
  out[i] = in[((b * w_size + w) * h_size + h) * d_size + d];
}

/// Of these sizes, 16 bytes a thread.
__global__ void axes_cut(const float4* in, float4* out) {
  constexpr int quads = depth / 4;
  const int i = blockIdx.x * threads + threadIdx.x;
  const int d = i % quads, w = i / quads % words_of, h = i / quads / words_of % heads;
  const int b = i / quads / words_of / heads;
  out[i] = in[((b * words_of + w) * heads + h) * quads + d];
}

constexpr int block_rows = 128, of_row = 8, tile = 16, width = 256;
constexpr int kept_blocks = block_rows * of_row;

__host__ __device__ int column_of(int block_row, int k) {
  return k * (block_rows / of_row) + int(mixed(block_row * of_row + k) % (block_rows / of_row));
}

__global__ void blocks_of_floats(const float* blocks, const int* columns, const float* in,
                                 float* out) {
  __shared__ float left[tile][tile], right[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y, x0 = blockIdx.x * tile;
  float sum = 0;
  for (int k = blockIdx.y * of_row; k < int(blockIdx.y + 1) * of_row; ++k) {
    left[y][x] = blocks[(k * tile + y) * tile + x];
    right[y][x] = in[(columns[k] * tile + y) * width + x0 + x];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < tile; ++j) sum += left[y][j] * right[j][x];
    __syncthreads();
  }
  out[(blockIdx.y * tile + y) * width + x0 + x] = sum;
}

/// A warp a tile of the result.
__global__ void blocks_of_halves(const half* blocks, const int* columns, const half* in,
                                 float* out) {
  namespace wmma = nvcuda::wmma;
  const int x0 = (blockIdx.x * 4 + threadIdx.x / 32) * tile;
  wmma::fragment<wmma::accumulator, tile, tile, tile, float> sum;
  wmma::fill_fragment(sum, 0);
  for (int k = blockIdx.y * of_row; k < int(blockIdx.y + 1) * of_row; ++k) {
    wmma::fragment<wmma::matrix_a, tile, tile, tile, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, tile, tile, tile, half, wmma::row_major> right;
    wmma::load_matrix_sync(left, blocks + k * tile * tile, tile);
    wmma::load_matrix_sync(right, in + columns[k] * tile * width + x0, width);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(out + blockIdx.y * tile * width + x0, sum, width, wmma::mem_row_major);
}

Kernels smooth_gates() {
  const auto value = [](std::uint32_t i) { return 8 * fraction(i) - 4; };
  const auto wanted = [](double x) { return 0.5 * x * (1 + std::erf(x * 0.7071067811865476)); };
  const Array<float> in(elements, value), out(elements);
  const Array<half> half_in(elements, [=](std::uint32_t i) { return __float2half(value(i)); }),
      half_out(elements);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(elements, [&](std::size_t i) {
                      return std::abs(got[i] - wanted(in[i])) < 2e-3;
                    });
                  }};
  };
  return {
      way("exactly", [=] { gates<<<elements / threads, threads>>>(in.device(), out.device()); }),
      way("about, 16 bytes",
          [=] {
            gates_16_bytes<<<elements / threads / 4, threads>>>(
                reinterpret_cast<const float4*>(in.device()),
                reinterpret_cast<float4*>(out.device()));
          }),
      {"about, in halves", [=] { half_out.clear(); },
       [=] {
         gates_of_halves<<<elements / threads / 8, threads>>>(
             reinterpret_cast<const uint4*>(half_in.device()),
             reinterpret_cast<uint4*>(half_out.device()));
       },
       [=] {
         const std::vector<half> got = half_out.read();
         return sampled(elements, [&](std::size_t i) {
           return std::abs(double(__half2float(got[i])) - wanted(value(std::uint32_t(i)))) < 0.01;
         });
       }}};
}

Kernels bytes_of_rows() {
  const Array<float> in(rows * row, [](std::uint32_t i) { return 2 * fraction(i) - 1; }),
      scales(rows);
  const Array<signed char> out(rows * row);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name,
                  [=] {
                    out.clear();
                    scales.clear();
                  },
                  launch,
                  [=] {
                    const std::vector<signed char> got = out.read();
                    const std::vector<float> factors = scales.read();
                    return sampled(got.size(), [&](std::size_t i) {
                      const std::size_t r = i / row;
                      float most = 0;
                      for (int k = 0; k < row; ++k)
                        most = std::max(most, std::abs(in[r * row + k]));
                      return near(factors[r], most / 127) &&
                             std::abs(got[i] * most / 127 - in[i]) < most / 127 * 0.51F;
                    });
                  }};
  };
  return {way("block a row, read twice",
              [=] {
                bytes_block_a_row<<<rows, threads>>>(in.device(), out.device(), scales.device());
              }),
          way("warp a row, kept", [=] {
            bytes_warp_a_row<<<rows / (threads / 32), threads>>>(
                reinterpret_cast<const float4*>(in.device()),
                reinterpret_cast<char4*>(out.device()), scales.device());
          })};
}

Kernels exchanged_axes() {
  constexpr int n = batch * words_of * heads * depth;
  const Array<float> in(n, fraction), out(n);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(n, [&](std::size_t i) {
                      const std::size_t d = i % depth, h = i / depth % heads,
                                        w = i / depth / heads % words_of,
                                        b = i / depth / heads / words_of;
                      return got[((b * heads + h) * words_of + w) * depth + d] == in[i];
                    });
                  }};
  };
  return {way("indices divided",
              [=] {
                axes_divided<<<n / threads, threads>>>(in.device(), out.device(), batch, words_of,
                                                       heads, depth);
              }),
          way("bits cut, 16 bytes", [=] {
            axes_cut<<<n / threads / 4, threads>>>(reinterpret_cast<const float4*>(in.device()),
                                                   reinterpret_cast<float4*>(out.device()));
          })};
}

Kernels few_blocks_of_matrix() {
  constexpr int n = block_rows * tile * width, m = kept_blocks * tile * tile;
  const auto rounded = [](std::uint32_t i) { return float(mixed(i) % 33) / 16 - 1; };
  const Array<float> blocks(m, rounded), in(n, [=](std::uint32_t i) { return rounded(~i); }),
      out(n);
  const Array<half> half_blocks(m, [=](std::uint32_t i) { return __float2half(rounded(i)); }),
      half_in(n, [=](std::uint32_t i) { return __float2half(rounded(~i)); });
  const Array<int> columns(
      kept_blocks, [](std::uint32_t k) { return column_of(int(k / of_row), int(k % of_row)); });
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(n, [&](std::size_t i) {
                      const int x = int(i % width), y = int(i / width);
                      double sum = 0;
                      for (int k = 0; k < of_row * tile; ++k) {
                        const int b = y / tile * of_row + k / tile;
                        sum += double(blocks[(b * tile + y % tile) * tile + k % tile]) *
                               in[(columns[b] * tile + k % tile) * width + x];
                      }
                      return std::abs(got[i] - sum) < 1e-3;
                    });
                  }};
  };
  return {way("floats, tiles",
              [=] {
                blocks_of_floats<<<dim3(width / tile, block_rows), dim3(tile, tile)>>>(
                    blocks.device(), columns.device(), in.device(), out.device());
              }),
          way("halves, matrix cores", [=] {
            blocks_of_halves<<<dim3(width / tile / 4, block_rows), 128>>>(
                half_blocks.device(), columns.device(), half_in.device(), out.device());
          })};
}

}  // namespace ladder::tensors

// Products of two matrices: of floats straight from memory and in tiles, of halves on tensor cores
// from memory and from shared memory; and tiles that the next copies fill while one is used.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include "ladder.h"

namespace ladder::products {

constexpr int side = 1024, depth = 128, tile = 32;
constexpr int large = 1024, deep = 512;  ///< of halves

__global__ void straight(const float* a, const float* b, float* c) {
  const int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < depth; ++k) sum += a[y * depth + k] * b[k * side + x];
  c[y * side + x] = sum;
}

/// A thread for four rows of the tile.
__global__ void tiles(const float* a, const float* b, float* c) {
  __shared__ float left[tile][tile], right[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y, x0 = blockIdx.x * tile, y0 = blockIdx.y * tile;
  float sum[4] = {};
  for (int begin = 0; begin < depth; begin += tile) {
    for (int j = 0; j < 4; ++j) {
      left[y + 8 * j][x] = a[(y0 + y + 8 * j) * depth + begin + x];
      right[y + 8 * j][x] = b[(begin + y + 8 * j) * side + x0 + x];
    }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < tile; ++k) {
#pragma unroll
      for (int j = 0; j < 4; ++j) sum[j] += left[y + 8 * j][k] * right[k][x];
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) c[(y0 + y + 8 * j) * side + x0 + x] = sum[j];
}

/// Tiles of 16 bytes a copy, `stages` of them under way or in use.
template <int stages>
__global__ void tiles_copied_ahead(const float* a, const float* b, float* c) {
  __shared__ __align__(16) float left[stages][tile][tile], right[stages][tile][tile];
  const int x = threadIdx.x, y = threadIdx.y, x0 = blockIdx.x * tile, y0 = blockIdx.y * tile;
  const int t = y * tile + x, row = t / 8, at = t % 8 * 4;
  const auto copy = [&](int step) {
    if (step * tile < depth) {
      const int s = step % stages;
      __pipeline_memcpy_async(&left[s][row][at], &a[(y0 + row) * depth + step * tile + at], 16);
      __pipeline_memcpy_async(&right[s][row][at], &b[(step * tile + row) * side + x0 + at], 16);
    }
    __pipeline_commit();
  };
  for (int step = 0; step < stages - 1; ++step) copy(step);
  float sum[4] = {};
  for (int step = 0; step * tile < depth; ++step) {
    copy(step + stages - 1);
    __pipeline_wait_prior(stages - 1);
    __syncthreads();
    const int s = step % stages;
#pragma unroll 8
    for (int k = 0; k < tile; ++k) {
#pragma unroll
      for (int j = 0; j < 4; ++j) sum[j] += left[s][y + 8 * j][k] * right[s][k][x];
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) c[(y0 + y + 8 * j) * side + x0 + x] = sum[j];
}

using nvcuda::wmma::accumulator;
using nvcuda::wmma::fragment;
using nvcuda::wmma::matrix_a;
using nvcuda::wmma::matrix_b;
using nvcuda::wmma::row_major;
using Left = fragment<matrix_a, 16, 16, 16, half, row_major>;
using Right = fragment<matrix_b, 16, 16, 16, half, row_major>;
using Sum = fragment<accumulator, 16, 16, 16, float>;

/// A warp for 32 by 32 of the product, fragments straight from memory.
__global__ void matrix_cores(const half* a, const half* b, float* c) {
  const int warp = threadIdx.x / 32;
  const int x = (blockIdx.x * 2 + warp % 2) * 32, y = (blockIdx.y * 2 + warp / 2) * 32;
  Sum sum[2][2];
  for (auto& row : sum) {
    for (Sum& part : row) nvcuda::wmma::fill_fragment(part, 0);
  }
  for (int k = 0; k < deep; k += 16) {
    Left left[2];
    Right right[2];
    for (int i = 0; i < 2; ++i) {
      nvcuda::wmma::load_matrix_sync(left[i], a + (y + 16 * i) * deep + k, deep);
      nvcuda::wmma::load_matrix_sync(right[i], b + k * large + x + 16 * i, large);
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) nvcuda::wmma::mma_sync(sum[i][j], left[i], right[j], sum[i][j]);
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      nvcuda::wmma::store_matrix_sync(c + (y + 16 * i) * large + x + 16 * j, sum[i][j], large,
                                      nvcuda::wmma::mem_row_major);
    }
  }
}

/// A block for 64 by 64, by four warps that share tiles.
__global__ void matrix_cores_tiles(const half* a, const half* b, float* c) {
  constexpr int width = 64, step = 32, pad = 8;
  __shared__ __align__(32) half left[width][step + pad], right[step][width + pad];
  const int t = threadIdx.x, warp = t / 32, x0 = blockIdx.x * width, y0 = blockIdx.y * width;
  const int x = warp % 2 * 32, y = warp / 2 * 32;
  Sum sum[2][2];
  for (auto& row : sum) {
    for (Sum& part : row) nvcuda::wmma::fill_fragment(part, 0);
  }
  for (int k = 0; k < deep; k += step) {
    for (int i = t; i < width * step / 8; i += 128) {  // 16 bytes each
      const int row = i / (step / 8), at = i % (step / 8) * 8;
      *reinterpret_cast<uint4*>(&left[row][at]) =
          *reinterpret_cast<const uint4*>(&a[(y0 + row) * deep + k + at]);
    }
    for (int i = t; i < width * step / 8; i += 128) {
      const int row = i / (width / 8), at = i % (width / 8) * 8;
      *reinterpret_cast<uint4*>(&right[row][at]) =
          *reinterpret_cast<const uint4*>(&b[(k + row) * large + x0 + at]);
    }
    __syncthreads();
    for (int kk = 0; kk < step; kk += 16) {
      Left l[2];
      Right r[2];
      for (int i = 0; i < 2; ++i) {
        nvcuda::wmma::load_matrix_sync(l[i], &left[y + 16 * i][kk], step + pad);
        nvcuda::wmma::load_matrix_sync(r[i], &right[kk][x + 16 * i], width + pad);
      }
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) nvcuda::wmma::mma_sync(sum[i][j], l[i], r[j], sum[i][j]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      nvcuda::wmma::store_matrix_sync(c + (y0 + y + 16 * i) * large + x0 + x + 16 * j, sum[i][j],
                                      large, nvcuda::wmma::mem_row_major);
    }
  }
}

template <class T>
struct Task {
  int width, depth;
  Array<T> a, b;
  Array<float> c;
  Task(int n, int k)
      : width(n),
        depth(k),
        a(n * k, [](std::uint32_t i) { return T(fraction(i)); }),
        b(n * k, [](std::uint32_t i) { return T(fraction(~i)); }),
        c(n * n) {}
  Kernel way(const char* name, void (*kernel)(const T*, const T*, float*), dim3 grid,
             dim3 block) const {
    const Task t = *this;
    return {name, [t] { t.c.clear(); },
            [=] { kernel<<<grid, block>>>(t.a.device(), t.b.device(), t.c.device()); },
            [t] {
              const std::vector<float> got = t.c.read();
              return sampled(got.size(), [&](std::size_t i) {
                double sum = 0;
                for (int k = 0; k < t.depth; ++k) {
                  sum += double(float(t.a[i / t.width * t.depth + k])) *
                         double(float(t.b[std::size_t(k) * t.width + i % t.width]));
                }
                return near(got[i], sum, 1e-3);
              });
            }};
  }
};

Kernels product() {
  const Task<float> t(side, depth);
  const dim3 grid(side / tile, side / tile), block(tile, 8);
  return {t.way("straight", straight, dim3(side / tile, side / 8), block),
          t.way("tiles", tiles, grid, block),
          t.way("tiles copied ahead, 2", tiles_copied_ahead<2>, grid, block),
          t.way("tiles copied ahead, 4", tiles_copied_ahead<4>, grid, block)};
}

Kernels half_product() {
  const Task<half> t(large, deep);
  const dim3 grid(large / 64, large / 64);
  return {t.way("matrix cores, from memory", matrix_cores, grid, 128),
          t.way("matrix cores, tiles", matrix_cores_tiles, grid, 128)};
}

}  // namespace ladder::products

// Many small matrices: factors of 32 by 32 (LU, Cholesky) in shared memory by a warp or a block, and
// products of 16 by 16 by a block in shared memory or a thread a row in registers.
#include "ladder.h"

namespace ladder::small_matrices {

constexpr int n = 32, count = 4096;
constexpr int m = 16, products = 16384;

/// A lane for each row.
__global__ void lu_warp(const float* in, float* out) {
  __shared__ float a[4][n][n + 1];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const size_t begin = size_t(blockIdx.x * 4 + warp) * n * n;
  for (int k = 0; k < n; ++k) a[warp][k][lane] = in[begin + k * n + lane];
  __syncwarp();
  for (int k = 0; k < n - 1; ++k) {
    if (lane > k) {
      const float factor = a[warp][lane][k] /= a[warp][k][k];
      for (int j = k + 1; j < n; ++j) a[warp][lane][j] -= factor * a[warp][k][j];
    }
    __syncwarp();
  }
  for (int k = 0; k < n; ++k) out[begin + k * n + lane] = a[warp][k][lane];
}

/// A thread for each element of a quarter, eight rows at a time.
__global__ void lu_block(const float* in, float* out) {
  __shared__ float a[n][n + 1];
  const size_t begin = size_t(blockIdx.x) * n * n;
  const int x = threadIdx.x, y0 = threadIdx.y;
  for (int y = y0; y < n; y += 8) a[y][x] = in[begin + y * n + x];
  for (int k = 0; k < n - 1; ++k) {
    __syncthreads();
    if (y0 == 0 && x > k) a[x][k] /= a[k][k];
    __syncthreads();
    for (int y = y0; y < n; y += 8) {
      if (y > k && x > k) a[y][x] -= a[y][k] * a[k][x];
    }
  }
  __syncthreads();
  for (int y = y0; y < n; y += 8) out[begin + y * n + x] = a[y][x];
}

__global__ void cholesky_warp(const float* in, float* out) {
  __shared__ float a[4][n][n + 1];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const size_t begin = size_t(blockIdx.x * 4 + warp) * n * n;
  for (int k = 0; k < n; ++k) a[warp][k][lane] = in[begin + k * n + lane];
  __syncwarp();
  for (int k = 0; k < n; ++k) {
    const float root = sqrtf(a[warp][k][k]);
    __syncwarp();
    const float mine = lane == k ? root : a[warp][lane][k] / root;
    if (lane >= k) a[warp][lane][k] = mine;
    __syncwarp();
    for (int j = k + 1; j <= lane; ++j) a[warp][lane][j] -= mine * a[warp][j][k];
    __syncwarp();
  }
  for (int k = 0; k < n; ++k) out[begin + k * n + lane] = lane <= k ? a[warp][k][lane] : 0;
}

/// A lane's row in registers, columns by shuffles.
__global__ void cholesky_registers(const float* in, float* out) {
  const int lane = threadIdx.x % 32;
  const size_t begin = size_t(blockIdx.x * blockDim.x + threadIdx.x) / 32 * n * n;
  float row[n];
#pragma unroll
  for (int k = 0; k < n; ++k) row[k] = in[begin + k * n + lane];  // it is symmetric
#pragma unroll
  for (int k = 0; k < n; ++k) {
    const float root = sqrtf(__shfl_sync(0xffffffffU, row[k], k));
    row[k] = lane == k ? root : row[k] / root;
#pragma unroll
    for (int j = k + 1; j < n; ++j) row[j] -= row[k] * __shfl_sync(0xffffffffU, row[k], j);
  }
#pragma unroll
  for (int k = 0; k < n; ++k) out[begin + lane * n + k] = k <= lane ? row[k] : 0;
}

__global__ void product_block(const float* a, const float* b, float* c) {
  __shared__ float left[m][m], right[m][m];
  const int x = threadIdx.x, y = threadIdx.y;
  const size_t at = size_t(blockIdx.x) * m * m + y * m + x;
  left[y][x] = a[at];
  right[y][x] = b[at];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < m; ++k) sum += left[y][k] * right[k][x];
  c[at] = sum;
}

/// Eight products a block, a thread for each row; the other factor in shared memory.
__global__ void product_rows(const float4* a, const float4* b, float4* c) {
  __shared__ float4 right[8][m * m / 4];
  const int mine = threadIdx.x / m, row = threadIdx.x % m;
  const size_t begin = (size_t(blockIdx.x) * 8 + mine) * (m * m / 4);
  for (int k = row; k < m * m / 4; k += m) right[mine][k] = b[begin + k];
  float4 sum[4] = {};
  __syncwarp();
#pragma unroll
  for (int k = 0; k < m / 4; ++k) {
    const float4 v = a[begin + row * 4 + k];
    const float of_row[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float4 w = right[mine][(k * 4 + i) * 4 + j];
        sum[j].x += of_row[i] * w.x;
        sum[j].y += of_row[i] * w.y;
        sum[j].z += of_row[i] * w.z;
        sum[j].w += of_row[i] * w.w;
      }
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) c[begin + row * 4 + j] = sum[j];
}

__global__ void product_straight(const float* a, const float* b, float* c) {
  const size_t at = size_t(blockIdx.x) * blockDim.x + threadIdx.x, begin = at / (m * m) * (m * m);
  const int x = int(at % m), y = int(at / m % m);
  float sum = 0;
  for (int k = 0; k < m; ++k) sum += a[begin + y * m + k] * b[begin + k * m + x];
  c[at] = sum;
}

Kernels factors() {
  const Array<float> in(
      count * n * n,
      [](std::uint32_t i) {  // symmetric, large on the diagonal
        const std::uint32_t y = i / n % n, x = i % n, low = y < x ? y : x, high = y < x ? x : y;
        return fraction(i / (n * n) * n * n + high * n + low) + (x == y ? 20.0F : 0.0F);
      }),
      out(count * n * n);
  const auto way = [=](const char* name, auto kernel, int blocks, dim3 block, bool lu) {
    return Kernel{name, [=] { out.clear(); },
                  [=] { kernel<<<blocks, block>>>(in.device(), out.device()); },
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(got.size(), [&](std::size_t i) {
                      const std::size_t begin = i / (n * n) * n * n, y = i / n % n, x = i % n;
                      double sum = 0;  // the factors' product
                      for (std::size_t k = 0; k <= (y < x ? y : x); ++k) {
                        const double left = lu && k == y ? 1 : got[begin + y * n + k];
                        sum += left * (lu ? got[begin + k * n + x] : got[begin + x * n + k]);
                      }
                      return near(sum, in[i], 1e-3);
                    });
                  }};
  };
  return {way("LU by a warp", lu_warp, count / 4, 128, true),
          way("LU by a block", lu_block, count, dim3(32, 8), true),
          way("Cholesky by a warp", cholesky_warp, count / 4, 128, false),
          way("Cholesky in registers", cholesky_registers, count / 4, 128, false)};
}

Kernels small_products() {
  const Array<float> a(products * m * m, fraction),
      b(products * m * m, [](std::uint32_t i) { return fraction(~i); }), c(products * m * m);
  const auto way = [=](const char* name, auto kernel, int blocks, dim3 block, auto type) {
    using T = decltype(type);
    return Kernel{name, [=] { c.clear(); },
                  [=] {
                    kernel<<<blocks, block>>>(reinterpret_cast<T*>(a.device()),
                                              reinterpret_cast<T*>(b.device()),
                                              reinterpret_cast<T*>(c.device()));
                  },
                  [=] {
                    const std::vector<float> got = c.read();
                    return sampled(got.size(), [&](std::size_t i) {
                      const std::size_t begin = i / (m * m) * m * m, y = i / m % m, x = i % m;
                      double sum = 0;
                      for (int k = 0; k < m; ++k) {
                        sum += double(a[begin + y * m + k]) * b[begin + k * m + x];
                      }
                      return near(got[i], sum);
                    });
                  }};
  };
  return {way("straight", product_straight, products, m * m, 0.0F),
          way("block a product", product_block, products, dim3(m, m), 0.0F),
          way("thread a row", product_rows, products / 8, 8 * m, float4{})};
}

}  // namespace ladder::small_matrices

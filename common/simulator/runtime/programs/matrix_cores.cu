// Products of matrices by wmma (f16, bf16, tf32), through shared memory, and by mma.sync with
// ldmatrix, against sums in double precision.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "check.h"

using namespace nvcuda;

constexpr int size = 64;  // of all three matrices

/// One warp makes a tile of C; A by rows, B by columns or by rows.
template <class Element, class Stored, int k_step, class LayoutB>
__global__ void by_tiles(const Stored* a, const Stored* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, k_step, Element, wmma::row_major> of_a;
  wmma::fragment<wmma::matrix_b, 16, 16, k_step, Element, LayoutB> of_b;
  wmma::fragment<wmma::accumulator, 16, 16, k_step, float> sum;
  constexpr bool by_columns = std::is_same_v<LayoutB, wmma::col_major>;
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < size; k += k_step) {
    wmma::load_matrix_sync(of_a, a + row * size + k, size);
    wmma::load_matrix_sync(of_b, by_columns ? b + column * size + k : b + k * size + column, size);
    wmma::mma_sync(sum, of_a, of_b, sum);
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = 2 * sum.x[i];
  wmma::store_matrix_sync(c + row * size + column, sum, size, wmma::mem_row_major);
}

/// Four warps share tiles of A and B; halves all the way.
__global__ void through_shared_memory(const half* a, const half* b, half* c) {
  __shared__ alignas(32) half tile_a[32][16], tile_b[16][32], tile_c[32][32];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> of_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum;
  const int warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 16;
  wmma::fill_fragment(sum, __float2half(0.0f));
  for (int k = 0; k < size; k += 16) {
    for (int i = threadIdx.x; i < 512; i += 128) {
      tile_a[i / 16][i % 16] = a[(blockIdx.y * 32 + i / 16) * size + k + i % 16];
      tile_b[i / 32][i % 32] = b[(k + i / 32) * size + blockIdx.x * 32 + i % 32];
    }
    __syncthreads();
    wmma::load_matrix_sync(of_a, &tile_a[row][0], 16);
    wmma::load_matrix_sync(of_b, &tile_b[0][column], 32);
    wmma::mma_sync(sum, of_a, of_b, sum);
    __syncthreads();
  }
  wmma::store_matrix_sync(&tile_c[row][column], sum, 32, wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += 128) {
    c[(blockIdx.y * 32 + i / 32) * size + blockIdx.x * 32 + i % 32] = tile_c[i / 32][i % 32];
  }
}

/// A 16 by 8 tile of C for each warp, by the instructions under wmma.
__global__ void by_instructions(const half* a, const half* b, float* c) {
  __shared__ alignas(16) half tile_a[16][16], tile_b[16][8];
  const int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 8;
  float sum[4] = {};
  for (int k = 0; k < size; k += 16) {
    for (int i = lane; i < 256; i += 32) tile_a[i / 16][i % 16] = a[(row + i / 16) * size + k + i % 16];
    for (int i = lane; i < 128; i += 32) tile_b[i / 8][i % 8] = b[(k + i / 8) * size + column + i % 8];
    __syncwarp();
    std::uint32_t in_a[4], in_b[2];
    const auto from_a = __cvta_generic_to_shared(&tile_a[lane % 16][lane / 16 * 8]);
    const auto from_b = __cvta_generic_to_shared(&tile_b[lane % 16][0]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(in_a[0]), "=r"(in_a[1]), "=r"(in_a[2]), "=r"(in_a[3])
                 : "r"(static_cast<std::uint32_t>(from_a)));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(in_b[0]), "=r"(in_b[1])
                 : "r"(static_cast<std::uint32_t>(from_b)));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(in_a[0]), "r"(in_a[1]), "r"(in_a[2]), "r"(in_a[3]), "r"(in_b[0]), "r"(in_b[1]));
    __syncwarp();
  }
  for (int i = 0; i < 4; ++i) {
    c[(row + lane / 4 + i / 2 * 8) * size + column + lane % 4 * 2 + i % 2] = sum[i];
  }
}

/// Numbers as they come out of a type, and the same on the device.
template <class T>
struct Matrix {
  explicit Matrix(int seed) : numbers(size * size) {
    std::vector<T> rounded(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      rounded[i] = static_cast<T>(static_cast<float>((i * 37 + seed * 11) % 101) / 50 - 1);
      numbers[i] = static_cast<float>(rounded[i]);
    }
    CHECK(cudaMalloc(&device, numbers.size() * sizeof(T)));
    CHECK(cudaMemcpy(device, rounded.data(), numbers.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<double> numbers;
  T* device = nullptr;
};

/// Whether `c` on the device is `factor` * a * b, each element to `tolerance`.
template <class T, class C>
bool right(const Matrix<T>& a, const Matrix<T>& b, const C* c, bool b_by_columns, double factor,
           double tolerance) {
  std::vector<C> result(size * size);
  CHECK(cudaMemcpy(result.data(), c, result.size() * sizeof(C), cudaMemcpyDeviceToHost));
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      double sum = 0;
      for (int k = 0; k < size; ++k) {
        sum += a.numbers[i * size + k] * b.numbers[b_by_columns ? j * size + k : k * size + j];
      }
      const double error = static_cast<float>(result[i * size + j]) - factor * sum;
      if (!(std::fabs(error) <= tolerance)) return false;
    }
  }
  return true;
}

int main() {
  const Matrix<half> a(1), b(2);
  const Matrix<__nv_bfloat16> brain_a(3), brain_b(4);
  const Matrix<float> float_a(5), float_b(6);
  float* c = nullptr;
  half* half_c = nullptr;
  CHECK(cudaMalloc(&c, size * size * sizeof(float)));
  CHECK(cudaMalloc(&half_c, size * size * sizeof(half)));
  const dim3 grid(size / 16, size / 16);

  by_tiles<half, half, 16, wmma::col_major><<<grid, 32>>>(a.device, b.device, c);
  EXPECT(right(a, b, c, true, 2, 1e-4));
  by_tiles<half, half, 16, wmma::row_major><<<grid, 32>>>(a.device, b.device, c);
  EXPECT(right(a, b, c, false, 2, 1e-4));
  by_tiles<__nv_bfloat16, __nv_bfloat16, 16, wmma::col_major>
      <<<grid, 32>>>(brain_a.device, brain_b.device, c);
  EXPECT(right(brain_a, brain_b, c, true, 2, 1e-4));
  // tf32 has 10 bits of fraction: each of 64 products is off by 2^-10 at most.
  by_tiles<wmma::precision::tf32, float, 8, wmma::col_major>
      <<<grid, 32>>>(float_a.device, float_b.device, c);
  EXPECT(right(float_a, float_b, c, true, 2, 2 * 64 * 2 * 0x1p-10));
  through_shared_memory<<<dim3(size / 32, size / 32), 128>>>(a.device, b.device, half_c);
  EXPECT(right(a, b, half_c, false, 1, 4 * 32 * 0x1p-11));
  by_instructions<<<dim3(size / 8, size / 16), 32>>>(a.device, b.device, c);
  EXPECT(right(a, b, c, false, 1, 1e-4));
  std::printf("right\n");
}

// Stage 0, given: one thread an element of C, everything from global memory.
//
// Right for all sizes, and short. For each multiplication a thread asks for two floats, and its
// neighbours ask for the same ones: an element of A is loaded n times, one of B m times.
#include "labs/tiled-gemm/tiled-gemm.h"

namespace {

constexpr int block_edge = 16;

/// c = alpha * sum + beta * c, without reading c when beta is 0: 0 * NaN would be NaN.
__device__ void update(float& c, float alpha, float sum, float beta) {
  c = beta == 0 ? alpha * sum : alpha * sum + beta * c;
}

/// Element (p, j) of B is b[p * row_step + j * column_step].
__global__ void multiply_rows(const float* a, const float* b, float* c, int m, int n, int k,
                              int row_step, int column_step, float alpha, float beta) {
  const int row = blockIdx.y * block_edge + threadIdx.y;
  const int column = blockIdx.x * block_edge + threadIdx.x;
  if (row >= m || column >= n) return;
  const float* a_row = a + std::int64_t{row} * k;
  const float* b_column = b + std::int64_t{column} * column_step;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a_row[p] * b_column[std::int64_t{p} * row_step];
  update(c[std::int64_t{row} * n + column], alpha, sum, beta);
}

void multiply(const float* a, const float* b, float* c, int m, int n, int k, int row_step,
              int column_step, float alpha, float beta, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 blocks((n + block_edge - 1) / block_edge, (m + block_edge - 1) / block_edge);
  multiply_rows<<<blocks, dim3(block_edge, block_edge), 0, stream>>>(a, b, c, m, n, k, row_step,
                                                                     column_step, alpha, beta);
}

}  // namespace

void gemm(const float* a, const float* b, float* c, std::int32_t m, std::int32_t n, std::int32_t k,
          float alpha, float beta, cudaStream_t stream) {
  multiply(a, b, c, m, n, k, n, 1, alpha, beta, stream);
}

void gemm_abt(const float* a, const float* b, float* c, std::int32_t m, std::int32_t n,
              std::int32_t k, float alpha, float beta, cudaStream_t stream) {
  multiply(a, b, c, m, n, k, 1, k, alpha, beta, stream);
}

// The contract of the tiled-gemm lab: what the stages implement and what the grader holds them to.
//
// Matrices are dense and lie row by row: element (i, j) of one with n columns is number i * n + j.
#pragma once

#include <cstdint>

#include "common/contract.h"

/// Stages 0, 1, 2, 4 and 5. C = alpha A B + beta C.
///
///   a        m rows of k floats on the device
///   b        k rows of n floats
///   c        m rows of n floats, no part of `a` or `b`. Not read when beta is 0: then it may hold
///            anything, also NaN
///            All three are aligned to 4 bytes, and to no more than that.
///   m, n, k  0 … 1,000,000 each. The number of an element needs 64 bits. For k = 0 the product is
///            0 and C = beta C
///   stream   carries all work; the function may return before the result is there
///
/// Elements, alpha and beta are finite, and so are all sums of products. The products of an element
/// may be added in any order, with or without fused multiply-add:
/// |c_ij - exact| <= d u / (1 - d u) * (|alpha| sum_p |a_ip b_pj| + |beta c_ij|), with u = 2^-24
/// the rounding error of one operation and d = k + 4 the operations that a value may go through:
/// its multiplication, k additions, two factors and one more addition (Higham, Accuracy and
/// Stability of Numerical Algorithms, 3.5).
///
/// Equal calls give equal bits: same device, same sizes, same values, same alignment.
void gemm(const float* a, const float* b, float* c, std::int32_t m, std::int32_t n, std::int32_t k,
          float alpha, float beta, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(gemm);

/// Stages 0 and 3. C = alpha A B^T + beta C.
///
///   b        n rows of k floats: element (p, j) of B^T is number j * k + p
/// Everything else as for gemm().
void gemm_abt(const float* a, const float* b, float* c, std::int32_t m, std::int32_t n,
              std::int32_t k, float alpha, float beta, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(gemm_abt);

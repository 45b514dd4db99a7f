// Kernels that compute more than they load: polynomials in double, float, half and pairs of halves,
// rounds of SHA-256, residues of powers, and bits in which words differ.
#include <cuda_fp16.h>

#include "ladder.h"

namespace ladder::arithmetic {

constexpr int threads = 256;

__host__ __device__ float coefficient(int k) { return 0.5F - float(k % 5) * 0.125F; }

__device__ float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
__device__ double multiply_add(double a, double b, double c) { return fma(a, b, c); }
__device__ half multiply_add(half a, half b, half c) { return __hfma(a, b, c); }
__device__ half2 multiply_add(half2 a, half2 b, half2 c) { return __hfma2(a, b, c); }

__device__ void set(float& to, float value) { to = value; }
__device__ void set(double& to, float value) { to = value; }
__device__ void set(half& to, float value) { to = __float2half(value); }
__device__ void set(half2& to, float value) { to = __float2half2_rn(value); }

/// Horner's way; `all` of what T holds one or two of.
template <int degree, class T>
__global__ void polynomial(const T* in, T* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const T x = in[i];
  T sum, next;
  set(sum, coefficient(degree));
#pragma unroll
  for (int k = degree - 1; k >= 0; --k) {
    set(next, coefficient(k));
    sum = multiply_add(sum, x, next);
  }
  out[i] = sum;
}

template <int degree, class T, class Pack>
Kernel polynomial_way(const char* name, int n, double tolerance) {
  const Array<T> in(n, [](std::uint32_t i) { return T(fraction(i) * 0.75F); }), out(n);
  return {name, [=] { out.clear(); },
          [=] {
            polynomial<degree, Pack><<<n * sizeof(T) / sizeof(Pack) / threads, threads>>>(
                reinterpret_cast<const Pack*>(in.device()), reinterpret_cast<Pack*>(out.device()));
          },
          [=] {
            const std::vector<T> got = out.read();
            return sampled(n, [&](std::size_t i) {
              double sum = 0, x = double(float(in[i]));
              for (int k = degree; k >= 0; --k) sum = sum * x + coefficient(k);
              return std::abs(double(float(got[i])) - sum) < tolerance;
            });
          }};
}

__host__ __device__ std::uint32_t turned(std::uint32_t x, int by) {
  return (x >> by) | (x << (32 - by));
}

/// 64 rounds as SHA-256 has them, with constants made up; of one block of 16 words.
__host__ __device__ std::uint32_t digest(std::uint32_t seed) {
  std::uint32_t w[16], s[8];
#pragma unroll
  for (int k = 0; k < 16; ++k) w[k] = seed * (2 * k + 1) + k;
#pragma unroll
  for (int k = 0; k < 8; ++k) s[k] = 0x6a09e667U + 0x9e3779b9U * k;
#pragma unroll
  for (int k = 0; k < 64; ++k) {
    if (k >= 16) {
      const std::uint32_t x = w[(k + 1) % 16], y = w[(k + 14) % 16];
      w[k % 16] += (turned(x, 7) ^ turned(x, 18) ^ (x >> 3)) + w[(k + 9) % 16] +
                   (turned(y, 17) ^ turned(y, 19) ^ (y >> 10));
    }
    const std::uint32_t e = s[4], a = s[0];
    const std::uint32_t first = s[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
                                ((e & s[5]) ^ (~e & s[6])) + 0x428a2f98U * (k + 1) + w[k % 16];
    const std::uint32_t second =
        (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
#pragma unroll
    for (int j = 7; j > 0; --j) s[j] = s[j - 1];
    s[4] += first;
    s[0] = first + second;
  }
  return s[0] ^ s[4];
}

__global__ void digests(std::uint32_t* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = digest(i);
}

/// x to the 65537th, modulo a prime of 31 bits.
__host__ __device__ std::uint32_t power(std::uint32_t x) {
  const std::uint64_t prime = 2147483629;
  std::uint64_t result = x % prime;
  for (int k = 0; k < 16; ++k) result = result * result % prime;
  return std::uint32_t(result * (x % prime) % prime);
}

__global__ void powers(const std::uint32_t* in, std::uint32_t* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = power(in[i]);
}

constexpr int codes = 1 << 15, queries = 64;  ///< of 128 bits

/// The query that a code differs from in the fewest bits.
__global__ void nearest_codes(const uint4* all, const uint4* asked, std::uint32_t* out) {
  __shared__ uint4 part[queries];
  if (threadIdx.x < queries) part[threadIdx.x] = asked[threadIdx.x];
  __syncthreads();
  const uint4 mine = all[blockIdx.x * threads + threadIdx.x];
  int least = 129;
  for (int k = 0; k < queries; ++k) {
    const uint4 q = part[k];
    least = min(least, __popc(q.x ^ mine.x) + __popc(q.y ^ mine.y) + __popc(q.z ^ mine.z) +
                           __popc(q.w ^ mine.w));
  }
  out[blockIdx.x * threads + threadIdx.x] = least;
}

Kernel words_way(const char* name, const Array<std::uint32_t>& out, std::function<void()> launch,
                 std::function<std::uint32_t(std::size_t)> wanted) {
  return {name, [=] { out.clear(); }, launch,
          [=] {
            const std::vector<std::uint32_t> got = out.read();
            return sampled(got.size(), [&](std::size_t i) { return got[i] == wanted(i); });
          }};
}

Kernels polynomials() {
  constexpr int n = 1 << 23, more = 1 << 24;  // halves with less to compute
  return {polynomial_way<64, float, float>("float", n, 1e-4),
          polynomial_way<64, double, double>("double", n, 1e-4),
          polynomial_way<8, half, half>("half", more, 0.02),
          polynomial_way<8, half, half2>("pairs of halves", more, 0.02)};
}

Kernels whole_numbers() {
  constexpr int hashes = 1 << 19, bases = 1 << 21, many = codes * 16;
  const Array<std::uint32_t> digested(hashes), in(bases, mixed), raised(bases), nearest(many);
  const Array<uint4> all(
      many,
      [](std::uint32_t i) {
        return uint4{mixed(4 * i), mixed(4 * i + 1), mixed(4 * i + 2), mixed(4 * i + 3)};
      }),
      asked(queries, [](std::uint32_t i) {
        return uint4{mixed(~i), mixed(~i - 100), mixed(~i - 200), mixed(~i - 300)};
      });
  return {words_way(
              "rounds of a digest", digested,
              [=] { digests<<<hashes / threads, threads>>>(digested.device()); },
              [](std::size_t i) { return digest(std::uint32_t(i)); }),
          words_way(
              "residues of powers", raised,
              [=] { powers<<<bases / threads, threads>>>(in.device(), raised.device()); },
              [=](std::size_t i) { return power(in[i]); }),
          words_way(
              "bits that differ", nearest,
              [=] {
                nearest_codes<<<many / threads, threads>>>(all.device(), asked.device(),
                                                           nearest.device());
              },
              [=](std::size_t i) {
                const uint4 v = all[i];
                int least = 129;
                for (int k = 0; k < queries; ++k) {
                  const uint4 q = asked[k];
                  least = std::min(
                      least, __builtin_popcount(q.x ^ v.x) + __builtin_popcount(q.y ^ v.y) +
                                 __builtin_popcount(q.z ^ v.z) + __builtin_popcount(q.w ^ v.w));
                }
                return std::uint32_t(least);
              })};
}

}  // namespace ladder::arithmetic

// Measures, on a real GPU, how many clocks of one multiprocessor an operation of a warp takes when nothing
// else is to do; prints CSV.
//
//     nvcc -O3 --extended-lambda -arch=sm_90 -o arithmetic arithmetic.cu && ./arithmetic
//
// Eight chains a thread; the time of twice as many operations less that of half of them.
#include <cuda_runtime.h>

#include <cstdio>

#include "seconds.cuh"

namespace {

using Big = unsigned long long;
constexpr double clock_hz = 1.98e9;
constexpr int chains = 8, blocks = 528, threads = 512;

__device__ float number(unsigned bits) { return __uint_as_float(bits); }
__device__ unsigned bits(float number) { return __float_as_uint(number); }

template <class Step>
__global__ void repeat(unsigned* out, int n, Step step) {
  unsigned a[chains];
  Big d[chains];
  for (int k = 0; k < chains; ++k) {
    a[k] = threadIdx.x * 77 + k + blockIdx.x;
    d[k] = Big{a[k]} * 0x9e3779b97f4a7c15ULL;
  }
  for (int i = 0; i < n; ++i) {
#pragma unroll
    for (int k = 0; k < chains; ++k) step(a, d, k, (k + 1) % chains, (k + 2) % chains, unsigned(i));
  }
  unsigned sum = 0;
  for (int k = 0; k < chains; ++k) sum += a[k] + unsigned(d[k] >> 3);
  if (sum == 12345) *out = sum;
}

template <class Step>
void row(const char* name, unsigned* out, Step step) {
  constexpr int n = 200;
  const int multiprocessors = 132;
  const auto time = [&](int times) {
    return seconds([&] { repeat<<<blocks, threads>>>(out, times, step); }, 3);
  };
  const double operations = double(blocks) * threads / 32 * chains * n / multiprocessors;
  std::printf("%s,%.3f\n", name, (time(2 * n) - time(n)) * clock_hz / operations);
}

}  // namespace

#define ROW(name, ...) \
  row(name, out,       \
      [] __device__(unsigned* a, Big* d, int k, int l, int m, unsigned i) { __VA_ARGS__; })

int main() {
  unsigned* out = nullptr;
  check(cudaMalloc(&out, 4));
  std::printf("operation,clocks\n");
  ROW("imad", a[k] = a[k] * a[l] + i);
  ROW("mad.wide", d[k] = Big{unsigned(d[k])} * unsigned(d[l]) + d[k]);
  ROW("mul.hi.u32", a[k] = __umulhi(a[k], a[l]));
  ROW("mul.hi.u64", d[k] = __umul64hi(d[k], d[l]));
  ROW("mul.lo.u64", d[k] = d[k] * d[l]);
  ROW("shf", a[k] = __funnelshift_r(a[k], a[k], 7));
  ROW("lop3", a[k] = (a[k] & a[l]) ^ a[m]);
  ROW("iadd3", a[k] = a[k] + a[l] + a[m]);
  ROW("iadd", a[k] = a[k] + a[l]);
  ROW("umin", a[k] = min(a[k], a[l]));
  ROW("prmt", a[k] = __byte_perm(a[k], a[l], 0x2537));
  ROW("add64", d[k] = d[k] + d[l]);
  ROW("sel", a[k] = a[k] > a[l] ? a[k] : a[m] + 1);
  ROW("fmin", a[k] = bits(fminf(number(a[k]), number(a[l]))));
  ROW("ffma", a[k] = bits(number(a[k]) * 1.5F + number(a[l])));
  check(cudaDeviceSynchronize());
}

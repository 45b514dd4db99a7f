// Measures, on a real GPU, divisions, roots and functions that machine code makes many instructions of:
// clocks of one multiprocessor for each operation of a warp when there are many, and clocks until one
// warp has its result; prints CSV.
//
//     nvcc -O3 --extended-lambda -arch=sm_90 -o subroutines subroutines.cu && ./subroutines
#include <cuda_runtime.h>

#include <cstdio>

#include "seconds.cuh"

namespace {

constexpr double clock_hz = 1.98e9;

template <class T, int chains, class Step>
__global__ void repeat(T* out, int n, T start, Step step, long long* clocks) {
  T x[chains];
  for (int k = 0; k < chains; ++k) x[k] = start + T(threadIdx.x % 8 + k);
  const long long begin = clock64();
  for (int i = 0; i < n; ++i) {
#pragma unroll
    for (int k = 0; k < chains; ++k) x[k] = step(x[k], start);
  }
  const long long end = clock64();
  T sum = 0;
  for (int k = 0; k < chains; ++k) sum += x[k];
  if (sum == T(12345)) *out = sum;
  if (clocks && threadIdx.x == 0) *clocks = end - begin;
}

char* memory;

template <class T, class Step>
void row(const char* name, T start, Step step) {
  T* const out = reinterpret_cast<T*>(memory);
  auto* const clocks = reinterpret_cast<long long*>(memory + 64);
  constexpr int n = 64, blocks = 528, threads = 512, chains = 4;
  const auto time = [&](int times) {
    return seconds(
        [&] { repeat<T, chains><<<blocks, threads>>>(out, times, start, step, nullptr); }, 3);
  };
  const double operations = double(blocks) * threads / 32 * chains * n / 132;
  const double many = (time(2 * n) - time(n)) * clock_hz / operations;
  const auto alone = [&](int times) {
    long long taken = 0;
    for (int k = 0; k < 2; ++k) repeat<T, 1><<<1, 32>>>(out, times, start, step, clocks);
    check(cudaMemcpy(&taken, clocks, 8, cudaMemcpyDeviceToHost));
    return taken;
  };
  std::printf("%s,%.2f,%.1f\n", name, many, double(alone(2 * n) - alone(n)) / n);
}

}  // namespace

#define ROW(name, type, start, ...) \
  row<type>(name, start, [] __device__(type x, type y) -> type { return __VA_ARGS__; })

int main() {
  check(cudaMalloc(&memory, 256));
  std::printf("operation,clocks,clocks of one warp\n");
  ROW("nothing but a multiply-add", float, 1.5F, x * 0.5F + y);
  ROW("division", float, 1.5F, y / x + 1);
  ROW("division full", float, 1.5F, __fdividef(y, x) + 1);
  ROW("reciprocal", float, 1.5F, 1 / x + y);
  ROW("root", float, 1.5F, sqrtf(x) + y);
  ROW("reciprocal root", float, 1.5F, rsqrtf(x) + y);
  ROW("division of zero", float, 1.5F, (y - y) / x + 1);
  ROW("division of zero in one lane", float, 1.5F, (threadIdx.x % 32 == 3 ? y - y : y) / x + 1);
  ROW("division by what is far larger", float, 1.5F, (y * 1e-20F) / (x * 1e20F) + 1);
  ROW("division by what is far smaller", float, 1.5F, (y * 1e20F) / (x * 1e-17F) * 1e-30F + 1);
  ROW("root of zero", float, 1.5F, sqrtf(x - x) + y);
  ROW("root of zero in one lane", float, 1.5F, sqrtf(threadIdx.x % 32 == 3 ? x - x : x) + y);
  ROW("root of infinity", float, 1.5F, fminf(sqrtf(x * 1e38F * 1e38F), 1) + y);
  ROW("reciprocal of infinity", float, 1.5F, 1 / (x * 1e38F * 1e38F) + y);
  ROW("sine", float, 1.5F, sinf(x) + y);
  ROW("cosine", float, 1.5F, cosf(x) + y);
  ROW("exponential", float, 0.1F, expf(x) * 0.1F);
  ROW("logarithm", float, 1.5F, logf(x) + y);
  ROW("power", float, 1.5F, powf(x, 0.3F) + y);
  ROW("arc cosine", float, 0.3F, acosf(x) * 0.3F);
  ROW("arc tangent", float, 0.3F, atan2f(x, y) + y);
  ROW("hyperbolic tangent", float, 0.3F, tanhf(x) + y);
  ROW("error function", float, 0.3F, erff(x) + y);
  ROW("double multiply-add", double, 1.5, x * 0.5 + y);
  ROW("double division", double, 1.5, y / x + 1);
  ROW("double reciprocal", double, 1.5, 1 / x + y);
  ROW("double root", double, 1.5, sqrt(x) + y);
  ROW("double sine", double, 1.5, sin(x) + y);
  ROW("double exponential", double, 0.1, exp(x) * 0.1);
  ROW("int division", int, 77777777, y / (x | 1) + 3333);
  ROW("int remainder", int, 77777777, y % (x | 1) + 3333);
  ROW("unsigned division", unsigned, 77777777U, y / (x | 1) + 3333);
  ROW("int division by 1000003", int, 77777777, x / 1000003 + y);
  ROW("long remainder", long long, 77777777777777LL, y % (x | 1) + 33333333333LL);
  ROW("long remainder by constant", unsigned long long, 77777777777777ULL,
      (x * x) % 1000000007ULL + y);
  check(cudaDeviceSynchronize());
}

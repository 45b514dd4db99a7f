// Measures, on a real GPU, kernels that follow one another in a stream, launched before the first begins: one
// kernel again and again, or different ones, with an L2 that holds what they need or something else. Prints CSV:
// microseconds for the first, and for each further one.
//
//     nvcc -O3 -arch=sm_90 -o cold_launches cold_launches.cu && ./cold_launches
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "seconds.cuh"
__global__ void wait(long long clocks) {
  const long long b = clock64();
  while (clock64() - b < clocks) {
  }
}
__global__ void read_all(const float4* v, int n, float* s) {
  float a = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 x = v[i];
    a += x.x + x.y + x.z + x.w;
  }
  if (a == 1) *s = a;
}
template <int k>
__global__ void add(float* all) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  all[i] += 1 + k;
}
template <int k>
__global__ void none(float*) {}
template <int k>
__global__ void tile(float* all) {
  __shared__ float s[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  float v = all[i];
  for (int d = 1; d < 256; d *= 2) {
    s[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x >= d) v += s[threadIdx.x - d] * (k + 1);
    __syncthreads();
  }
  all[i] = v;
}
using F = void (*)(float*);
template <int... k>
std::vector<F> adds(std::integer_sequence<int, k...>) {
  return {add<k>...};
}
template <int... k>
std::vector<F> nones(std::integer_sequence<int, k...>) {
  return {none<k>...};
}
template <int... k>
std::vector<F> tiles(std::integer_sequence<int, k...>) {
  return {tile<k>...};
}
static float* mem;
static float4* big;
constexpr int nb = 120 << 20;
double time(const std::vector<F>& f, int n, bool same, bool flush, int blocks) {
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  std::vector<float> t(9);
  for (float& x : t) {
    check(cudaDeviceSynchronize());
    if (flush) read_all<<<1024, 256>>>((float4*)big, nb / 16, mem);
    wait<<<1, 1>>>(300000);
    if (flush) read_all<<<1024, 256>>>((float4*)big, nb / 16, mem);
    cudaEventRecord(a);
    for (int k = 0; k < n; ++k) f[same ? 0 : k]<<<blocks, 256>>>(mem);
    cudaEventRecord(b);
    check(cudaEventSynchronize(b));
    cudaEventElapsedTime(&x, a, b);
  }
  std::nth_element(t.begin(), t.begin() + 4, t.end());
  return t[4] * 1e3;
}
int main() {
  check(cudaMalloc(&mem, 32 << 20));
  check(cudaMalloc(&big, nb));
  check(cudaMemset(mem, 0, 32 << 20));
  check(cudaMemset(big, 0, nb));
  std::integer_sequence<int, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11> s;
  printf("kernel,blocks,kernels,L2,first,second,3 to 4,5 to 12\n");
  const char* names[3] = {"empty", "add", "tile"};
  std::vector<F> fs[3] = {nones(s), adds(s), tiles(s)};
  for (int w = 0; w < 3; ++w)
    for (int blocks : {1, 132, 1056, 8192})
      for (bool same : {true, false})
        for (bool flush : {false, true}) {
          time(fs[w], 12, same, flush, blocks);
          double t[4];
          int n[4] = {1, 2, 4, 12};
          for (int i = 0; i < 4; ++i) t[i] = time(fs[w], n[i], same, flush, blocks);
          printf("%s,%d,%s,%s,%.2f,%.2f,%.2f,%.2f\n", names[w], blocks, same ? "one" : "different",
                 flush ? "cold" : "warm", t[0], t[1] - t[0], (t[2] - t[1]) / 2, (t[3] - t[2]) / 8);
        }
}

// Measures, on a real GPU, stores of the words of a record one after another, a record a lane: whether
// what goes to one line leaves the multiprocessor once or each time; prints CSV: picoseconds for each
// line of each store of a warp, which all lie in the L2.
//
//     nvcc -O3 -arch=sm_90 -o store_merging store_merging.cu && ./store_merging
//
// `arrays`: the word of a record goes to so many arrays before the next word. `between`: dependent
// multiply-adds and a barrier between two stores.
#include <cuda_runtime.h>

#include <cstdio>

#include "seconds.cuh"

namespace {

template <class T, int words, int apart, int arrays, int between>
__global__ void records(T* out, int count, int times) {
  const int threads = gridDim.x * blockDim.x;
  float x = threadIdx.x;
  for (int t = 0; t < times; ++t) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
#pragma unroll
      for (int k = 0; k < words; ++k) {
#pragma unroll
        for (int b = 0; b < between; ++b) x = x * 1.01F + 0.5F;
        if (between > 0) __syncthreads();
#pragma unroll
        for (int a = 0; a < arrays; ++a) {
          out[(size_t(a) * count + i) * apart + k] = T(t + (between > 0 ? int(x) : k));
        }
      }
    }
  }
}

char* memory;

template <class T, int words, int apart, int arrays, int between>
void row(const char* type, int blocks, int threads) {
  // All threads have as many records, so that they may meet at barriers.
  const int all = 132 * blocks * threads;
  const int count = (16 << 20) / int(sizeof(T)) / apart / arrays / all * all;
  const auto run = [&](int times) {
    return seconds(
        [&] {
          records<T, words, apart, arrays, between>
              <<<132 * blocks, threads>>>(reinterpret_cast<T*>(memory), count, times);
        },
        3);
  };
  const int bytes = 32 * apart * int(sizeof(T));
  const int lines = bytes / 128 < 1 ? 1 : bytes / 128 > 32 ? 32 : bytes / 128;
  const double each = (run(4) - run(2)) / 2;
  std::printf("%s,%d,%d,%d,%d,%d,%.1f,%.2f\n", type, words, apart, arrays, between,
              blocks * threads, each * 1e12 / (double(count) / 32 * words * arrays * lines),
              each * 1e6);
}

}  // namespace

int main() {
  check(cudaMalloc(&memory, 64 << 20));
  check(cudaMemset(memory, 0, 64 << 20));
  std::printf("type,words,words apart,arrays,between,threads an SM,ps a line,us\n");
  row<float, 1, 1, 1, 0>("float", 8, 256);
  row<float, 2, 2, 1, 0>("float", 8, 256);
  row<float, 3, 3, 1, 0>("float", 8, 256);
  row<float, 4, 4, 1, 0>("float", 8, 256);
  row<float, 8, 8, 1, 0>("float", 8, 256);
  row<float, 1, 8, 1, 0>("float", 8, 256);
  row<float, 2, 8, 1, 0>("float", 8, 256);
  row<float, 8, 8, 1, 20>("float", 8, 256);
  row<float, 8, 8, 1, 100>("float", 8, 256);
  row<float, 8, 8, 1, 100>("float", 1, 64);
  row<float, 8, 8, 1, 0>("float", 1, 64);
  row<float, 8, 8, 1, 0>("float", 1, 256);
  row<float, 4, 4, 2, 0>("float", 8, 256);
  row<float, 2, 2, 4, 0>("float", 8, 256);
  row<double, 1, 1, 1, 0>("double", 8, 256);
  row<double, 2, 2, 1, 0>("double", 8, 256);
  row<double, 4, 4, 1, 0>("double", 8, 256);
  row<char, 3, 3, 1, 0>("char", 8, 256);
  row<char, 1, 1, 1, 0>("char", 8, 256);
  row<char, 3, 4, 1, 0>("char", 8, 256);
  row<short, 1, 1, 1, 0>("short", 8, 256);
  row<short, 2, 2, 1, 0>("short", 8, 256);
  check(cudaDeviceSynchronize());
}

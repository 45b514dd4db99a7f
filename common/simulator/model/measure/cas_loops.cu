// Measures, on a real GPU, additions of floats and of 64-bit integers in shared memory, which machine
// code does as loops of compare-and-swap; prints CSV: clocks of one multiprocessor for each addition
// of a warp.
//
//     nvcc -O3 -arch=sm_90 -o cas_loops cas_loops.cu && ./cas_loops
//
// `alone`: each warp has places of its own. Otherwise all warps of a block have the same.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "seconds.cuh"

namespace {

constexpr double clock_hz = 1.98e9;
constexpr int multiprocessors = 132, turns = 8, most_words = 24576;

enum class How { loop, swap_once, integers };

/// `place`: turns times 32 of each warp, in words of T.
template <class T, How how>
__global__ void add(const int* place, int n, T* out) {
  extern __shared__ unsigned char memory[];
  T* const table = reinterpret_cast<T*>(memory);
  for (int i = threadIdx.x; i < int(most_words * 4 / sizeof(T)); i += blockDim.x) table[i] = 0;
  int at[turns];
  for (int k = 0; k < turns; ++k) {
    at[k] = place[(threadIdx.x / 32 * turns + k) * 32 + threadIdx.x % 32];
  }
  __syncthreads();
  T sum = 0;
  for (int i = 0; i < n; ++i) {
#pragma unroll
    for (int k = 0; k < turns; ++k) {
      if (how == How::swap_once) {
        sum += T(atomicCAS(reinterpret_cast<unsigned*>(&table[at[k]]), 123456789U, 7U));
      } else {
        atomicAdd(&table[at[k]], T((i & 7) + 1));
      }
    }
  }
  __syncthreads();
  if (table[threadIdx.x] + sum == T(1234567)) *out = table[0];
}

int* places;

template <class T, How how>
double clocks(int threads, int blocks) {
  T* const out = reinterpret_cast<T*>(places);
  const auto kernel = add<T, how>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_words * 4));
  constexpr int n = 8;
  const auto run = [&](int times) {
    return seconds(
        [&] { kernel<<<multiprocessors * blocks, threads, most_words * 4>>>(places, times, out); },
        3);
  };
  return (run(2 * n) - run(n)) * clock_hz / (double(blocks) * threads / 32 * turns * n);
}

template <class Place>
void rows(const char* what, int number, bool alone, int words, Place place) {
  std::vector<int> all(32 * turns * 32);
  for (int w = 0; w < 32; ++w) {
    for (int k = 0; k < turns; ++k) {
      for (int lane = 0; lane < 32; ++lane) {
        all[(w * turns + k) * 32 + lane] = place(lane) + (alone ? w * words : 0);
      }
    }
  }
  check(cudaMemcpy(places, all.data(), all.size() * sizeof(int), cudaMemcpyHostToDevice));
  for (const int threads : {32, 256, 512}) {
    for (const int blocks : {1, 2}) {
      const int most = most_words / 2 / (threads / 32);
      if (alone && words > most) continue;
      std::printf("%s,%d,%s,%d,%d,%.1f,%.1f,%.1f,%.1f\n", what, number,
                  alone ? "alone" : "together", threads, blocks,
                  clocks<float, How::loop>(threads, blocks),
                  clocks<unsigned long long, How::loop>(threads, blocks),
                  clocks<unsigned, How::swap_once>(threads, blocks),
                  clocks<unsigned, How::integers>(threads, blocks));
    }
  }
}

}  // namespace

int main() {
  check(cudaMalloc(&places, 1 << 20));
  std::printf("places,number,warps,threads,blocks,float,u64,one swap,unsigned\n");
  for (const int apart : {1, 2, 4, 8, 16, 32}) {
    rows("words apart", apart, true, 32 * apart, [=](int lane) { return lane * apart; });
  }
  rows("words apart", 1, false, 0, [](int lane) { return lane; });
  rows("words apart", 16, false, 0, [](int lane) { return lane * 16; });
  for (const int lanes : {2, 4, 8, 16, 32}) {
    rows("lanes a word", lanes, true, 32, [=](int lane) { return lane / lanes; });
  }
  rows("lanes a word", 32, false, 0, [](int) { return 0; });
  for (const int words : {8, 24, 64, 256, 1024}) {
    std::srand(7);
    rows("drawn words", words, true, words, [=](int) { return std::rand() % words; });
    rows("drawn words", words, false, 0, [=](int) { return std::rand() % words; });
  }
  for (const int words : {24, 64, 256}) {
    std::srand(7);
    rows("drawn words 16 apart", words, true, 16 * words,
         [=](int) { return std::rand() % words * 16; });
    rows("drawn words 16 apart", words, false, 0, [=](int) { return std::rand() % words * 16; });
  }
  check(cudaDeviceSynchronize());
}

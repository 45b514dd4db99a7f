// Measures, on a real GPU, branches and stores of one warp, which has the multiprocessor to itself: clocks
// for each round of a loop; prints CSV.
//
//     nvcc -O3 --extended-lambda -arch=sm_90 -o branches branches.cu && ./branches
#include <cuda_runtime.h>

#include <cstdio>

#include "seconds.cuh"

namespace {

/// `flags`: words whose lowest bits decide; all of them lie in the L1.
template <class Step>
__global__ void repeat(const int* flags, int* memory, int n, Step step, long long* clocks) {
  __shared__ int some[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) some[i] = flags[i % 32];
  __syncthreads();
  int x = flags[threadIdx.x % 32], place = threadIdx.x + blockIdx.x * 32 * 1024;
  const long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < n; ++i) step(x, place, i, some, memory);
  const long long end = clock64();
  memory[(1 << 24) + threadIdx.x] = x + place;
  if (threadIdx.x == 0 && blockIdx.x == 0) *clocks = end - begin;
}

int *flags, *memory;
long long* clocks;

template <class Step>
void row(const char* name, Step step) {
  double taken[3];
  int which = 0;
  for (const int blocks : {1, 132}) {
    const auto run = [&](int n) {
      long long all = 0;
      for (int k = 0; k < 2; ++k) repeat<<<blocks, 32>>>(flags, memory, n, step, clocks);
      check(cudaMemcpy(&all, clocks, 8, cudaMemcpyDeviceToHost));
      return all;
    };
    taken[which++] = double(run(1024) - run(512)) / 512;
  }
  const auto run = [&](int n) {
    long long all = 0;
    for (int k = 0; k < 2; ++k) repeat<<<132, 256>>>(flags, memory, n, step, clocks);
    check(cudaMemcpy(&all, clocks, 8, cudaMemcpyDeviceToHost));
    return all;
  };
  taken[2] = double(run(1024) - run(512)) / 512;
  std::printf("%s,%.1f,%.1f,%.1f\n", name, taken[0], taken[1], taken[2]);
}

}  // namespace

#define ROW(name, ...) \
  row(name, [] __device__(int& x, int& place, int i, int* some, int* memory) { __VA_ARGS__; })

int main() {
  check(cudaMalloc(&flags, 4096));
  check(cudaMalloc(&clocks, sizeof(long long)));
  check(cudaMalloc(&memory, std::size_t{512} << 20));
  check(cudaMemset(memory, 0, std::size_t{512} << 20));
  int host[1024];
  for (int i = 0; i < 1024; ++i) host[i] = 3;
  check(cudaMemcpy(flags, host, sizeof host, cudaMemcpyHostToDevice));
  std::printf("what,one warp,one warp each,eight warps each\n");
  ROW("sum", x += i);
  ROW("sum and product", x = (x + i) * 3);
  ROW("branch not taken that needs the sum", x += i; if (x == -7) asm volatile("bar.sync 1, 32;"));
  ROW("branch taken that needs the sum", x += i; if (x != -7) asm volatile("membar.cta;" ::
                                                                               : "memory");
      else asm volatile("bar.sync 1, 32;"));
  ROW("two branches not taken", x += i; if (x == -7) asm volatile("bar.sync 1, 32;"); x ^= 5;
      if (x == -9) asm volatile("bar.sync 1, 32;"));
  ROW("four branches not taken", x += i; if (x == -7) asm volatile("bar.sync 1, 32;"); x ^= 5;
      if (x == -9) asm volatile("bar.sync 1, 32;"); x += 5;
      if (x == -11) asm volatile("bar.sync 1, 32;"); x ^= 7;
      if (x == -13) asm volatile("bar.sync 1, 32;"));
  ROW("half of the lanes: one of two ways", x += i;
      if (threadIdx.x & 1) asm volatile("add.s32 %0, %0, 3; membar.cta;"
                                        : "+r"(x));
      else asm volatile("xor.b32 %0, %0, 3; membar.cta;"
                        : "+r"(x)));
  ROW("membar", x += i; asm volatile("membar.cta;" ::: "memory"));
  ROW("load of shared memory", x = some[x & 1023]);
  ROW("load and store of shared memory", const int v = some[(x + i) & 1023];
      some[threadIdx.x] = v + i; x = v);
  ROW("store of 4 sectors in the same place", memory[threadIdx.x] = i);
  ROW("store of 4 sectors in order", memory[place] = i; place += 32);
  ROW("4 stores of 4 sectors in order", for (int k = 0; k < 4; ++k) memory[place + 32 * k] = i;
      place += 128);
  ROW("16 stores of 4 sectors in order", for (int k = 0; k < 16; ++k) memory[place + 32 * k] = i;
      place += 512);
  ROW("store under a condition that holds", if (x & 1) memory[place] = i; place += 32; x += 2);
  ROW("store under a condition that never holds", if (x & 4096) memory[place] = i; place += 32;
      x ^= 2);
  ROW("store to a place that a count decides", const unsigned all = __ballot_sync(~0U, x & 1);
      if (x & 1) memory[place] = i; place += __popc(all); x += 2);
  ROW("store and load of the next", memory[place] = x; place += 32; x += memory[place + 1000000]);
  ROW("store of 32 sectors", memory[(place + threadIdx.x * 8 * 33) & 0xffffff] = i; place += 8);
  ROW("4 stores of 32 sectors",
      for (int k = 0; k < 4; ++k) memory[(place + threadIdx.x * 8 * 33 + 8192 * k) & 0xffffff] = i;
      place += 8);
  ROW("16 bytes a lane", reinterpret_cast<int4*>(memory)[place] = int4{i, i, i, i}; place += 32);
  check(cudaDeviceSynchronize());
}

// Measures, on a real GPU, how long one to sixteen loads of a warp take that are under way at once, by what
// their lanes want, by where it is, and by how many warps of a multiprocessor do the same; prints CSV: clocks
// from the first load until the sum of all is there, with what the address of the next round takes.
//
//     nvcc -O3 -arch=sm_90 -o loads_under_way loads_under_way.cu && ./loads_under_way
#include <cuda_runtime.h>

#include <cstdio>
#include <numeric>
#include <vector>

#include "seconds.cuh"

namespace {

enum class Where { l1, l2 };
constexpr unsigned multiprocessors = 132, most_warps = 32;
/// 32 KB and 16 MB.
constexpr unsigned words_of(Where where) { return where == Where::l1 ? 1U << 13 : 1U << 22; }

/// Words from lane to lane, and from a load to the next one.
struct Pattern {
  const char* name;
  unsigned stride, step;
};
constexpr Pattern patterns[] = {
    {"one line", 1, 32}, {"two lines", 2, 64}, {"four lines", 4, 128}, {"a line a lane", 32, 1024}};

/// A block for each multiprocessor; `zero` is 0, which nobody knows here: each round waits for the one before.
template <Where where, int loads>
__global__ void load(const unsigned* all, Pattern pattern, int rounds, unsigned zero,
                     long long* clocks) {
  constexpr unsigned words = words_of(where);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned number = blockIdx.x * (blockDim.x / 32) + warp;
  unsigned at = lane * pattern.stride + (where == Where::l1 ? warp * 1024 : number * 4096);
  unsigned sum = 0;
  long long begin = 0;
  for (int round = -2; round < rounds; ++round) {
    if (round == 0) begin = clock64();
    unsigned loaded[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      const unsigned* const word = all + (at + i * pattern.step) % words;
      loaded[i] = where == Where::l1 ? *word : __ldcg(word);
    }
#pragma unroll
    for (int i = 0; i < loads; ++i) sum += loaded[i];
    at += sum & zero;
  }
  if (lane == 0) clocks[number] = clock64() - begin;
  if (sum == 12345) *clocks = sum;
}

template <Where where, int loads>
double clocks_of(const unsigned* all, long long* clocks, const Pattern& pattern, unsigned warps) {
  constexpr int rounds = 64;
  for (int turn = 0; turn < 2; ++turn) {  // the first one brings it there
    load<where, loads><<<multiprocessors, 32 * warps>>>(all, pattern, rounds, 0, clocks);
  }
  std::vector<long long> taken(multiprocessors * warps);
  check(cudaMemcpy(taken.data(), clocks, taken.size() * sizeof(long long), cudaMemcpyDeviceToHost));
  return std::accumulate(taken.begin(), taken.end(), 0.0) / double(taken.size()) / rounds;
}

template <Where where>
void rows(const char* name, const unsigned* all, long long* clocks) {
  for (const Pattern& pattern : patterns) {
    for (unsigned warps = 1; warps <= most_warps; warps *= 2) {
      std::printf("%s,%s,%u,%.0f,%.0f,%.0f,%.0f,%.0f\n", name, pattern.name, warps,
                  clocks_of<where, 1>(all, clocks, pattern, warps),
                  clocks_of<where, 2>(all, clocks, pattern, warps),
                  clocks_of<where, 4>(all, clocks, pattern, warps),
                  clocks_of<where, 8>(all, clocks, pattern, warps),
                  clocks_of<where, 16>(all, clocks, pattern, warps));
    }
  }
}

}  // namespace

int main() {
  constexpr std::size_t bytes = words_of(Where::l2) * sizeof(unsigned);
  unsigned* all = nullptr;
  long long* clocks = nullptr;
  check(cudaMalloc(&all, bytes));
  check(cudaMalloc(&clocks, multiprocessors * most_warps * sizeof(long long)));
  check(cudaMemset(all, 0, bytes));
  std::printf("# NVIDIA H200, CUDA 13.0, 2026-11-29; written by loads_under_way.cu.\n");
  std::printf("where,lanes want,warps,1 load,2,4,8,16\n");
  rows<Where::l1>("L1", all, clocks);
  rows<Where::l2>("L2", all, clocks);
}

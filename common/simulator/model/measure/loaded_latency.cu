// Measures, on a real GPU, how long one load from DRAM takes while the other multiprocessors load, too; prints CSV.
//
// One thread of block 0, alone on its multiprocessor, follows a chain of addresses through 1 GiB. All other
// multiprocessors read another GiB meanwhile, with more and more loads of 16 bytes under way at once: a row for each
// number of them, with what they read a second and the clocks of one step of the chain.
//
//     nvcc -O2 -arch=sm_90 -o loaded_latency loaded_latency.cu && ./loaded_latency
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "seconds.cuh"

namespace {

constexpr std::size_t bytes = std::size_t{1} << 30;
constexpr unsigned node_bytes = 1024, nodes = bytes / node_bytes;
constexpr int hops = 4000, warm_hops = 1000;
constexpr int block_threads = 1024;

struct Results {
  unsigned done;                  ///< the chain has ended
  unsigned sink;                  ///< keeps what is loaded from being left out
  unsigned long long clocks, ns;  ///< of `hops` steps of the chain
  unsigned long long all_ns;      ///< from the beginning to the last step
  unsigned long long vectors;     ///< of 16 bytes that the others read in that time
};

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// A block for each multiprocessor: it asks for so much shared memory that no second one fits.
template <int in_flight>
__global__ void measure(const unsigned* chain, unsigned first, const uint4* stream, int threads,
                        Results* results) {
  const volatile unsigned* done = &results->done;
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    unsigned at = first;
    const unsigned long long begin = nanoseconds();
    for (int i = 0; i < warm_hops; ++i) at = __ldcg(chain + std::size_t{at} * (node_bytes / 4));
    const unsigned long long time = nanoseconds();
    const long long start = clock64();
    for (int i = 0; i < hops; ++i) at = __ldcg(chain + std::size_t{at} * (node_bytes / 4));
    results->clocks = clock64() - start;
    results->ns = nanoseconds() - time;
    results->all_ns = nanoseconds() - begin;
    results->sink = at;
    __threadfence();
    *(volatile unsigned*)&results->done = 1;
    return;
  }
  if (threadIdx.x >= threads) return;
  const std::size_t count = bytes / sizeof(uint4);
  const std::size_t stride = std::size_t{gridDim.x - 1} * threads;
  std::size_t at = std::size_t{blockIdx.x - 1} * threads + threadIdx.x;
  unsigned sum = 0;
  unsigned long long vectors = 0;
  bool over = false;
  while (!over) {
    unsigned word = 0;  // asked for with the loads, so that they do not wait for it
    if (threadIdx.x % 32 == 0) word = *done;
    uint4 loaded[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      loaded[i] = __ldcs(stream + at);
      at += stride;
      if (at >= count) at -= count;
    }
#pragma unroll
    for (int i = 0; i < in_flight; ++i) sum += loaded[i].x;
    over = __shfl_sync(~0u, word, 0) != 0;
    vectors += in_flight;
  }
  if (threadIdx.x % 32 == 0) atomicAdd(&results->vectors, 32 * vectors);
  if (sum == 1) results->sink = sum;
}

/// What stays the same from row to row.
struct Machine {
  const unsigned* chain;
  const std::vector<unsigned>& order;  ///< of its nodes
  const uint4* stream;
  Results* results;
  int blocks, shared;
};

int rows_before = 0;

/// Each row follows a piece of the chain that no earlier one has brought into the L2.
template <int in_flight>
void row(const Machine& machine, int threads) {
  static_assert((hops + warm_hops) * 32 < int(nodes));
  const unsigned first = machine.order[std::size_t(rows_before++) * (hops + warm_hops)];
  check(cudaFuncSetAttribute(measure<in_flight>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             machine.shared));
  check(cudaMemset(machine.results, 0, sizeof *machine.results));
  measure<in_flight><<<machine.blocks, block_threads, machine.shared>>>(
      machine.chain, first, machine.stream, threads, machine.results);
  check(cudaDeviceSynchronize());
  Results found;
  check(cudaMemcpy(&found, machine.results, sizeof found, cudaMemcpyDeviceToHost));
  std::printf("loaded,%d,%d,%.3f,%.0f,%.0f\n", threads, in_flight,
              double(found.vectors) * sizeof(uint4) / double(found.all_ns) / 1000,
              double(found.clocks) / hops, double(found.ns) / hops);
}

}  // namespace

int main() {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  int driver = 0;
  check(cudaDriverGetVersion(&driver));
  std::printf("# %s, driver for CUDA %d.%d; written by loaded_latency.cu.\n", device.name,
              driver / 1000, driver % 1000 / 10);
  std::printf(
      "# loaded, threads a block that read, 16-byte loads under way each, TB/s, clocks, ns\n");

  std::vector<unsigned> order(nodes);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  std::vector<unsigned> links(bytes / 4, 0);
  for (unsigned i = 0; i < nodes; ++i)
    links[std::size_t{order[i]} * (node_bytes / 4)] = order[(i + 1) % nodes];
  unsigned* chain = nullptr;
  uint4* stream = nullptr;
  Results* results = nullptr;
  check(cudaMalloc(&chain, bytes));
  check(cudaMalloc(&stream, bytes));
  check(cudaMalloc(&results, sizeof *results));
  check(cudaMemcpy(chain, links.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemset(stream, 0, bytes));

  const Machine machine{chain,
                        order,
                        stream,
                        results,
                        device.multiProcessorCount,
                        int(device.sharedMemPerBlockOptin) - 1024};
  row<1>(machine, 0);
  for (int threads = 32; threads <= block_threads; threads *= 2) row<1>(machine, threads);
  for (int threads = 256; threads <= block_threads; threads *= 2) {
    row<2>(machine, threads);
    row<4>(machine, threads);
    row<8>(machine, threads);
  }
}

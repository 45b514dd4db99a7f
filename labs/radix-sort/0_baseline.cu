// Stage 0, given: what every later stage is measured against.
//
// One bit at a time, from the least significant. Keys with a 0 move to the front and keys with a 1
// behind them, both in the order they had (the split is stable): so after bit b the keys are in
// order of their lowest b + 1 bits. If s(i) ones stand before key i, and there are Nz zeros in all,
//
//     a zero goes to i - s(i)        (the zeros before it: all before it but the ones)
//     a one goes to Nz + s(i)
//
// 32 passes for 32 bits. sort_keys and sort_pairs make each pass from three kernels: count the ones
// of each block, scan the counts, move the keys. Sections are sorted by a block each, all passes in
// shared memory.

#include "labs/radix-sort/radix-sort.h"

namespace {

using radix_sort::KeyType;

constexpr int block_threads = 512;
constexpr int scan_threads = 1024;

/// Sum of `x` over the threads before this one, and over all threads. All threads must call it.
struct Sums {
  unsigned before, all;
};

__device__ Sums sum_before(unsigned x) {
  __shared__ unsigned sums[1024];
  const unsigned tid = threadIdx.x;
  sums[tid] = x;
  __syncthreads();
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    const unsigned lower = tid >= distance ? sums[tid - distance] : 0;
    __syncthreads();
    sums[tid] += lower;
    __syncthreads();
  }
  const Sums result = {sums[tid] - x, sums[blockDim.x - 1]};
  __syncthreads();
  return result;
}

__global__ void count_ones(const std::uint32_t* keys, unsigned* ones, std::int64_t n, int bit) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int count = __syncthreads_count(i < n && (keys[i] >> bit & 1));
  if (threadIdx.x == 0) ones[blockIdx.x] = count;
}

/// Replaces ones[b] by the sum of those before it and writes the sum of all to *total. One block.
__global__ void scan_counts(unsigned* ones, std::int64_t blocks, unsigned* total) {
  unsigned carried = 0;
  for (std::int64_t first = 0; first < blocks; first += blockDim.x) {
    const std::int64_t i = first + threadIdx.x;
    const Sums sums = sum_before(i < blocks ? ones[i] : 0);
    if (i < blocks) ones[i] = carried + sums.before;
    carried += sums.all;
  }
  if (threadIdx.x == 0) *total = carried;
}

__global__ void split(const std::uint32_t* keys, const std::uint32_t* values,
                      std::uint32_t* keys_out, std::uint32_t* values_out, const unsigned* ones,
                      const unsigned* total, std::int64_t n, int bit) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint32_t key = i < n ? keys[i] : 0;
  const bool one = i < n && (key >> bit & 1);
  const std::int64_t before = std::int64_t{ones[blockIdx.x]} + sum_before(one).before;
  const std::int64_t to = one ? n - *total + before : i - before;
  if (i >= n) return;
  keys_out[to] = key;
  if (values != nullptr) values_out[to] = values[i];
}

/// Bits whose order as unsigned numbers is the order of the keys; `back` undoes it.
__global__ void convert(const std::uint32_t* from, std::uint32_t* to, std::int64_t n, KeyType type,
                        bool back) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::uint32_t sign = 0x80000000, bits = from[i];
  const bool flip_all = type == KeyType::floating_point && (bits >> 31) != back;
  to[i] = type == KeyType::unsigned_integer ? bits : bits ^ (flip_all ? 0xffffffff : sign);
}

void sort(const std::uint32_t* keys_in, const std::uint32_t* values_in, std::uint32_t* keys_out,
          std::uint32_t* values_out, std::int64_t n, KeyType type, gridstride::Scratch scratch,
          cudaStream_t stream) {
  const std::int64_t blocks = (n + block_threads - 1) / block_threads;
  if (blocks == 0) return;
  std::uint32_t* spare_keys = static_cast<std::uint32_t*>(scratch.data);
  std::uint32_t* spare_values = values_in == nullptr ? nullptr : spare_keys + n;
  unsigned* ones = spare_keys + (values_in == nullptr ? n : 2 * n);
  unsigned* total = ones + blocks;

  convert<<<blocks, block_threads, 0, stream>>>(keys_in, keys_out, n, type, false);
  const std::uint32_t* values = values_in;
  for (int bit = 0; bit < 32; ++bit) {
    const bool to_spare = bit % 2 == 0;
    const std::uint32_t* keys = to_spare ? keys_out : spare_keys;
    std::uint32_t* next_keys = to_spare ? spare_keys : keys_out;
    std::uint32_t* next_values = to_spare ? spare_values : values_out;
    count_ones<<<blocks, block_threads, 0, stream>>>(keys, ones, n, bit);
    scan_counts<<<1, scan_threads, 0, stream>>>(ones, blocks, total);
    split<<<blocks, block_threads, 0, stream>>>(keys, values, next_keys, next_values, ones, total,
                                                n, bit);
    values = next_values;
  }
  convert<<<blocks, block_threads, 0, stream>>>(keys_out, keys_out, n, type, true);
}

/// Block b sorts section b. blockDim.x is half of the section, or 32: each thread has two keys.
__global__ void sort_section(const std::uint32_t* in, std::uint32_t* out, std::int64_t n,
                             int section) {
  __shared__ std::uint32_t keys[2048];
  const std::int64_t first = std::int64_t{blockIdx.x} * section;
  const int count = min(n - first, std::int64_t{section}), tid = threadIdx.x;
  for (int i = tid; i < section; i += blockDim.x)
    keys[i] = i < count ? in[first + i] : 0xffffffff;  // behind all others
  __syncthreads();
  for (int bit = 0; bit < 32; ++bit) {
    const bool here = 2 * tid < section;
    const std::uint32_t a = here ? keys[2 * tid] : 0, b = here ? keys[2 * tid + 1] : 0;
    const unsigned one_a = a >> bit & 1, one_b = b >> bit & 1;
    const Sums sums = sum_before(one_a + one_b);
    const int zeros = section - sums.all, ones_a = sums.before, ones_b = ones_a + one_a;
    if (here) {
      keys[one_a ? zeros + ones_a : 2 * tid - ones_a] = a;
      keys[one_b ? zeros + ones_b : 2 * tid + 1 - ones_b] = b;
    }
    __syncthreads();
  }
  for (int i = tid; i < count; i += blockDim.x) out[first + i] = keys[i];
}

void sort_sections(const std::uint32_t* in, std::uint32_t* out, std::int64_t n, int section,
                   cudaStream_t stream) {
  const std::int64_t sections = (n + section - 1) / section;
  const int threads = max(32, section / 2);
  if (sections > 0) sort_section<<<sections, threads, 0, stream>>>(in, out, n, section);
}

}  // namespace

void sort_warp_sections(const std::uint32_t* in, std::uint32_t* out, std::int64_t n,
                        gridstride::Scratch, cudaStream_t stream) {
  sort_sections(in, out, n, radix_sort::warp_section, stream);
}

void sort_block_sections(const std::uint32_t* in, std::uint32_t* out, std::int64_t n,
                         gridstride::Scratch, cudaStream_t stream) {
  sort_sections(in, out, n, radix_sort::block_section, stream);
}

void sort_keys(const std::uint32_t* in, std::uint32_t* out, std::int64_t n,
               gridstride::Scratch scratch, cudaStream_t stream) {
  sort(in, nullptr, out, nullptr, n, KeyType::unsigned_integer, scratch, stream);
}

void sort_pairs(const std::uint32_t* keys_in, const std::uint32_t* values_in,
                std::uint32_t* keys_out, std::uint32_t* values_out, std::int64_t n, KeyType type,
                gridstride::Scratch scratch, cudaStream_t stream) {
  sort(keys_in, values_in, keys_out, values_out, n, type, scratch, stream);
}

// Whole numbers: products of numbers of 1024 bits, a sieve of primes, and prefix sums.
#include <algorithm>

#include "ladder.h"

namespace ladder::integers {

// Products of long numbers, in words of 32 bits with the lowest first.
constexpr int products = 16384, words = 32;
using Long = unsigned long long;

/// Row by row; a number's words lie side by side.
__global__ void product_by_rows(const unsigned* a, const unsigned* b, unsigned* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  unsigned sum[2 * words] = {};
  for (int y = 0; y < words; ++y) {
    const Long factor = b[i * words + y];
    Long carry = 0;
    for (int x = 0; x < words; ++x) {
      carry += factor * a[i * words + x] + sum[x + y];
      sum[x + y] = unsigned(carry);
      carry >>= 32;
    }
    sum[y + words] = unsigned(carry);
  }
  for (int k = 0; k < 2 * words; ++k) out[i * 2 * words + k] = sum[k];
}

/// Column by column in registers, with the carry of the hardware; the words of one place of all
/// numbers lie side by side.
__global__ void product_by_columns(const unsigned* a, const unsigned* b, unsigned* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  unsigned x[words], y[words];
#pragma unroll
  for (int k = 0; k < words; ++k) {
    x[k] = a[k * products + i];
    y[k] = b[k * products + i];
  }
  unsigned low = 0, middle = 0, high = 0;
#pragma unroll
  for (int column = 0; column < 2 * words - 1; ++column) {
#pragma unroll
    for (int k = 0; k < words; ++k) {
      if (k > column || column - k >= words) continue;
      asm("mad.lo.cc.u32 %0, %3, %4, %0;\n\t"
          "madc.hi.cc.u32 %1, %3, %4, %1;\n\t"
          "addc.u32 %2, %2, 0;"
          : "+r"(low), "+r"(middle), "+r"(high)
          : "r"(x[k]), "r"(y[column - k]));
    }
    out[column * products + i] = low;
    low = middle;
    middle = high;
    high = 0;
  }
  out[(2 * words - 1) * products + i] = low;
}

/// A warp a product: a lane sums its column of the lower half and that of the upper one.
__global__ void product_by_warp(const unsigned* a, const unsigned* b, unsigned* out) {
  const int i = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const unsigned x = a[i * words + lane], y = b[i * words + lane];
  Long sums[2] = {};
  unsigned over[2] = {};  // of 64 bits
#pragma unroll
  for (int k = 0; k < words; ++k) {
    const Long one = Long(__shfl_sync(0xffffffffU, x, lane - k)) * __shfl_sync(0xffffffffU, y, k);
    const bool upper = lane < k;
    const Long before = upper ? sums[1] : sums[0], after = before + one;
    if (upper) {
      sums[1] = after;
      over[1] += after < before ? 1 : 0;
    } else {
      sums[0] = after;
      over[0] += after < before ? 1 : 0;
    }
  }
  // A column gets the second word of the one below and the third of the one below that.
  Long digits[2];
  unsigned second[2], third[2];
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    second[h] = __shfl_sync(0xffffffffU, unsigned(sums[h] >> 32), lane - 1);
    third[h] = __shfl_sync(0xffffffffU, over[h], lane - 2);
  }
  digits[0] = Long(unsigned(sums[0])) + (lane < 1 ? 0 : second[0]) + (lane < 2 ? 0 : third[0]);
  digits[1] = Long(unsigned(sums[1])) + (lane < 1 ? second[0] : second[1]) +
              (lane < 2 ? third[0] : third[1]);
  bool more = true;
  while (more) {
    const unsigned carry[2] = {unsigned(digits[0] >> 32), unsigned(digits[1] >> 32)};
    const unsigned low = __shfl_sync(0xffffffffU, carry[0], lane - 1);
    const unsigned high = __shfl_sync(0xffffffffU, carry[1], lane - 1);
    digits[0] = Long(unsigned(digits[0])) + (lane < 1 ? 0 : low);
    digits[1] = Long(unsigned(digits[1])) + (lane < 1 ? low : high);
    more = __any_sync(0xffffffffU, ((digits[0] | digits[1]) >> 32) != 0) != 0;
  }
  out[i * 2 * words + lane] = unsigned(digits[0]);
  out[i * 2 * words + words + lane] = unsigned(digits[1]);
}

// Primes below 2^23, counted in segments; entry i is for 2 i + 1.
constexpr int odd = 1 << 22, segment = 1 << 14, segments = odd / segment;

/// The first multiple of p that is not below `begin` and to be crossed out.
__device__ int first_multiple(int p, int begin) {
  const int square = (p * p - 1) / 2;
  if (square >= begin) return square;
  return begin + (p - (begin - square) % p) % p;
}

__global__ void cross_out(const int* primes, unsigned char* composite) {
  const int p = primes[blockIdx.x];
  const int first = (p * p - 1) / 2, step = p * int(gridDim.y) * 256;
  for (int i = first + p * int(blockIdx.y * 256 + threadIdx.x); i < odd; i += step)
    composite[i] = 1;
}

__global__ void count_uncrossed(const unsigned* composite, int* counts) {
  __shared__ int of_warps[32];
  int count = 0;
  for (int k = threadIdx.x; k < segment / 4; k += 256) {
    count += 4 - __popc(composite[blockIdx.x * (segment / 4) + k]);
  }
  count = block_sum(count, of_warps);
  if (threadIdx.x == 0) counts[blockIdx.x] = count - (blockIdx.x == 0 ? 1 : 0);
}

/// A segment a block, in bytes; a warp crosses out the multiples of a prime.
__global__ void sieve_in_bytes(const int* primes, int many, int* counts) {
  __shared__ unsigned composite[segment / 4];
  __shared__ int of_warps[32];
  const int begin = blockIdx.x * segment;
  for (int k = threadIdx.x; k < segment / 4; k += 256) composite[k] = 0;
  __syncthreads();
  auto* bytes = reinterpret_cast<unsigned char*>(composite);
  for (int k = threadIdx.x / 32; k < many; k += 8) {
    const int p = primes[k], first = first_multiple(p, begin) - begin;
    for (int i = first + int(threadIdx.x % 32) * p; i < segment; i += 32 * p) bytes[i] = 1;
  }
  __syncthreads();
  int count = 0;
  for (int k = threadIdx.x; k < segment / 4; k += 256) count += 4 - __popc(composite[k]);
  count = block_sum(count, of_warps);
  if (threadIdx.x == 0) counts[blockIdx.x] = count - (blockIdx.x == 0 ? 1 : 0);
}

/// Two segments a block, in bits: a thread crosses small primes out of its words, then the multiples
/// of larger ones in all words.
__global__ void sieve_in_bits(const int* primes, int many, int* counts) {
  constexpr int size = 2 * segment;
  __shared__ unsigned composite[size / 32];
  __shared__ int of_warps[32];
  const int begin = blockIdx.x * size, t = threadIdx.x;
  int small = 0;
  while (small < many && primes[small] < 64) ++small;
  for (int w = t; w < size / 32; w += 512) {
    unsigned word = 0;
    for (int k = 0; k < small; ++k) {
      const int p = primes[k];
      for (int i = first_multiple(p, begin + 32 * w) - begin - 32 * w; i < 32; i += p) {
        word |= 1U << i;
      }
    }
    composite[w] = word;
  }
  __syncthreads();
  for (int k = small + t; k < many; k += 512) {
    const int p = primes[k];
    for (int i = first_multiple(p, begin) - begin; i < size; i += p) {
      atomicOr(composite + i / 32, 1U << i % 32);
    }
  }
  __syncthreads();
  for (int s = 0; s < 2; ++s) {
    const int count = block_sum(32 - __popc(composite[s * (segment / 32) + t]), of_warps);
    if (t == 0) counts[2 * blockIdx.x + s] = count - (blockIdx.x + s == 0 ? 1 : 0);
  }
}

// Prefix sums, each with its own value.
constexpr int values = 1 << 21, step_block = 512, tile = 2048, tiles = values / tile;

/// Sums of a block in steps of 1, 2, 4, ...; what the block has in all goes to `totals`.
__global__ void prefixes_by_steps(const unsigned* in, unsigned* out, unsigned* totals) {
  __shared__ unsigned sums[2][step_block];
  const int t = threadIdx.x, i = blockIdx.x * step_block + t;
  int from = 0;
  sums[0][t] = in[i];
  __syncthreads();
  for (int step = 1; step < step_block; step *= 2, from = 1 - from) {
    sums[1 - from][t] = sums[from][t] + (t >= step ? sums[from][t - step] : 0);
    __syncthreads();
  }
  out[i] = sums[from][t];
  if (t == step_block - 1) totals[blockIdx.x] = sums[from][t];
}

__global__ void add_total(unsigned* out, const unsigned* totals) {
  if (blockIdx.x > 0) out[blockIdx.x * step_block + threadIdx.x] += totals[blockIdx.x - 1];
}

/// The prefix sum of what the threads of a block have.
__device__ unsigned block_prefix(unsigned value, unsigned* of_warps) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned step = 1; step < 32; step *= 2) {
    const unsigned other = __shfl_up_sync(0xffffffffU, value, step);
    if (lane >= step) value += other;
  }
  if (lane == 31) of_warps[warp] = value;
  __syncthreads();
  if (warp == 0) {
    unsigned total = lane < blockDim.x / 32 ? of_warps[lane] : 0;
    for (unsigned step = 1; step < 32; step *= 2) {
      const unsigned other = __shfl_up_sync(0xffffffffU, total, step);
      if (lane >= step) total += other;
    }
    of_warps[lane] = total;
  }
  __syncthreads();
  return value + (warp > 0 ? of_warps[warp - 1] : 0);
}

/// One block, in place; some values a thread.
__global__ void prefixes_of_totals(unsigned* totals, int each) {
  __shared__ unsigned of_warps[32];
  unsigned own = 0;
  for (int k = 0; k < each; ++k) own += totals[threadIdx.x * each + k];
  unsigned sum = block_prefix(own, of_warps) - own;
  for (int k = 0; k < each; ++k)
    totals[threadIdx.x * each + k] = sum += totals[threadIdx.x * each + k];
}

__global__ void totals_of_tiles(const uint4* in, unsigned* totals) {
  __shared__ unsigned of_warps[32];
  unsigned sum = 0;
  for (int k = threadIdx.x; k < tile / 4; k += 256) {
    const uint4 four = in[blockIdx.x * (tile / 4) + k];
    sum += four.x + four.y + four.z + four.w;
  }
  sum = block_sum(sum, of_warps);
  if (threadIdx.x == 0) totals[blockIdx.x] = sum;
}

/// Eight values a thread, whose sums begin behind `before`.
__device__ void write_prefixes(const uint4* eight, unsigned before, uint4* out) {
  for (int k = 0; k < 2; ++k) {
    const unsigned x = before + eight[k].x, y = x + eight[k].y, z = y + eight[k].z;
    before = z + eight[k].w;
    out[k] = {x, y, z, before};
  }
}

__device__ unsigned total_of(const uint4* eight) {
  return eight[0].x + eight[0].y + eight[0].z + eight[0].w + eight[1].x + eight[1].y + eight[1].z +
         eight[1].w;
}

__global__ void prefixes_of_tiles(const uint4* in, const unsigned* totals, uint4* out) {
  __shared__ unsigned of_warps[32];
  const int i = (blockIdx.x * 256 + threadIdx.x) * 2;
  const uint4 eight[2] = {in[i], in[i + 1]};
  const unsigned own = total_of(eight);
  unsigned before = block_prefix(own, of_warps) - own;
  if (blockIdx.x > 0) before += totals[blockIdx.x - 1];
  write_prefixes(eight, before, out + i);
}

constexpr Long own_only = Long{1} << 32, with_all_before = Long{2} << 32;

/// One pass: a tile adds what the tiles before it have said, up to one that knows all before it.
/// `said[tiles]` gives the blocks their tiles in the order in which they begin.
__global__ void prefixes_by_looking_back(const uint4* in, Long* said, uint4* out) {
  __shared__ unsigned of_warps[32];
  __shared__ unsigned shared_tile, all_before;
  const int t = threadIdx.x;
  if (t == 0) shared_tile = unsigned(atomicAdd(said + tiles, Long{1}));
  __syncthreads();
  const int mine = int(shared_tile), i = (mine * 256 + t) * 2;
  const uint4 eight[2] = {in[i], in[i + 1]};
  const unsigned own = total_of(eight), sum = block_prefix(own, of_warps);
  const unsigned total = of_warps[7];
  if (t == 0) atomicExch(said + mine, (mine == 0 ? with_all_before : own_only) | total);
  if (t < 32) {
    unsigned before = 0;
    for (int last = mine - 1; last >= 0; last -= 32) {
      const int other = last - t;
      Long word = with_all_before;
      if (other >= 0) {
        do {
          word = *static_cast<volatile Long*>(said + other);
        } while (word == 0);
      }
      const int known = __ffs(int(__ballot_sync(0xffffffffU, word >= with_all_before))) - 1;
      before += warp_sum(known < 0 || t <= known ? unsigned(word) : 0U);
      if (known >= 0) break;
    }
    if (t == 0) {
      if (mine > 0) atomicExch(said + mine, with_all_before | (before + total));
      all_before = before;
    }
  }
  __syncthreads();
  write_prefixes(eight, all_before + sum - own, out + i);
}

Kernels long_products() {
  const auto apart = [](std::uint32_t i) { return mixed(i % products * words + i / products); };
  const auto other = [](std::uint32_t i) { return mixed(i + 9000000); };
  const Array<unsigned> a(products * words, mixed), b(products * words, other);
  const Array<unsigned> a_apart(products * words, apart);
  const Array<unsigned> b_apart(products * words, [=](std::uint32_t i) {
    return other(i % products * words + i / products);
  });
  const Array<unsigned> out(products * 2 * words);
  const auto way = [=](const char* name, bool is_apart, std::function<void()> launch) {
    const auto right = [=] {
      const std::vector<unsigned> got = out.read();
      return sampled(products, [&](std::size_t i) {
        std::vector<unsigned> sum(2 * words);
        for (std::size_t y = 0; y < words; ++y) {
          Long carry = 0;
          for (std::size_t x = 0; x < words; ++x) {
            carry += Long{b[i * words + y]} * a[i * words + x] + sum[x + y];
            sum[x + y] = unsigned(carry);
            carry >>= 32;
          }
          sum[y + words] = unsigned(carry);
        }
        for (std::size_t k = 0; k < 2 * words; ++k) {
          if (got[is_apart ? k * products + i : i * 2 * words + k] != sum[k]) return false;
        }
        return true;
      });
    };
    return Kernel{name, [=] { out.clear(); }, launch, right};
  };
  return {
      way("a thread a product, row by row", false,
          [=] { product_by_rows<<<products / 128, 128>>>(a.device(), b.device(), out.device()); }),
      way("a thread a product, column by column", true,
          [=] {
            product_by_columns<<<products / 128, 128>>>(a_apart.device(), b_apart.device(),
                                                        out.device());
          }),
      way("a warp a product", false,
          [=] { product_by_warp<<<products / 8, 256>>>(a.device(), b.device(), out.device()); })};
}

Kernels sieve_of_primes() {
  std::vector<bool> crossed(odd);
  std::vector<int> small;
  for (int i = 1; i < odd; ++i) {
    if (crossed[std::size_t(i)]) continue;
    const int p = 2 * i + 1;
    if (p < 2897) small.push_back(p);
    for (long k = (long(p) * p - 1) / 2; k < odd; k += p) crossed[std::size_t(k)] = true;
  }
  std::vector<int> wanted(segments);
  for (int i = 1; i < odd; ++i) wanted[std::size_t(i / segment)] += crossed[std::size_t(i)] ? 0 : 1;
  const Array<int> primes(small);
  const Array<unsigned> composite(odd / 4);
  const Array<int> counts(segments);
  const int many = int(small.size());
  const auto way = [=](const char* name, std::function<void()> launch) {
    const auto renew = [=] {
      composite.clear();
      counts.clear();
    };
    return Kernel{name, renew, launch, [=] { return counts.read() == wanted; }};
  };
  return {way("bytes in memory",
              [=] {
                cross_out<<<dim3(many, 4), 256>>>(
                    primes.device(), reinterpret_cast<unsigned char*>(composite.device()));
                count_uncrossed<<<segments, 256>>>(composite.device(), counts.device());
              }),
          way("bytes in shared memory",
              [=] { sieve_in_bytes<<<segments, 256>>>(primes.device(), many, counts.device()); }),
          way("bits in shared memory", [=] {
            sieve_in_bits<<<segments / 2, 512>>>(primes.device(), many, counts.device());
          })};
}

Kernels prefix_sums() {
  const Array<unsigned> in(values, mixed), out(values), totals(values / step_block);
  const Array<Long> said(tiles + 1);
  const auto way = [=](const char* name, std::function<void()> launch) {
    const auto renew = [=] {
      out.clear();
      said.clear();
    };
    const auto right = [=] {
      const std::vector<unsigned> got = out.read();
      unsigned sum = 0;
      for (std::size_t i = 0; i < values; ++i) {
        if (got[i] != (sum += in[i])) return false;
      }
      return true;
    };
    return Kernel{name, renew, launch, right};
  };
  const auto* from = reinterpret_cast<const uint4*>(in.device());
  auto* to = reinterpret_cast<uint4*>(out.device());
  return {way("three launches, in steps through shared memory",
              [=] {
                constexpr int blocks = values / step_block;
                prefixes_by_steps<<<blocks, step_block>>>(in.device(), out.device(),
                                                          totals.device());
                prefixes_of_totals<<<1, 1024>>>(totals.device(), blocks / 1024);
                add_total<<<blocks, step_block>>>(out.device(), totals.device());
              }),
          way("three launches, eight values a thread",
              [=] {
                totals_of_tiles<<<tiles, 256>>>(from, totals.device());
                prefixes_of_totals<<<1, 1024>>>(totals.device(), tiles / 1024);
                prefixes_of_tiles<<<tiles, 256>>>(from, totals.device(), to);
              }),
          way("one launch, looking back",
              [=] { prefixes_by_looking_back<<<tiles, 256>>>(from, said.device(), to); })};
}

}  // namespace ladder::integers

// Codes, hashes and transforms of numbers: symbols of a prefix code read again, how many values of a
// column are different (by the longest run of zeros in their hashes), and Walsh's transform of rows.
#include <algorithm>

#include "ladder.h"

namespace ladder::codes {

using Byte = unsigned char;

// A prefix code of at most ten bits; chunks of 256 symbols begin at whole words.
constexpr int chunks = 16384, chunk = 256, longest = 10, most_words = chunk * longest / 32 + 2;

/// Bits of the symbols' codes, which are in order of their lengths.
constexpr int lengths[] = {2,  2,  3,  3,  4,  4,  5,  5,  6,  6,  8,  8,  8,  8,  10,
                           10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10};
constexpr int symbols = sizeof lengths / sizeof *lengths;

/// Bits come from the high end of a word.
__global__ void symbols_by_tree(const unsigned* words, const int* begins, const short2* tree,
                                Byte* out) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  int at = begins[i], bit = 31;
  unsigned word = words[at];
  for (int k = 0; k < chunk; ++k) {
    int node = 0;
    do {
      node = (word >> bit & 1) != 0 ? tree[node].y : tree[node].x;
      if (--bit < 0) {
        bit = 31;
        word = words[++at];
      }
    } while (node >= 0);
    out[i * chunk + k] = Byte(~node);
  }
}

/// Symbols of a chunk, four a word; an entry of the table is a symbol and 256 times its length.
template <class Next, class Store>
__device__ void read_chunk(const std::uint16_t* table, Next next, Store store) {
  std::uint64_t bits = std::uint64_t{next()} << 32;
  bits |= next();
  int there = 64;
  for (int k = 0; k < chunk / 4; ++k) {
    unsigned four = 0;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (there <= 32) {
        bits |= std::uint64_t{next()} << (32 - there);
        there += 32;
      }
      const unsigned entry = table[bits >> (64 - longest)];
      four |= (entry & 255) << (8 * j);
      bits <<= entry >> 8;
      there -= int(entry >> 8);
    }
    store(k, four);
  }
}

__device__ void bring_table(const std::uint16_t* from, std::uint16_t* table) {
  for (int k = threadIdx.x; k < 1 << longest; k += 64) table[k] = from[k];
}

__global__ void symbols_by_table(const unsigned* words, const int* begins,
                                 const std::uint16_t* entries, unsigned* out) {
  __shared__ std::uint16_t table[1 << longest];
  bring_table(entries, table);
  __syncthreads();
  const int i = blockIdx.x * 64 + threadIdx.x;
  const unsigned* from = words + begins[i];
  read_chunk(
      table, [&] { return *from++; },
      [=](int k, unsigned four) { out[i * (chunk / 4) + k] = four; });
}

/// The words of 64 chunks and what they say go through shared memory.
__global__ void symbols_by_shared(const unsigned* words, const int* begins,
                                  const std::uint16_t* entries, unsigned* out) {
  __shared__ std::uint16_t table[1 << longest];
  __shared__ unsigned in[64 * 48], result[16][65];
  bring_table(entries, table);
  const int t = threadIdx.x, i = blockIdx.x * 64 + t, first = begins[blockIdx.x * 64];
  const int n = min(begins[(blockIdx.x + 1) * 64] + 2 - first, 64 * 48);
  for (int k = t; k < n; k += 64) in[k] = words[first + k];
  __syncthreads();
  const unsigned* from = in + (begins[i] - first);
  read_chunk(
      table, [&] { return *from++; },
      [&](int k, unsigned four) {
        result[k % 16][t] = four;
        if (k % 16 != 15) return;
        __syncthreads();
        for (int j = t; j < 64 * 16; j += 64) {
          out[(blockIdx.x * 64 + j / 16) * (chunk / 4) + k - 15 + j % 16] = result[j % 16][j / 16];
        }
        __syncthreads();
      });
}

// How many values differ: registers have the longest run of zeros of the hashes that chose them.
constexpr int values = 1 << 21, registers = 4096;

__host__ __device__ std::uint64_t hash_of(std::uint64_t key) {
  key = (key ^ key >> 33) * 0xff51afd7ed558ccdULL;
  key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53ULL;
  return key ^ key >> 33;
}

/// Which register, and for what.
__device__ uint2 found_in(std::uint64_t key) {
  const std::uint64_t hash = hash_of(key);
  return {unsigned(hash) % registers, unsigned(__clzll(hash >> 12)) - 11};
}

__global__ void registers_by_atomics(const std::uint64_t* keys, unsigned* out) {
  const uint2 found = found_in(keys[blockIdx.x * 256 + threadIdx.x]);
  atomicMax(out + found.x, found.y);
}

/// Most values change nothing, which a look shows.
__global__ void registers_looked_at(const std::uint64_t* keys, unsigned* out) {
  const uint2 found = found_in(keys[blockIdx.x * 256 + threadIdx.x]);
  if (*static_cast<volatile unsigned*>(out + found.x) < found.y) atomicMax(out + found.x, found.y);
}

__global__ void registers_of_blocks(const std::uint64_t* keys, unsigned* out) {
  __shared__ unsigned own[registers];
  for (int k = threadIdx.x; k < registers; k += 256) own[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < values; i += gridDim.x * 256) {
    const uint2 found = found_in(keys[i]);
    atomicMax(own + found.x, found.y);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < registers; k += 256) {
    if (own[k] != 0) atomicMax(out + k, own[k]);
  }
}

// Walsh's transform of rows of 1024.
constexpr int row = 1024, rows = 4096;

__global__ void walsh_step(float* all, int apart) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int low = i / apart * 2 * apart + i % apart;
  const float a = all[low], b = all[low + apart];
  all[low] = a + b;
  all[low + apart] = a - b;
}

__global__ void walsh_in_shared(float* all) {
  __shared__ float of_row[row];
  const int t = threadIdx.x;
  float* mine = all + blockIdx.x * row;
  of_row[t] = mine[t];
  of_row[t + row / 2] = mine[t + row / 2];
  for (int apart = 1; apart < row; apart *= 2) {
    __syncthreads();
    const int low = 2 * t - (t & (apart - 1));
    const float a = of_row[low], b = of_row[low + apart];
    of_row[low] = a + b;
    of_row[low + apart] = a - b;
  }
  __syncthreads();
  mine[t] = of_row[t];
  mine[t + row / 2] = of_row[t + row / 2];
}

/// A warp a row: 32 values a lane, so that half of the steps are a lane's own.
__global__ void walsh_in_registers(float* all) {
  const int lane = threadIdx.x % 32;
  float* mine = all + (blockIdx.x * 4 + threadIdx.x / 32) * row + lane;
  float value[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) value[k] = mine[32 * k];
#pragma unroll
  for (int apart = 1; apart < 32; apart *= 2) {
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      if ((k & apart) != 0) continue;
      const float a = value[k], b = value[k + apart];
      value[k] = a + b;
      value[k + apart] = a - b;
    }
  }
#pragma unroll
  for (int apart = 1; apart < 32; apart *= 2) {
    const float sign = (lane & apart) != 0 ? -1.0F : 1.0F;
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      value[k] = sign * value[k] + __shfl_xor_sync(0xffffffffU, value[k], apart);
    }
  }
#pragma unroll
  for (int k = 0; k < 32; ++k) mine[32 * k] = value[k];
}

/// What the code of a symbol begins with, and which symbol ten bits begin with.
struct PrefixCode {
  std::vector<unsigned> codes;
  std::vector<std::uint16_t> table;
  std::vector<short2> tree;  ///< a symbol is there as what it is inverted

  PrefixCode() {
    for (int s = 0; s < symbols; ++s) {
      const int after = longest - lengths[s];
      codes.push_back(unsigned(table.size()) >> after);
      table.insert(table.end(), std::size_t{1} << after, std::uint16_t(lengths[s] << 8 | s));
    }
    tree.push_back({0, 0});
    for (int s = 0; s < symbols; ++s) {
      std::size_t node = 0;
      for (int k = lengths[s] - 1; k >= 0; --k) {
        const bool one = (codes[s] >> k & 1) != 0;
        short to = one ? tree[node].y : tree[node].x;
        if (k == 0) {
          to = short(~s);
        } else if (to == 0) {
          to = short(tree.size());
          tree.push_back({0, 0});
        }
        (one ? tree[node].y : tree[node].x) = to;
        node = std::size_t(to);
      }
    }
  }
  /// The i-th symbol of all: as frequent as its code is short.
  int symbol(std::uint32_t i) const { return table[mixed(i) >> (32 - longest)] & 255; }
};

Kernels prefix_codes() {
  const PrefixCode code;
  std::vector<unsigned> all;
  std::vector<int> first;
  for (std::uint32_t i = 0; i < chunks; ++i) {
    first.push_back(int(all.size()));
    all.resize(all.size() + most_words);
    std::size_t bit = std::size_t(first.back()) * 32;
    for (std::uint32_t k = 0; k < chunk; ++k) {
      const int symbol = code.symbol(i * chunk + k);
      const int over = int(bit % 32) + lengths[symbol] - 32;
      const unsigned value = code.codes[symbol];
      all[bit / 32] |= over > 0 ? value >> over : value << -over;
      if (over > 0) all[bit / 32 + 1] |= value << (32 - over);
      bit += std::size_t(lengths[symbol]);
    }
    all.resize((bit + 31) / 32);
  }
  first.push_back(int(all.size()));
  all.resize(all.size() + 4);
  const Array<unsigned> words(all), out(chunks * chunk / 4);
  const Array<int> begins(first);
  const Array<std::uint16_t> table(code.table);
  const Array<short2> tree(code.tree);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<unsigned> got = out.read();
                    return sampled(chunks * chunk, [&](std::size_t i) {
                      return int(got[i / 4] >> (8 * (i % 4)) & 255) ==
                             code.symbol(std::uint32_t(i));
                    });
                  }};
  };
  constexpr int blocks = chunks / 64;
  return {way("bit by bit, along a tree",
              [=] {
                symbols_by_tree<<<blocks, 64>>>(words.device(), begins.device(), tree.device(),
                                                reinterpret_cast<Byte*>(out.device()));
              }),
          way("ten bits, by a table",
              [=] {
                symbols_by_table<<<blocks, 64>>>(words.device(), begins.device(), table.device(),
                                                 out.device());
              }),
          way("by a table, all through shared memory", [=] {
            symbols_by_shared<<<blocks, 64>>>(words.device(), begins.device(), table.device(),
                                              out.device());
          })};
}

Kernels different_values() {
  const Array<std::uint64_t> keys(
      values, [](std::uint32_t i) { return std::uint64_t{mixed(mixed(i) % 700000)} << 8 | 5; });
  const Array<unsigned> out(registers);
  const auto way = [=](const char* name, auto kernel, int blocks) {
    return Kernel{name, [=] { out.clear(); },
                  [=] { kernel<<<blocks, 256>>>(keys.device(), out.device()); },
                  [=] {
                    std::vector<unsigned> wanted(registers);
                    for (std::size_t i = 0; i < values; ++i) {
                      const std::uint64_t hash = hash_of(keys[i]);
                      unsigned zeros = 1;
                      while (zeros < 53 && (hash >> (64 - zeros) & 1) == 0) ++zeros;
                      unsigned& most = wanted[hash % registers];
                      most = std::max(most, zeros);
                    }
                    return out.read() == wanted;
                  }};
  };
  return {way("an atomic a value", registers_by_atomics, values / 256),
          way("atomics after a look", registers_looked_at, values / 256),
          way("registers of a block", registers_of_blocks, 264)};
}

Kernels walsh_transforms() {
  constexpr int n = rows * row;
  const Array<float> in(n, [](std::uint32_t i) { return float(mixed(i) % 256); }), all(n);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{
        name,
        [=] {
          check(cudaMemcpy(all.device(), in.device(), n * sizeof(float), cudaMemcpyDeviceToDevice));
        },
        launch,
        [=] {
          const std::vector<float> got = all.read();
          return sampled(n, [&](std::size_t i) {
            float sum = 0;
            for (std::size_t k = 0; k < row; ++k) {
              const bool odd = __builtin_popcount(unsigned(k & i)) % 2 != 0;
              sum += odd ? -in[i / row * row + k] : in[i / row * row + k];
            }
            return got[i] == sum;
          });
        }};
  };
  return {way("a launch a step",
              [=] {
                for (int apart = 1; apart < row; apart *= 2) {
                  walsh_step<<<n / 2 / 256, 256>>>(all.device(), apart);
                }
              }),
          way("a row a block, in shared memory",
              [=] { walsh_in_shared<<<rows, row / 2>>>(all.device()); }),
          way("a row a warp, in registers",
              [=] { walsh_in_registers<<<rows / 4, 128>>>(all.device()); })};
}

}  // namespace ladder::codes

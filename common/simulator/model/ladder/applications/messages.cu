// Messages: a tree of hashes (SHA-3) over many small ones, and noisy ones put right by the parity
// checks of their code (belief propagation by least values).
#include <algorithm>
#include <utility>

#include "ladder.h"

namespace ladder::messages {

using Byte = unsigned char;
using Long = unsigned long long;

// A tree of hashes: leaves are hashes of 128 bytes, nodes of their two children's.
constexpr int leaves = 1 << 15, of_leaf = 16, of_hash = 4, subtree = 256;
constexpr int turns = 24;

__constant__ Long constant_rounds[turns];

struct alignas(16) Hash {
  Long words[of_hash];
};

__host__ __device__ Long turned(Long value, int bits) {
  return value << bits | value >> (64 - bits);
}

/// Keccak's permutation of 25 words, five a row.
__host__ __device__ void permute(Long (&s)[25], const Long* rounds) {
#pragma unroll 1
  for (int round = 0; round < turns; ++round) {
    Long column[5];
#pragma unroll
    for (int x = 0; x < 5; ++x) column[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
#pragma unroll
    for (int k = 0; k < 25; ++k) s[k] ^= column[(k + 4) % 5] ^ turned(column[(k + 1) % 5], 1);
    // Each word is turned and goes to the place of another.
    Long carried = s[1];
    int x = 1, y = 0;
#pragma unroll
    for (int k = 1; k < 25; ++k) {
      const int below = (2 * x + 3 * y) % 5;
      x = y;
      y = below;
      const Long kept = s[5 * y + x];
      s[5 * y + x] = turned(carried, k * (k + 1) / 2 % 64);
      carried = kept;
    }
#pragma unroll
    for (int row = 0; row < 25; row += 5) {
      const Long first = s[row], second = s[row + 1];
#pragma unroll
      for (int k = 0; k < 5; ++k) {
        const Long next = k < 4 ? s[row + k + 1] : first;
        const Long after = k < 3 ? s[row + k + 2] : k == 3 ? first : second;
        s[row + k] ^= ~next & after;
      }
    }
    s[0] ^= rounds[round];
  }
}

/// SHA-3 of `size` words, at most 16.
template <int size>
__host__ __device__ Hash hash_of(const Long* words, const Long* rounds) {
  Long s[25] = {};
#pragma unroll
  for (int k = 0; k < size; ++k) s[k] = words[k];
  s[size] = 6;
  s[16] ^= 1ULL << 63;
  permute(s, rounds);
  return {{s[0], s[1], s[2], s[3]}};
}

/// Node k has nodes 2 k and 2 k + 1 below it.
__global__ void hashes_of_leaves(const Long* data, Hash* nodes) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  nodes[leaves + i] = hash_of<of_leaf>(data + i * of_leaf, constant_rounds);
}

__global__ void hashes_of_level(Hash* nodes, int first) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= first) return;
  nodes[first + i] = hash_of<2 * of_hash>(nodes[2 * (first + i)].words, constant_rounds);
}

/// All levels above what the block has in shared memory, `below` of them in nodes from `first` on.
__device__ void hash_upwards(Hash* mine, Hash* nodes, int first, int below) {
  for (int level = below / 2; level > 0; level /= 2) {
    first /= 2;
    const int i = threadIdx.x;
    Hash hash;
    __syncthreads();
    if (i < level) {
      hash = hash_of<2 * of_hash>(mine[2 * i].words, constant_rounds);
      nodes[first + i] = hash;
    }
    __syncthreads();
    if (i < level) mine[i] = hash;
  }
}

__global__ void subtree_a_block(const Long* data, Hash* nodes) {
  __shared__ Hash mine[subtree];
  const int first = blockIdx.x * subtree, i = first + threadIdx.x;
  mine[threadIdx.x] = hash_of<of_leaf>(data + i * of_leaf, constant_rounds);
  nodes[leaves + i] = mine[threadIdx.x];
  hash_upwards(mine, nodes, leaves + first, subtree);
}

__global__ void top_of_tree(Hash* nodes) {
  constexpr int roots = leaves / subtree;
  __shared__ Hash mine[roots];
  mine[threadIdx.x] = nodes[roots + threadIdx.x];
  hash_upwards(mine, nodes, roots, roots);
}

/// Bits 0, 1, 3, 7 and so on of a round's constant come from a register that shifts.
std::vector<Long> round_constants() {
  std::vector<Long> all(turns);
  unsigned shifted = 1;
  for (Long& one : all) {
    for (int k = 0; k < 7; ++k) {
      one |= Long(shifted & 1) << ((1 << k) - 1);
      shifted = shifted << 1 ^ (shifted >> 7) * 0x171;
    }
  }
  return all;
}

// Parity checks: six bits a check, three checks a bit. A value above 0 says that a bit is 0.
constexpr int words = 1024, bits = 1024, checks = 512, of_check = 6, of_bit = 3;
constexpr int edges = checks * of_check, rounds_of_code = 8;

/// Edges are in order of their checks.
struct Code {
  const std::uint16_t *bit_of_edge, *edges_of_bit;
};

#pragma nv_exec_check_disable  // values are the host's or the device's
/// What a check tells its bits: the sign that the others give it, and their least size.
template <class Load, class Store>
__host__ __device__ void ask_check(Load load, Store store) {
  float least = 1e30F, next = 1e30F, heard[of_check];
  int least_at = 0;
  bool odd = false;
#pragma unroll
  for (int k = 0; k < of_check; ++k) {
    heard[k] = load(k);
    odd ^= heard[k] < 0;
    const float size = fabsf(heard[k]);
    if (size < least) {
      next = least;
      least = size;
      least_at = k;
    } else if (size < next) {
      next = size;
    }
  }
#pragma unroll
  for (int k = 0; k < of_check; ++k) {
    const float size = 0.75F * (k == least_at ? next : least);
    store(k, odd != (heard[k] < 0) ? -size : size);
  }
}

/// A value of all words lies side by side.
__global__ void checks_from_memory(Code code, const float* totals, float* told, bool first) {
  const int word = blockIdx.x * 128 + threadIdx.x, check = blockIdx.y;
  ask_check(
      [=](int k) {
        const int edge = check * of_check + k;
        const float before = first ? 0 : told[edge * words + word];
        return totals[code.bit_of_edge[edge] * words + word] - before;
      },
      [=](int k, float value) { told[(check * of_check + k) * words + word] = value; });
}

__global__ void bits_from_memory(Code code, const float* received, const float* told,
                                 float* totals) {
  const int word = blockIdx.x * 128 + threadIdx.x, bit = blockIdx.y;
  float sum = received[bit * words + word];
  for (int k = 0; k < of_bit; ++k) sum += told[code.edges_of_bit[bit * of_bit + k] * words + word];
  totals[bit * words + word] = sum;
}

/// All values of a word lie in shared memory.
__global__ void word_a_block(Code code, const float* received, float* out) {
  __shared__ float totals[bits], told[edges];
  float own[bits / 256];
#pragma unroll
  for (int j = 0; j < bits / 256; ++j) {
    const int bit = j * 256 + threadIdx.x;
    totals[bit] = own[j] = received[blockIdx.x * bits + bit];
  }
  for (int k = threadIdx.x; k < edges; k += 256) told[k] = 0;
  for (int round = 0; round < rounds_of_code; ++round) {
    __syncthreads();
    for (int check = threadIdx.x; check < checks; check += 256) {
      ask_check(
          [&](int k) {
            const int edge = check * of_check + k;
            return totals[code.bit_of_edge[edge]] - told[edge];
          },
          [&](int k, float value) { told[check * of_check + k] = value; });
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < bits / 256; ++j) {
      const int bit = j * 256 + threadIdx.x;
      float sum = own[j];
      for (int k = 0; k < of_bit; ++k) sum += told[code.edges_of_bit[bit * of_bit + k]];
      totals[bit] = sum;
    }
  }
#pragma unroll
  for (int j = 0; j < bits / 256; ++j) {
    const int bit = j * 256 + threadIdx.x;
    out[blockIdx.x * bits + bit] = totals[bit];
  }
}

/// One bit of one word as it was received: all are 0, and one in twelve looks like 1.
float received_bit(std::uint32_t word, std::uint32_t bit) {
  const std::uint32_t i = 2 * (word * bits + bit);
  return 2.2F * (fraction(i) + fraction(i + 1)) - 0.9F;
}

Kernels tree_of_hashes() {
  const std::vector<Long> rounds = round_constants();
  check(cudaMemcpyToSymbol(constant_rounds, rounds.data(), sizeof constant_rounds));
  const Array<Long> data(leaves * of_leaf, [](std::uint32_t i) {
    return Long{mixed(2 * i)} << 32 | mixed(2 * i + 1);
  });
  const Array<Hash> nodes(2 * leaves);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{
        name, [=] { nodes.clear(); }, launch,
        [=] {
          const std::vector<Hash> got = nodes.read();
          const auto same = [](const Hash& a, const Hash& b) {
            return std::equal(a.words, a.words + of_hash, b.words);
          };
          for (std::size_t i = 0; i < leaves; ++i) {
            if (!same(got[leaves + i], hash_of<of_leaf>(&data[i * of_leaf], rounds.data()))) {
              return false;
            }
          }
          for (std::size_t i = 1; i < leaves; ++i) {
            Long below[2 * of_hash];
            for (std::size_t k = 0; k < 2 * of_hash; ++k) {
              below[k] = got[2 * i + k / of_hash].words[k % of_hash];
            }
            if (!same(got[i], hash_of<2 * of_hash>(below, rounds.data()))) return false;
          }
          return true;
        }};
  };
  return {way("a launch a level",
              [=] {
                hashes_of_leaves<<<leaves / 128, 128>>>(data.device(), nodes.device());
                for (int first = leaves / 2; first > 0; first /= 2) {
                  hashes_of_level<<<(first + 127) / 128, 128>>>(nodes.device(), first);
                }
              }),
          way("a block a subtree, in shared memory", [=] {
            subtree_a_block<<<leaves / subtree, subtree>>>(data.device(), nodes.device());
            top_of_tree<<<1, leaves / subtree>>>(nodes.device());
          })};
}

Kernels parity_checks() {
  // Ends of edges at bits, in an order that is drawn.
  std::vector<std::uint16_t> bit_of(edges), edges_of(edges);
  for (std::uint32_t k = 0; k < edges; ++k) bit_of[k] = std::uint16_t(k / of_bit);
  for (std::uint32_t k = edges - 1; k > 0; --k) std::swap(bit_of[k], bit_of[mixed(k) % (k + 1)]);
  std::vector<int> used(bits);
  for (int edge = 0; edge < edges; ++edge) {
    const int bit = bit_of[edge];
    edges_of[bit * of_bit + used[bit]++] = std::uint16_t(edge);
  }
  const Array<std::uint16_t> bit_of_edge(bit_of), edges_of_bit(edges_of);
  const Array<float> by_bits(words * bits,
                             [](std::uint32_t i) { return received_bit(i % words, i / words); }),
      by_words(words * bits, [](std::uint32_t i) { return received_bit(i / bits, i % bits); });
  const Array<float> totals(words * bits), told(words * edges);
  const auto wanted_of = [=](std::uint32_t word) {
    std::vector<float> all(bits), messages(edges);
    for (std::uint32_t bit = 0; bit < bits; ++bit) all[bit] = received_bit(word, bit);
    for (int round = 0; round < rounds_of_code; ++round) {
      for (int first = 0; first < edges; first += of_check) {
        ask_check([&](int k) { return all[bit_of[first + k]] - messages[first + k]; },
                  [&](int k, float value) { messages[first + k] = value; });
      }
      for (std::uint32_t bit = 0; bit < bits; ++bit) {
        all[bit] = received_bit(word, bit);
        for (int k = 0; k < of_bit; ++k) all[bit] += messages[edges_of[bit * of_bit + k]];
      }
    }
    return all;
  };
  const auto way = [=](const char* name, std::function<void()> launch, auto place) {
    return Kernel{name,
                  [=] {
                    totals.clear();
                    told.clear();
                  },
                  launch,
                  [=] {
                    const std::vector<float> got = totals.read();
                    for (std::uint32_t word = 0; word < words; word += 93) {
                      const std::vector<float> wanted = wanted_of(word);
                      for (std::uint32_t bit = 0; bit < bits; ++bit) {
                        if (!near(got[place(word, bit)], wanted[bit])) return false;
                      }
                    }
                    return true;
                  }};
  };
  const Code code = {bit_of_edge.device(), edges_of_bit.device()};
  return {way(
              "two launches a round, through memory",
              [=] {
                for (int round = 0; round < rounds_of_code; ++round) {
                  const float* from = round == 0 ? by_bits.device() : totals.device();
                  checks_from_memory<<<dim3(words / 128, checks), 128>>>(code, from, told.device(),
                                                                         round == 0);
                  bits_from_memory<<<dim3(words / 128, bits), 128>>>(
                      code, by_bits.device(), told.device(), totals.device());
                }
              },
              [](std::uint32_t word, std::uint32_t bit) { return bit * words + word; }),
          way(
              "a block a word, in shared memory",
              [=, kept = std::make_pair(bit_of_edge, edges_of_bit)] {
                word_a_block<<<words, 256>>>(code, by_words.device(), totals.device());
              },
              [](std::uint32_t word, std::uint32_t bit) { return word * bits + bit; })};
}

}  // namespace ladder::messages

// What threads look up: words of a text, keys of a hash table, bytes of a table for check sums in
// constant, shared and global memory, and one address that all lanes read in a loop.
#include <cstring>

#include "ladder.h"

namespace ladder::lookups {

constexpr int threads = 256;

// --- a word in a text

constexpr int text_bytes = 1 << 23, word_bytes = 8;
__constant__ char word[word_bytes];

__global__ void search_straight(const char* text, int* found) {
  const int i = blockIdx.x * threads + threadIdx.x;
  int k = 0;
  while (k < word_bytes && text[i + k] == word[k]) ++k;
  if (k == word_bytes) atomicAdd(found, 1);
}

__global__ void search_tile(const char* text, int* found) {
  __shared__ char part[threads + word_bytes];
  const int begin = blockIdx.x * threads;
  part[threadIdx.x] = text[begin + threadIdx.x];
  if (threadIdx.x < word_bytes) part[threads + threadIdx.x] = text[begin + threads + threadIdx.x];
  __syncthreads();
  int k = 0;
  while (k < word_bytes && part[threadIdx.x + k] == word[k]) ++k;
  if (k == word_bytes) atomicAdd(found, 1);
}

/// Four places a thread, compared as words of 64 bits.
__global__ void search_words(const std::uint32_t* text, std::uint64_t wanted, int* found) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const std::uint32_t a = text[i], b = text[i + 1], c = text[i + 2];
  int count = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const std::uint64_t here =
        std::uint64_t(__funnelshift_r(b, c, 8 * k)) << 32 | __funnelshift_r(a, b, 8 * k);
    count += here == wanted;
  }
  if (count > 0) atomicAdd(found, count);
}

char letter(std::uint32_t i) { return "ab"[mixed(i) % 2]; }

// --- a hash table

constexpr unsigned nobody = 0xffffffffU;

__device__ unsigned slot_of(unsigned key, unsigned slots) { return mixed(key) & (slots - 1); }

__global__ void insert(const unsigned* keys, unsigned* table, unsigned slots) {
  const unsigned key = keys[blockIdx.x * threads + threadIdx.x];
  unsigned slot = slot_of(key, slots);
  while (true) {
    const unsigned found = atomicCAS(&table[slot], nobody, key);
    if (found == nobody || found == key) return;
    slot = (slot + 1) & (slots - 1);
  }
}

__global__ void find(const unsigned* keys, const unsigned* table, unsigned slots,
                     unsigned char* there) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const unsigned key = keys[i] + (i % 4 == 0);  // a quarter is not there, but for chance
  unsigned slot = slot_of(key, slots), found;
  while ((found = table[slot]) != nobody && found != key) slot = (slot + 1) & (slots - 1);
  there[i] = found == key;
}

// --- check sums by bytes

constexpr int piece = 64;  ///< bytes of a check sum
__constant__ std::uint32_t constant_table[256];

std::uint32_t entry(std::uint32_t i) {
  for (int k = 0; k < 8; ++k) i = (i >> 1) ^ (i & 1 ? 0xedb88320U : 0);
  return i;
}

enum class Where { constant, global, shared };

template <Where where>
__global__ void check_sums(const std::uint32_t* in, const std::uint32_t* table, std::uint32_t* out,
                           int pieces) {
  __shared__ std::uint32_t kept[256];
  if (where == Where::shared) {
    kept[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
  }
  const int i = blockIdx.x * threads + threadIdx.x;
  std::uint32_t sum = ~0U;
  for (int k = 0; k < piece / 4; ++k) {
    std::uint32_t four = in[k * pieces + i];  // word k of all pieces, one after the other
#pragma unroll
    for (int j = 0; j < 4; ++j, four >>= 8) {
      const std::uint32_t at = (sum ^ four) & 255;
      sum = (sum >> 8) ^ (where == Where::constant ? constant_table[at]
                          : where == Where::global ? table[at]
                                                   : kept[at]);
    }
  }
  out[i] = ~sum;
}

// --- one address for all lanes

constexpr int points = 1 << 17, centres = 1024;
__constant__ float constant_centres[centres];

/// The distance to the nearest of the centres.
template <Where where>
__global__ void nearest(const float* in, const float* all, float* out) {
  __shared__ float part[threads];
  const float mine = in[blockIdx.x * threads + threadIdx.x];
  float least = 1e30F;
  for (int begin = 0; begin < centres; begin += threads) {
    if (where == Where::shared) {
      __syncthreads();
      part[threadIdx.x] = all[begin + threadIdx.x];
      __syncthreads();
    }
#pragma unroll 8
    for (int k = 0; k < threads; ++k) {
      const float centre = where == Where::constant ? constant_centres[begin + k]
                           : where == Where::global ? all[begin + k]
                                                    : part[k];
      least = fminf(least, fabsf(mine - centre));
    }
  }
  out[blockIdx.x * threads + threadIdx.x] = least;
}

Kernels word_search() {
  const Array<char> text(text_bytes + 16, letter);
  const Array<int> found(1);
  const char wanted[word_bytes + 1] = "abbabaab";
  std::uint64_t as_number = 0;
  std::memcpy(&as_number, wanted, word_bytes);
  check(cudaMemcpyToSymbol(word, wanted, word_bytes));
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { found.clear(); }, launch,
                  [=] {
                    int count = 0;
                    for (int i = 0; i < text_bytes; ++i) {
                      count += std::memcmp(&text[i], &as_number, word_bytes) == 0;
                    }
                    return found.read()[0] == count;
                  }};
  };
  const int blocks = text_bytes / threads;
  return {
      way("straight", [=] { search_straight<<<blocks, threads>>>(text.device(), found.device()); }),
      way("tile", [=] { search_tile<<<blocks, threads>>>(text.device(), found.device()); }),
      way("words", [=] {
        search_words<<<blocks / 4, threads>>>(reinterpret_cast<std::uint32_t*>(text.device()),
                                              as_number, found.device());
      })};
}

Kernels hash_table() {
  constexpr int keys = 1 << 21;
  const Array<unsigned> in(keys, [](std::uint32_t i) { return mixed(i) & 0x7fffffffU; });
  const Array<unsigned char> there(keys);
  Kernels all;
  for (const unsigned slots : {1U << 22, 1U << 24}) {
    const Array<unsigned> table(slots);
    const std::string size = slots == 1U << 22 ? ", 16 MB" : ", 64 MB";
    const auto empty = [=] { check(cudaMemset(table.device(), 0xff, slots * 4)); };
    const auto fill = [=] {
      insert<<<keys / threads, threads>>>(in.device(), table.device(), slots);
    };
    all.push_back({"insert" + size, empty, fill, [=] {
                     std::vector<unsigned> got = table.read();
                     return sampled(keys, [&](std::size_t i) {
                       unsigned slot = mixed(in[i]) & (slots - 1);
                       while (got[slot] != in[i] && got[slot] != nobody) {
                         slot = (slot + 1) & (slots - 1);
                       }
                       return got[slot] == in[i];
                     });
                   }});
    all.push_back({"find" + size,
                   [=] {
                     there.clear();
                     empty();
                     fill();
                   },
                   [=] {
                     find<<<keys / threads, threads>>>(in.device(), table.device(), slots,
                                                       there.device());
                   },
                   [=] {
                     const std::vector<unsigned char> got = there.read();
                     int absent = 0;
                     for (int i = 0; i < keys; ++i) {
                       if (i % 4 != 0 && got[i] != 1) return false;
                       absent += got[i] == 0;
                     }
                     return absent > keys / 5;
                   }});
  }
  return all;
}

Kernels check_sum() {
  constexpr int pieces = 1 << 19;
  const Array<std::uint32_t> in(pieces * piece / 4, mixed), table(256, entry), out(pieces);
  std::vector<std::uint32_t> all;
  for (int i = 0; i < 256; ++i) all.push_back(entry(i));
  check(cudaMemcpyToSymbol(constant_table, all.data(), sizeof constant_table));
  const auto way = [=](const char* name, auto kernel) {
    return Kernel{name, [=] { out.clear(); },
                  [=] {
                    kernel<<<pieces / threads, threads>>>(in.device(), table.device(), out.device(),
                                                          pieces);
                  },
                  [=] {
                    const std::vector<std::uint32_t> got = out.read();
                    return sampled(pieces, [&](std::size_t i) {
                      std::uint32_t sum = ~0U;
                      for (int k = 0; k < piece; ++k) {
                        const std::uint32_t byte = in[k / 4 * pieces + i] >> (k % 4 * 8) & 255;
                        sum = (sum >> 8) ^ table[(sum ^ byte) & 255];
                      }
                      return got[i] == ~sum;
                    });
                  }};
  };
  return {way("table in constant memory", check_sums<Where::constant>),
          way("table in global memory", check_sums<Where::global>),
          way("table in shared memory", check_sums<Where::shared>)};
}

Kernels one_address() {
  const Array<float> in(points, fraction),
      all(centres, [](std::uint32_t i) { return fraction(~i); }), out(points);
  check(cudaMemcpyToSymbol(constant_centres, all.device(), sizeof constant_centres, 0,
                           cudaMemcpyDeviceToDevice));
  const auto way = [=](const char* name, auto kernel) {
    return Kernel{
        name, [=] { out.clear(); },
        [=] { kernel<<<points / threads, threads>>>(in.device(), all.device(), out.device()); },
        [=] {
          const std::vector<float> got = out.read();
          return sampled(points, [&](std::size_t i) {
            float least = 1e30F;
            for (int k = 0; k < centres; ++k) least = std::fmin(least, std::fabs(in[i] - all[k]));
            return got[i] == least;
          });
        }};
  };
  return {way("global memory", nearest<Where::global>), way("shared tile", nearest<Where::shared>),
          way("constant memory", nearest<Where::constant>)};
}

}  // namespace ladder::lookups

// How often each byte occurs: a table a block or a warp in shared memory, by single bytes, words and
// 16 bytes; of bytes that look drawn, and of text, where few are frequent.
#include "ladder.h"

namespace ladder::byte_histogram {

constexpr int bytes = 1 << 25, threads = 256, blocks = 1056;

template <int tables>
__device__ void add_to(unsigned* total, unsigned (*table)[256]) {
  __syncthreads();
  unsigned sum = 0;
  for (int k = 0; k < tables; ++k) sum += table[k][threadIdx.x];
  if (sum != 0) atomicAdd(&total[threadIdx.x], sum);
}

template <int tables>
__device__ void clear(unsigned (*table)[256]) {
  for (int k = 0; k < tables; ++k) table[k][threadIdx.x] = 0;
  __syncthreads();
}

__device__ void count(unsigned word, unsigned* table) {
  atomicAdd(&table[word & 255], 1U);
  atomicAdd(&table[(word >> 8) & 255], 1U);
  atomicAdd(&table[(word >> 16) & 255], 1U);
  atomicAdd(&table[word >> 24], 1U);
}

__global__ void single_bytes(const unsigned char* in, unsigned* total) {
  __shared__ unsigned table[1][256];
  clear<1>(table);
  for (int i = blockIdx.x * threads + threadIdx.x; i < bytes; i += gridDim.x * threads) {
    atomicAdd(&table[0][in[i]], 1U);
  }
  add_to<1>(total, table);
}

template <int tables>
__global__ void words(const unsigned* in, unsigned* total) {
  __shared__ unsigned table[tables][256];
  clear<tables>(table);
  for (int i = blockIdx.x * threads + threadIdx.x; i < bytes / 4; i += gridDim.x * threads) {
    count(in[i], table[threadIdx.x / 32 % tables]);
  }
  add_to<tables>(total, table);
}

template <int tables>
__global__ void sixteen_bytes(const uint4* in, unsigned* total) {
  __shared__ unsigned table[tables][256];
  clear<tables>(table);
  for (int i = blockIdx.x * threads + threadIdx.x; i < bytes / 16; i += gridDim.x * threads) {
    const uint4 four = in[i];
    unsigned* mine = table[threadIdx.x / 32 % tables];
    count(four.x, mine);
    count(four.y, mine);
    count(four.z, mine);
    count(four.w, mine);
  }
  add_to<tables>(total, table);
}

/// As in text: half of them are among eight letters.
unsigned char letter(std::uint32_t i) {
  const std::uint32_t drawn = mixed(i);
  return static_cast<unsigned char>(drawn % 2 == 0 ? "etaoinsr"[drawn / 2 % 8]
                                                   : 97 + drawn / 2 % 26);
}

Kernels byte_histogram() {
  Kernels all;
  for (const bool drawn : {true, false}) {
    const Array<unsigned char> in(bytes, [=](std::uint32_t i) {
      return drawn ? static_cast<unsigned char>(mixed(i)) : letter(i);
    });
    const Array<unsigned> total(256);
    const auto way = [&](const std::string& name, auto kernel, auto type) {
      using Piece = decltype(type);
      all.push_back({name + (drawn ? "" : " of text"), [=] { total.clear(); },
                     [=] {
                       kernel<<<blocks, threads>>>(reinterpret_cast<const Piece*>(in.device()),
                                                   total.device());
                     },
                     [=] {
                       std::vector<unsigned> wanted(256);
                       for (int i = 0; i < bytes; ++i) ++wanted[in[i]];
                       return total.read() == wanted;
                     }});
    };
    using Byte = unsigned char;
    way("single bytes", single_bytes, Byte{});
    way("words", words<1>, 0U);
    way("16 bytes", sixteen_bytes<1>, uint4{});
    way("16 bytes, table a warp", sixteen_bytes<8>, uint4{});
  }
  return all;
}

}  // namespace ladder::byte_histogram

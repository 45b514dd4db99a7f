// What storage and databases do: parity over the field of 256 elements for lost disks
// (Reed-Solomon), blocks that were compressed by references to earlier bytes, and a sum over the
// rows of a table that fulfil conditions.
#include <algorithm>
#include <array>

#include "ladder.h"

namespace ladder::storage {

using Byte = unsigned char;

// Erasure codes: four shards of parity from eight shards of data.
constexpr int shard = 1 << 20, data_shards = 8, parity_shards = 4;

__constant__ Byte coefficients[parity_shards][data_shards];
__constant__ Byte logarithms[256], powers[512];

/// The product in the field with x^8 + x^4 + x^3 + x^2 + 1.
__host__ __device__ Byte multiplied(unsigned a, unsigned b) {
  unsigned product = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) product ^= a;
    a = a << 1 ^ ((a & 0x80) != 0 ? 0x11d : 0);
  }
  return Byte(product);
}

Byte coefficient(std::size_t p, std::size_t d) { return Byte(mixed(std::uint32_t(8 * p + d)) | 1); }

__global__ void parity_by_logarithms(const Byte* data, Byte* parity) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  for (int p = 0; p < parity_shards; ++p) {
    Byte sum = 0;
    for (int d = 0; d < data_shards; ++d) {
      const Byte value = data[d * shard + i];
      if (value != 0) sum ^= powers[logarithms[coefficients[p][d]] + logarithms[value]];
    }
    parity[p * shard + i] = sum;
  }
}

/// Products of each coefficient with low and high halves of a byte; those of all parity shards are
/// one word. Four bytes a thread.
__global__ void parity_by_half_bytes(const unsigned* data, unsigned* parity) {
  __shared__ unsigned products[data_shards][2][16];
  for (int k = threadIdx.x; k < data_shards * 32; k += 256) {
    const int d = k / 32, high = k / 16 % 2, value = k % 16;
    unsigned word = 0;
    for (int p = 0; p < parity_shards; ++p) {
      word |= unsigned(multiplied(coefficients[p][d], value << (4 * high))) << (8 * p);
    }
    products[d][high][value] = word;
  }
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  unsigned sums[4] = {};
#pragma unroll
  for (int d = 0; d < data_shards; ++d) {
    const unsigned word = data[d * (shard / 4) + i];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      sums[k] ^= products[d][0][word >> (8 * k) & 15] ^ products[d][1][word >> (8 * k + 4) & 15];
    }
  }
#pragma unroll
  for (int p = 0; p < parity_shards; ++p) {
    unsigned word = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) word |= (sums[k] >> (8 * p) & 255) << (8 * k);
    parity[p * (shard / 4) + i] = word;
  }
}

/// Twice each of four elements.
__device__ unsigned doubled(unsigned four) {
  const unsigned high = four >> 7 & 0x01010101U;
  return (four << 1 & 0xfefefefeU) ^ high * 0x1d;
}

/// Sixteen bytes a thread: the data times each power of two that a coefficient has.
__global__ void parity_by_doubling(const uint4* data, uint4* parity) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  unsigned sums[parity_shards][4] = {};
  for (int d = 0; d < data_shards; ++d) {
    const uint4 loaded = data[d * (shard / 16) + i];
    unsigned words[4] = {loaded.x, loaded.y, loaded.z, loaded.w};
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
#pragma unroll
      for (int p = 0; p < parity_shards; ++p) {
        if ((coefficients[p][d] >> bit & 1) == 0) continue;
#pragma unroll
        for (int k = 0; k < 4; ++k) sums[p][k] ^= words[k];
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) words[k] = doubled(words[k]);
    }
  }
#pragma unroll
  for (int p = 0; p < parity_shards; ++p) {
    parity[p * (shard / 16) + i] = {sums[p][0], sums[p][1], sums[p][2], sums[p][3]};
  }
}

// Compressed blocks: sequences of literals and a match, as LZ4 has them. A token has two lengths of
// four bits, 15 of which say that bytes follow that are added; a match has an offset of two bytes
// and four bytes more than its length says. The last sequence has no match.
constexpr int packed_blocks = 4096, unpacked = 2048;

__device__ int length_of(int nibble, const Byte*& in) {
  int length = nibble;
  if (nibble == 15) {
    Byte more = 0;
    do {
      more = *in++;
      length += more;
    } while (more == 255);
  }
  return length;
}

__global__ void unpack_a_thread(const Byte* packed, const int* begins, Byte* out) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  const Byte *in = packed + begins[i], *end = packed + begins[i + 1];
  Byte* to = out + i * unpacked;
  while (in < end) {
    const int token = *in++;
    for (int left = length_of(token >> 4, in); left > 0; --left) *to++ = *in++;
    if (in >= end) break;
    const int offset = in[0] | in[1] << 8;
    in += 2;
    for (int left = length_of(token & 15, in) + 4; left > 0; --left, ++to) *to = to[-offset];
  }
}

/// All lanes read the token, and copy side by side.
__device__ void unpack_by_warp(const Byte* in, const Byte* end, Byte* to) {
  const int lane = threadIdx.x % 32;
  while (in < end) {
    const int token = *in++, literals = length_of(token >> 4, in);
    for (int k = lane; k < literals; k += 32) to[k] = in[k];
    in += literals;
    to += literals;
    if (in >= end) break;
    const int offset = in[0] | in[1] << 8;
    in += 2;
    const int match = length_of(token & 15, in) + 4;
    __syncwarp();
    for (int k = lane; k < match; k += 32) to[k] = to[k % offset - offset];
    to += match;
  }
  __syncwarp();
}

__global__ void unpack_a_warp(const Byte* packed, const int* begins, Byte* out) {
  const int i = (blockIdx.x * 128 + threadIdx.x) / 32;
  unpack_by_warp(packed + begins[i], packed + begins[i + 1], out + i * unpacked);
}

/// The same into shared memory, and from there 16 bytes a lane.
__global__ void unpack_through_shared_memory(const Byte* packed, const int* begins, uint4* out) {
  constexpr int vectors = unpacked / 16;
  __shared__ uint4 block[4][vectors];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, i = blockIdx.x * 4 + warp;
  unpack_by_warp(packed + begins[i], packed + begins[i + 1], reinterpret_cast<Byte*>(block[warp]));
  for (int k = lane; k < vectors; k += 32) out[i * vectors + k] = block[warp][k];
}

// A table by columns: what orders of a year, of small quantity and some discount, were cut in price.
constexpr int orders = 1 << 22, first_day = 365, end_of_days = 730;
using Sum = unsigned long long;

struct Table {
  const int *days, *discounts, *quantities, *prices;
};

__host__ __device__ bool chosen(int day, int discount, int quantity) {
  return day >= first_day && day < end_of_days && discount >= 5 && discount <= 7 && quantity < 24;
}

__global__ void order_a_thread(Table all, Sum* sum) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (chosen(all.days[i], all.discounts[i], all.quantities[i])) {
    atomicAdd(sum, Sum(all.prices[i]) * Sum(all.discounts[i]));
  }
}

__global__ void orders_by_grid_stride(Table all, Sum* sum) {
  __shared__ Sum of_warps[32];
  Sum own = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < orders; i += gridDim.x * 256) {
    const int day = all.days[i], discount = all.discounts[i], quantity = all.quantities[i];
    if (chosen(day, discount, quantity)) own += Sum(all.prices[i]) * Sum(discount);
  }
  own = block_sum(own, of_warps);
  if (threadIdx.x == 0) atomicAdd(sum, own);
}

/// Four orders a thread; prices are read where one of the four is chosen.
__global__ void four_orders_a_thread(Table all, Sum* sum) {
  __shared__ Sum of_warps[32];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int4 day = reinterpret_cast<const int4*>(all.days)[i];
  const int4 discount = reinterpret_cast<const int4*>(all.discounts)[i];
  const int4 quantity = reinterpret_cast<const int4*>(all.quantities)[i];
  const bool x = chosen(day.x, discount.x, quantity.x), y = chosen(day.y, discount.y, quantity.y);
  const bool z = chosen(day.z, discount.z, quantity.z), w = chosen(day.w, discount.w, quantity.w);
  Sum own = 0;
  if (x || y || z || w) {
    const int4 price = reinterpret_cast<const int4*>(all.prices)[i];
    if (x) own += Sum(price.x) * Sum(discount.x);
    if (y) own += Sum(price.y) * Sum(discount.y);
    if (z) own += Sum(price.z) * Sum(discount.z);
    if (w) own += Sum(price.w) * Sum(discount.w);
  }
  own = block_sum(own, of_warps);
  if (threadIdx.x == 0 && own != 0) atomicAdd(sum, own);
}

Kernels erasure_codes() {
  std::array<std::array<Byte, data_shards>, parity_shards> factors{};
  for (std::size_t p = 0; p < parity_shards; ++p) {
    for (std::size_t d = 0; d < data_shards; ++d) factors[p][d] = coefficient(p, d);
  }
  std::array<Byte, 256> logarithm{};
  std::array<Byte, 512> power{};
  Byte element = 1;
  for (std::size_t k = 0; k < 255; ++k) {
    logarithm[element] = Byte(k);
    power[k] = power[k + 255] = element;
    element = multiplied(element, 2);
  }
  check(cudaMemcpyToSymbol(coefficients, factors.data(), sizeof coefficients));
  check(cudaMemcpyToSymbol(logarithms, logarithm.data(), sizeof logarithms));
  check(cudaMemcpyToSymbol(powers, power.data(), sizeof powers));
  const Array<unsigned> data(data_shards * (shard / 4), mixed);
  const Array<unsigned> parity(parity_shards * (shard / 4));
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { parity.clear(); }, launch,
                  [=] {
                    const std::vector<unsigned> got = parity.read();
                    return sampled(std::size_t(parity_shards) * shard, [&](std::size_t i) {
                      Byte sum = 0;
                      for (std::size_t d = 0; d < data_shards; ++d) {
                        const std::size_t at = d * shard + i % shard;
                        sum ^= multiplied(data[at / 4] >> (8 * (at % 4)) & 255,
                                          coefficient(i / shard, d));
                      }
                      return (got[i / 4] >> (8 * (i % 4)) & 255) == sum;
                    });
                  }};
  };
  return {way("logarithms in constant memory",
              [=] {
                parity_by_logarithms<<<shard / 256, 256>>>(
                    reinterpret_cast<const Byte*>(data.device()),
                    reinterpret_cast<Byte*>(parity.device()));
              }),
          way("products in shared memory, four bytes a thread",
              [=] { parity_by_half_bytes<<<shard / 1024, 256>>>(data.device(), parity.device()); }),
          way("doubling, 16 bytes a thread", [=] {
            parity_by_doubling<<<shard / 4096, 256>>>(reinterpret_cast<const uint4*>(data.device()),
                                                      reinterpret_cast<uint4*>(parity.device()));
          })};
}

/// Blocks of random sequences, and what they unpack to.
struct Packed {
  std::vector<Byte> bytes, plain;
  std::vector<int> begins = {0};

  Packed() {
    for (int i = 0; i < packed_blocks; ++i) {
      int left = unpacked;
      while (left > 0) {
        const int literals = left < 80 ? left : 1 + draw() % (draw() % 4 == 0 ? 40 : 10);
        const int match = left < 80 ? 0 : 4 + draw() % (draw() % 8 == 0 ? 32 : 16);
        append(literals, match, unpacked - left + literals);
        left -= literals + match;
      }
      begins.push_back(int(bytes.size()));
    }
  }

 private:
  int draw() { return int(mixed(drawn++) >> 8); }
  void append_rest(int length) {
    if (length >= 15) bytes.push_back(Byte(length - 15));
  }
  void append(int literals, int match, int most) {
    const int more = std::max(match - 4, 0);
    bytes.push_back(Byte(std::min(literals, 15) << 4 | std::min(more, 15)));
    append_rest(literals);
    for (int k = 0; k < literals; ++k) {
      plain.push_back(Byte(draw()));
      bytes.push_back(plain.back());
    }
    if (match == 0) return;
    const int offset = 1 + draw() % (draw() % 4 == 0 ? std::min(most, 16) : most);
    bytes.push_back(Byte(offset));
    bytes.push_back(Byte(offset >> 8));
    append_rest(more);
    for (int k = 0; k < match; ++k) plain.push_back(plain[plain.size() - std::size_t(offset)]);
  }
  std::uint32_t drawn = 0;
};

Kernels compressed_blocks() {
  const auto all = std::make_shared<Packed>();
  const Array<Byte> packed(all->bytes);
  const Array<int> begins(all->begins);
  const Array<uint4> out(packed_blocks * (unpacked / 16));
  auto* bytes = reinterpret_cast<Byte*>(out.device());
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<uint4> got = out.read();
                    return std::equal(all->plain.begin(), all->plain.end(),
                                      reinterpret_cast<const Byte*>(got.data()));
                  }};
  };
  return {way("a thread a block",
              [=] {
                unpack_a_thread<<<packed_blocks / 64, 64>>>(packed.device(), begins.device(),
                                                            bytes);
              }),
          way("a warp a block",
              [=] {
                unpack_a_warp<<<packed_blocks / 4, 128>>>(packed.device(), begins.device(), bytes);
              }),
          way("a warp a block, through shared memory", [=] {
            unpack_through_shared_memory<<<packed_blocks / 4, 128>>>(packed.device(),
                                                                     begins.device(), out.device());
          })};
}

Kernels sum_of_chosen_orders() {
  const auto column = [](std::uint32_t from, std::uint32_t below) {
    return Array<int>(orders, [=](std::uint32_t i) { return int(mixed(i + from) % below); });
  };
  const Array<int> days = column(0, 2556), discounts = column(5000000, 11);
  const Array<int> quantities = column(10000000, 50), prices = column(15000000, 100000);
  const Array<Sum> sum(1);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { sum.clear(); }, launch,
                  [=] {
                    Sum wanted = 0;
                    for (std::size_t i = 0; i < orders; ++i) {
                      if (chosen(days[i], discounts[i], quantities[i])) {
                        wanted += Sum(prices[i]) * Sum(discounts[i]);
                      }
                    }
                    return sum.read()[0] == wanted;
                  }};
  };
  const Table all = {days.device(), discounts.device(), quantities.device(), prices.device()};
  return {
      way("an atomic an order", [=] { order_a_thread<<<orders / 256, 256>>>(all, sum.device()); }),
      way("grid-stride, an atomic a block",
          [=] { orders_by_grid_stride<<<1056, 256>>>(all, sum.device()); }),
      way("four orders a thread",
          [=] { four_orders_a_thread<<<orders / 1024, 256>>>(all, sum.device()); })};
}

}  // namespace ladder::storage

// Words and bytes: a cipher of table lookups, a stream cipher of sums and turns, bytes written as
// letters (base 64), and in how many bits signatures differ.
#include "ladder.h"

namespace ladder::ciphers {

constexpr int threads = 256;

// A cipher of ten rounds: four tables, of which the second to fourth are the first one turned.
constexpr int texts = 32768, rounds = 10;

__constant__ std::uint32_t constant_tables[4 * 256];
__constant__ std::uint32_t round_keys[4 * (rounds + 1)];

__host__ __device__ std::uint32_t turned(std::uint32_t value, int bits) {
  return bits == 0 ? value : value << bits | value >> (32 - bits);
}

#pragma nv_exec_check_disable  // the table's function is the host's or the device's
/// `table(k, byte)` is what table k has for a byte.
template <class Table>
__host__ __device__ void encipher(std::uint32_t (&s)[4], const std::uint32_t* keys, Table table) {
#pragma unroll
  for (int i = 0; i < 4; ++i) s[i] ^= keys[i];
  for (int r = 1; r <= rounds; ++r) {
    std::uint32_t next[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      next[i] = table(0, s[i] >> 24) ^ table(1, s[(i + 1) % 4] >> 16 & 255) ^
                table(2, s[(i + 2) % 4] >> 8 & 255) ^ table(3, s[(i + 3) % 4] & 255) ^
                keys[4 * r + i];
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) s[i] = next[i];
  }
}

template <class Table>
__device__ void encipher_one(const uint4* in, uint4* out, Table table) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const uint4 text = in[i];
  std::uint32_t s[4] = {text.x, text.y, text.z, text.w};
  encipher(s, round_keys, table);
  out[i] = uint4{s[0], s[1], s[2], s[3]};
}

__global__ void cipher_constant(const uint4* in, uint4* out) {
  encipher_one(in, out, [](int k, std::uint32_t b) { return constant_tables[256 * k + b]; });
}

__global__ void cipher_global(const uint4* in, const std::uint32_t* tables, uint4* out) {
  encipher_one(in, out, [=](int k, std::uint32_t b) { return __ldg(tables + 256 * k + b); });
}

__global__ void cipher_shared(const uint4* in, const std::uint32_t* tables, uint4* out) {
  __shared__ std::uint32_t table[256];
  table[threadIdx.x] = tables[threadIdx.x];
  __syncthreads();
  encipher_one(in, out, [&](int k, std::uint32_t b) { return turned(table[b], 8 * k); });
}

// A stream cipher: 16 words in a square of four by four, twenty rounds of quarters.
constexpr int pieces = 24576, words = 16;

__host__ __device__ std::uint32_t first_word(std::uint32_t piece, int k) {
  return k == 12 ? piece : mixed(1000 + k);
}

__host__ __device__ void quarter(std::uint32_t& a, std::uint32_t& b, std::uint32_t& c,
                                 std::uint32_t& d) {
  a += b;
  d = turned(d ^ a, 16);
  c += d;
  b = turned(b ^ c, 12);
  a += b;
  d = turned(d ^ a, 8);
  c += d;
  b = turned(b ^ c, 7);
}

__host__ __device__ void stream(std::uint32_t piece, std::uint32_t (&s)[words]) {
#pragma unroll
  for (int k = 0; k < words; ++k) s[k] = first_word(piece, k);
  for (int r = 0; r < 10; ++r) {
#pragma unroll
    for (int k = 0; k < 4; ++k) quarter(s[k], s[k + 4], s[k + 8], s[k + 12]);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      quarter(s[k], s[4 + (k + 1) % 4], s[8 + (k + 2) % 4], s[12 + (k + 3) % 4]);
    }
  }
#pragma unroll
  for (int k = 0; k < words; ++k) s[k] += first_word(piece, k);
}

__global__ void stream_words(const std::uint32_t* in, std::uint32_t* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  std::uint32_t s[words];
  stream(i, s);
#pragma unroll
  for (int k = 0; k < words; ++k) out[i * words + k] = in[i * words + k] ^ s[k];
}

/// Words of 32 pieces change places in shared memory, so that lanes store neighbours.
__global__ void stream_shared(const std::uint32_t* in, std::uint32_t* out) {
  __shared__ std::uint32_t all[128][words + 1];
  const int t = threadIdx.x, begin = blockIdx.x * 128 * words;
  std::uint32_t s[words];
  stream(blockIdx.x * 128 + t, s);
#pragma unroll
  for (int k = 0; k < words; ++k) all[t][k] = s[k];
  __syncthreads();
#pragma unroll 4
  for (int k = t; k < 128 * words; k += 128)
    out[begin + k] = in[begin + k] ^ all[k / words][k % words];
}

/// Four lanes a piece, each of which has a column.
__global__ void stream_lanes(const std::uint32_t* in, std::uint32_t* out) {
  const int i = blockIdx.x * threads + threadIdx.x, piece = i / 4, k = i % 4;
  std::uint32_t s[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) s[j] = first_word(piece, 4 * j + k);
  const std::uint32_t begin[4] = {s[0], s[1], s[2], s[3]};
  for (int r = 0; r < 10; ++r) {
    quarter(s[0], s[1], s[2], s[3]);
#pragma unroll
    for (int j = 1; j < 4; ++j) s[j] = __shfl_sync(0xffffffffU, s[j], (k + j) % 4, 4);
    quarter(s[0], s[1], s[2], s[3]);
#pragma unroll
    for (int j = 1; j < 4; ++j) s[j] = __shfl_sync(0xffffffffU, s[j], (k + 4 - j) % 4, 4);
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int at = piece * words + 4 * j + k;
    out[at] = in[at] ^ (s[j] + begin[j]);
  }
}

// Base 64: three bytes are four letters.
constexpr int groups = 1 << 19;

__constant__ char letters[65];

__host__ __device__ unsigned letter(unsigned v) {
  if (v < 26) return v + 'A';
  if (v < 52) return v - 26 + 'a';
  if (v < 62) return v - 52 + '0';
  return v == 62 ? '+' : '/';
}

__global__ void letters_of_table(const unsigned char* in, char* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const unsigned all = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
  out[4 * i] = letters[all >> 18];
  out[4 * i + 1] = letters[all >> 12 & 63];
  out[4 * i + 2] = letters[all >> 6 & 63];
  out[4 * i + 3] = letters[all & 63];
}

__device__ unsigned four_letters(unsigned all) {
  return letter(all >> 18) | letter(all >> 12 & 63) << 8 | letter(all >> 6 & 63) << 16 |
         letter(all & 63) << 24;
}

__global__ void letters_compared(const unsigned char* in, unsigned* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = four_letters(in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2]);
}

/// Twelve bytes a thread, as three words; the table lies in shared memory.
__global__ void letters_of_words(const unsigned* in, uint4* out) {
  __shared__ unsigned table[64];
  if (threadIdx.x < 64) table[threadIdx.x] = letter(threadIdx.x);
  __syncthreads();
  const int i = blockIdx.x * threads + threadIdx.x;
  const unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  const auto four = [&](unsigned all) {
    return table[all >> 18 & 63] | table[all >> 12 & 63] << 8 | table[all >> 6 & 63] << 16 |
           table[all & 63] << 24;
  };
  out[i] = uint4{four(__byte_perm(a, b, 0x4012)), four(__byte_perm(a, b, 0x0345)),
                 four(__byte_perm(b, c, 0x0234)), four(__byte_perm(c, c, 0x0123))};
}

// Bits in which signatures of 256 bits differ: of 512 with 1024.
constexpr int queries = 512, known = 1024, length = 8;

__global__ void bits_of_pair(const unsigned* a, const unsigned* b, std::uint16_t* out) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < length; ++k) sum += __popc(a[y * length + k] ^ b[x * length + k]);
  out[y * known + x] = std::uint16_t(sum);
}

__global__ void bits_of_tile(const unsigned* a, const unsigned* b, std::uint16_t* out) {
  __shared__ unsigned of_a[8][length], of_b[32][length + 1];
  const int t = threadIdx.y * 32 + threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
  if (t < 8 * length) of_a[t / length][t % length] = a[y0 * length + t];
  of_b[t / length][t % length] = b[x0 * length + t];
  __syncthreads();
  int sum = 0;
#pragma unroll
  for (int k = 0; k < length; ++k) sum += __popc(of_a[threadIdx.y][k] ^ of_b[threadIdx.x][k]);
  out[(y0 + threadIdx.y) * known + x0 + threadIdx.x] = std::uint16_t(sum);
}

/// A thread has one signature in registers and goes over sixteen that all lanes share.
__global__ void bits_in_registers(const uint4* a, const uint4* b, std::uint16_t* out) {
  const int x = blockIdx.x * 64 + threadIdx.x, y0 = blockIdx.y * 16;
  const uint4 low = b[2 * x], high = b[2 * x + 1];
#pragma unroll 4
  for (int y = y0; y < y0 + 16; ++y) {
    const uint4 p = a[2 * y], q = a[2 * y + 1];
    const int sum = __popc(p.x ^ low.x) + __popc(p.y ^ low.y) + __popc(p.z ^ low.z) +
                    __popc(p.w ^ low.w) + __popc(q.x ^ high.x) + __popc(q.y ^ high.y) +
                    __popc(q.z ^ high.z) + __popc(q.w ^ high.w);
    out[y * known + x] = std::uint16_t(sum);
  }
}

Kernels table_cipher() {
  const Array<uint4> in(texts, [](std::uint32_t i) {
    return uint4{mixed(4 * i), mixed(4 * i + 1), mixed(4 * i + 2), mixed(4 * i + 3)};
  });
  const Array<uint4> out(texts);
  const Array<std::uint32_t> tables(
      4 * 256, [](std::uint32_t i) { return turned(mixed(i % 256 + 7000), 8 * int(i / 256)); });
  std::vector<std::uint32_t> all(4 * 256), keys(4 * (rounds + 1));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = tables[i];
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = mixed(std::uint32_t(i) + 9000);
  check(cudaMemcpyToSymbol(constant_tables, all.data(), all.size() * 4));
  check(cudaMemcpyToSymbol(round_keys, keys.data(), keys.size() * 4));
  const auto right = [=] {
    const std::vector<uint4> got = out.read();
    return sampled(texts, [&](std::size_t i) {
      std::uint32_t s[4] = {in[i].x, in[i].y, in[i].z, in[i].w};
      encipher(s, keys.data(), [&](int k, std::uint32_t b) { return all[256 * k + b]; });
      return got[i].x == s[0] && got[i].y == s[1] && got[i].z == s[2] && got[i].w == s[3];
    });
  };
  const auto clear = [=] { out.clear(); };
  constexpr int blocks = texts / threads;
  return {
      {"tables in constant memory", clear,
       [=] { cipher_constant<<<blocks, threads>>>(in.device(), out.device()); }, right},
      {"tables in global memory", clear,
       [=] { cipher_global<<<blocks, threads>>>(in.device(), tables.device(), out.device()); },
       right},
      {"one table in shared memory", clear,
       [=] { cipher_shared<<<blocks, threads>>>(in.device(), tables.device(), out.device()); },
       right},
  };
}

Kernels stream_cipher() {
  const Array<std::uint32_t> in(pieces * words, mixed), out(pieces * words);
  const auto right = [=] {
    const std::vector<std::uint32_t> got = out.read();
    return sampled(pieces * words, [&](std::size_t i) {
      std::uint32_t s[words];
      stream(std::uint32_t(i / words), s);
      return got[i] == (in[i] ^ s[i % words]);
    });
  };
  const auto clear = [=] { out.clear(); };
  return {
      {"a thread a piece", clear,
       [=] { stream_words<<<pieces / 128, 128>>>(in.device(), out.device()); }, right},
      {"stored by way of shared memory", clear,
       [=] { stream_shared<<<pieces / 128, 128>>>(in.device(), out.device()); }, right},
      {"four lanes a piece", clear,
       [=] { stream_lanes<<<pieces * 4 / threads, threads>>>(in.device(), out.device()); }, right},
  };
}

Kernels base_64() {
  const Array<unsigned> in(groups * 3 / 4, mixed), out(groups);
  std::vector<char> table(65);
  for (unsigned v = 0; v < 64; ++v) table[v] = char(letter(v));
  check(cudaMemcpyToSymbol(letters, table.data(), table.size()));
  const auto right = [=] {
    const std::vector<unsigned> got = out.read();
    return sampled(groups, [&](std::size_t i) {
      const auto byte = [&](std::size_t k) { return in[k / 4] >> (8 * (k % 4)) & 255; };
      const unsigned all = byte(3 * i) << 16 | byte(3 * i + 1) << 8 | byte(3 * i + 2);
      for (int k = 0; k < 4; ++k) {
        if ((got[i] >> (8 * k) & 255) != letter(all >> (18 - 6 * k) & 63)) return false;
      }
      return true;
    });
  };
  const auto clear = [=] { out.clear(); };
  const auto* bytes = reinterpret_cast<const unsigned char*>(in.device());
  auto* text = reinterpret_cast<char*>(out.device());
  auto* fours = reinterpret_cast<uint4*>(out.device());
  return {
      {"bytes, table in constant memory", clear,
       [=] { letters_of_table<<<groups / threads, threads>>>(bytes, text); }, right},
      {"compared, a word stored", clear,
       [=] { letters_compared<<<groups / threads, threads>>>(bytes, out.device()); }, right},
      {"twelve bytes a thread", clear,
       [=] { letters_of_words<<<groups / 4 / threads, threads>>>(in.device(), fours); }, right},
  };
}

Kernels different_bits() {
  const Array<unsigned> a(queries * length, mixed);
  const Array<unsigned> b(known * length, [](std::uint32_t i) { return mixed(i + 50000); });
  const Array<std::uint16_t> out(queries * known);
  const auto right = [=] {
    const std::vector<std::uint16_t> got = out.read();
    return sampled(queries * known, [&](std::size_t i) {
      int sum = 0;
      for (int k = 0; k < length; ++k) {
        sum += __builtin_popcount(a[i / known * length + k] ^ b[i % known * length + k]);
      }
      return got[i] == sum;
    });
  };
  const auto clear = [=] { out.clear(); };
  const auto* four_a = reinterpret_cast<const uint4*>(a.device());
  const auto* four_b = reinterpret_cast<const uint4*>(b.device());
  const dim3 grid(known / 32, queries / 8), block(32, 8);
  return {
      {"a pair a thread", clear,
       [=] { bits_of_pair<<<grid, block>>>(a.device(), b.device(), out.device()); }, right},
      {"tile in shared memory", clear,
       [=] { bits_of_tile<<<grid, block>>>(a.device(), b.device(), out.device()); }, right},
      {"one in registers, sixteen pairs", clear,
       [=] {
         bits_in_registers<<<dim3(known / 64, queries / 16), 64>>>(four_a, four_b, out.device());
       },
       right},
  };
}

}  // namespace ladder::ciphers

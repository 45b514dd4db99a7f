// Numbers of eleven bits unpacked, one by one, by lanes that share words and 32 a thread; short
// rows in order, by counting, by insertion and by exchanges in registers; transforms over whole
// numbers below a prime, by remainders and by Montgomery's products; and skin that follows bones,
// whose matrices lie in constant, global or shared memory.
#include <algorithm>

#include "ladder.h"

namespace ladder::words {

constexpr int threads = 256, packed = 1 << 22, width = 11;

__device__ unsigned cut(unsigned low, unsigned high, int shift) {
  return __funnelshift_r(low, high, shift) & ((1U << width) - 1);
}

__global__ void number_a_thread(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * threads + threadIdx.x, bit = i * width, word = bit / 32;
  out[i] = cut(in[word], in[word + 1], bit % 32);
}

/// 32 numbers are eleven words: a lane of the first eleven loads each.
__global__ void numbers_of_lanes(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * threads + threadIdx.x, lane = threadIdx.x % 32;
  const unsigned mine = lane < width ? in[i / 32 * width + lane] : 0;
  const int bit = lane * width;
  const unsigned low = __shfl_sync(0xffffffffU, mine, bit / 32);
  const unsigned high = __shfl_sync(0xffffffffU, mine, bit / 32 + 1);
  out[i] = cut(low, high, bit % 32);
}

__global__ void numbers_of_thread(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  unsigned words[width + 1];
#pragma unroll
  for (int k = 0; k < width; ++k) words[k] = in[i * width + k];
  words[width] = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    out[i * 32 + k] = cut(words[k * width / 32], words[k * width / 32 + 1], k * width % 32);
  }
}

constexpr int rows = 32768, row = 32;

/// A warp a row: each lane counts what is smaller.
__global__ void counted(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const unsigned mine = in[i];
  int smaller = 0;
#pragma unroll 8
  for (int k = 0; k < row; ++k) smaller += __shfl_sync(0xffffffffU, mine, k) < mine;
  out[i / row * row + smaller] = mine;
}

/// A thread a row, which is a column of shared memory.
__global__ void inserted(const unsigned* in, unsigned* out) {
  __shared__ unsigned all[row][65];
  const int t = threadIdx.x, first = blockIdx.x * 64 * row;
  for (int k = t; k < 64 * row; k += 64) all[k % row][k / row] = in[first + k];
  __syncthreads();
  for (int k = 1; k < row; ++k) {
    const unsigned value = all[k][t];
    int at = k;
    for (; at > 0 && all[at - 1][t] > value; --at) all[at][t] = all[at - 1][t];
    all[at][t] = value;
  }
  __syncthreads();
  for (int k = t; k < 64 * row; k += 64) out[first + k] = all[k % row][k / row];
}

/// A thread a row in registers, exchanges as bitonic merging has them.
__global__ void exchanged(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  unsigned all[row];
#pragma unroll
  for (int k = 0; k < row / 4; ++k) {
    const uint4 four = reinterpret_cast<const uint4*>(in + i * row)[k];
    all[4 * k] = four.x;
    all[4 * k + 1] = four.y;
    all[4 * k + 2] = four.z;
    all[4 * k + 3] = four.w;
  }
#pragma unroll
  for (int size = 2; size <= row; size *= 2) {
#pragma unroll
    for (int apart = size / 2; apart > 0; apart /= 2) {
#pragma unroll
      for (int k = 0; k < row; ++k) {
        const bool first = apart == size / 2;  // mirrored within the size, then plain
        const int other = first ? k ^ (size - 1) : k ^ apart;
        if (other > k) {
          const unsigned low = min(all[k], all[other]), high = max(all[k], all[other]);
          all[k] = low;
          all[other] = high;
        }
      }
    }
  }
#pragma unroll
  for (int k = 0; k < row / 4; ++k) {
    reinterpret_cast<uint4*>(out + i * row)[k] =
        uint4{all[4 * k], all[4 * k + 1], all[4 * k + 2], all[4 * k + 3]};
  }
}

constexpr std::uint32_t prime = 998244353;  // 119 * 2^23 + 1, of which 3 is a primitive root
constexpr int piece = 1024, pieces = 1024;

__host__ __device__ std::uint32_t modulo(std::uint64_t value) {
  return std::uint32_t(value % prime);
}

std::uint32_t power(std::uint32_t base, std::uint32_t exponent) {
  std::uint64_t result = 1, square = base;
  for (; exponent != 0; exponent >>= 1, square = modulo(square * square)) {
    if ((exponent & 1) != 0) result = modulo(result * square);
  }
  return std::uint32_t(result);
}

struct Remainders {
  __device__ static std::uint32_t product(std::uint32_t a, std::uint32_t b) {
    return modulo(std::uint64_t{a} * b);
  }
  __device__ static std::uint32_t sum(std::uint32_t a, std::uint32_t b) {
    return modulo(std::uint64_t{a} + b);
  }
  __device__ static std::uint32_t difference(std::uint32_t a, std::uint32_t b) {
    return modulo(std::uint64_t{a} + prime - b);
  }
};

/// b times 2^32: the product over 2^32, by 32 bits alone.
struct Montgomery {
  __device__ static std::uint32_t product(std::uint32_t a, std::uint32_t b) {
    constexpr std::uint32_t inverse = 998244351;  // prime * inverse = -1 modulo 2^32
    const std::uint32_t low = a * b, part = low * inverse;
    const std::uint32_t all = __umulhi(a, b) + __umulhi(part, prime) + (low != 0);
    return all >= prime ? all - prime : all;
  }
  __device__ static std::uint32_t sum(std::uint32_t a, std::uint32_t b) {
    return a + b >= prime ? a + b - prime : a + b;
  }
  __device__ static std::uint32_t difference(std::uint32_t a, std::uint32_t b) {
    return a >= b ? a - b : a + prime - b;
  }
};

/// Stockham's order; a root for each pair of a step.
template <class Numbers>
__global__ void transform(const std::uint32_t* in, const std::uint32_t* roots, std::uint32_t* out) {
  __shared__ std::uint32_t all[2][piece];
  const int t = threadIdx.x, begin = blockIdx.x * piece;
  all[0][t] = in[begin + t];
  all[0][t + piece / 2] = in[begin + t + piece / 2];
  int from = 0;
  for (int done = 1; done < piece; done *= 2, from ^= 1) {
    __syncthreads();
    const int k = t & (done - 1), to = 2 * t - k;
    const std::uint32_t a = all[from][t];
    const std::uint32_t b =
        Numbers::product(all[from][t + piece / 2], roots[k * (piece / 2 / done)]);
    all[from ^ 1][to] = Numbers::sum(a, b);
    all[from ^ 1][to + done] = Numbers::difference(a, b);
  }
  __syncthreads();
  out[begin + t] = all[from][t];
  out[begin + t + piece / 2] = all[from][t + piece / 2];
}

constexpr int corners = 1 << 19, bones = 64;
__constant__ float4 constant_bones[3 * bones];  ///< three rows each

__host__ __device__ float along(float4 r, float3 p) {
  return r.x * p.x + r.y * p.y + r.z * p.z + r.w;
}

__host__ __device__ float3 moved(const float4* all, float3 p, uchar4 which, float4 weights) {
  const int bone[4] = {which.x, which.y, which.z, which.w};
  const float weight[4] = {weights.x, weights.y, weights.z, weights.w};
  float3 sum = {0, 0, 0};
  for (int k = 0; k < 4; ++k) {
    const float4* rows = all + 3 * bone[k];
    sum.x += weight[k] * along(rows[0], p);
    sum.y += weight[k] * along(rows[1], p);
    sum.z += weight[k] * along(rows[2], p);
  }
  return sum;
}

struct Skin {
  const float3* places;
  const uchar4* which;
  const float4* weights;
  float3* out;
  __device__ void move(const float4* all) const {
    const int i = blockIdx.x * threads + threadIdx.x;
    out[i] = moved(all, places[i], which[i], weights[i]);
  }
};

__global__ void bones_in_constants(Skin skin) { skin.move(constant_bones); }
__global__ void bones_in_memory(Skin skin, const float4* all) { skin.move(all); }
__global__ void bones_in_shared(Skin skin, const float4* all) {
  __shared__ float4 kept[3 * bones];
  if (threadIdx.x < 3 * bones) kept[threadIdx.x] = all[threadIdx.x];
  __syncthreads();
  skin.move(kept);
}

Kernels packed_numbers() {
  const auto number = [](std::uint32_t i) { return mixed(i) >> (32 - width); };
  std::vector<unsigned> words(packed / 32 * width + 1);
  for (int i = 0; i < packed; ++i) {
    const int bit = i * width;
    const std::uint64_t value = std::uint64_t{number(i)} << (bit % 32);
    words[bit / 32] |= unsigned(value);
    words[bit / 32 + 1] |= unsigned(value >> 32);
  }
  const Array<unsigned> in(words), out(packed);
  const auto way = [=](const char* name, auto kernel, int each) {
    return Kernel{name, [=] { out.clear(); },
                  [=] { kernel<<<packed / each / threads, threads>>>(in.device(), out.device()); },
                  [=] {
                    const std::vector<unsigned> got = out.read();
                    return sampled(
                        packed, [&](std::size_t i) { return got[i] == number(std::uint32_t(i)); });
                  }};
  };
  return {way("number a thread", number_a_thread, 1), way("lanes share words", numbers_of_lanes, 1),
          way("32 numbers a thread", numbers_of_thread, 32)};
}

Kernels order_of_rows() {
  // None is equal to another of its row.
  const Array<unsigned> in(rows * row,
                           [](std::uint32_t i) { return (mixed(i) & ~31U) | (i % row); }),
      out(rows * row);
  const auto way = [=](const char* name, auto kernel, int blocks, int of_block) {
    return Kernel{name, [=] { out.clear(); },
                  [=] { kernel<<<blocks, of_block>>>(in.device(), out.device()); },
                  [=] {
                    std::vector<unsigned> wanted;
                    for (int i = 0; i < rows * row; ++i) wanted.push_back(in[i]);
                    for (int i = 0; i < rows * row; i += row) {
                      std::sort(wanted.begin() + i, wanted.begin() + i + row);
                    }
                    return out.read() == wanted;
                  }};
  };
  return {way("counted by lanes", counted, rows * row / threads, threads),
          way("inserted", inserted, rows / 64, 64),
          way("exchanged in registers", exchanged, rows / 64, 64)};
}

Kernels transforms_below_a_prime() {
  constexpr int n = piece * pieces;
  const std::uint32_t root = power(3, (prime - 1) / piece);
  const auto roots = [=](std::uint64_t factor) {
    return Array<std::uint32_t>(piece / 2,
                                [=](std::uint32_t k) { return modulo(power(root, k) * factor); });
  };
  const Array<std::uint32_t> plain(roots(1)), turned(roots((std::uint64_t{1} << 32) % prime)),
      in(n, [](std::uint32_t i) { return mixed(i) % prime; }), out(n);
  const auto way = [=](const char* name, auto kernel, const Array<std::uint32_t>& table) {
    return Kernel{name, [=] { out.clear(); },
                  [=] { kernel<<<pieces, piece / 2>>>(in.device(), table.device(), out.device()); },
                  [=] {
                    const std::vector<std::uint32_t> got = out.read();
                    return sampled(n, [&](std::size_t i) {
                      const std::uint64_t step = power(root, std::uint32_t(i % piece));
                      std::uint64_t sum = 0, factor = 1;
                      for (int k = 0; k < piece; ++k, factor = modulo(factor * step)) {
                        sum = modulo(sum + factor * in[i / piece * piece + k]);
                      }
                      return got[i] == sum;
                    });
                  }};
  };
  return {way("remainders", transform<Remainders>, plain),
          way("Montgomery's products", transform<Montgomery>, turned)};
}

Kernels skin_on_bones() {
  std::vector<float4> rows_of_bones;
  for (std::uint32_t k = 0; k < 3 * bones; ++k) {
    rows_of_bones.push_back(
        {fraction(4 * k), fraction(4 * k + 1), fraction(4 * k + 2), fraction(4 * k + 3)});
  }
  check(cudaMemcpyToSymbol(constant_bones, rows_of_bones.data(), sizeof constant_bones));
  const Array<float4> all(rows_of_bones), weights(corners, [](std::uint32_t i) {
    const float a = 0.5F * fraction(2 * i), b = 0.4F * fraction(2 * i + 1);
    return float4{a, b, 0.05F, 0.95F - a - b};
  });
  const Array<float3> places(
      corners,
      [](std::uint32_t i) {
        return float3{fraction(~(3 * i)), fraction(~(3 * i + 1)), fraction(~(3 * i + 2))};
      }),
      out(corners);
  // Corners near one another hang on bones near one another.
  const Array<uchar4> which(corners, [](std::uint32_t i) {
    const std::uint32_t base = i / 8192, drawn = mixed(i);
    const auto bone = [&](int k) {
      return static_cast<unsigned char>((base + (drawn >> (8 * k)) % 6) % bones);
    };
    return uchar4{bone(0), bone(1), bone(2), bone(3)};
  });
  const Skin skin = {places.device(), which.device(), weights.device(), out.device()};
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float3> got = out.read();
                    return sampled(corners, [&](std::size_t i) {
                      const float3 p = moved(&all[0], places[i], which[i], weights[i]);
                      return near(got[i].x, p.x, 1e-3) && near(got[i].y, p.y, 1e-3) &&
                             near(got[i].z, p.z, 1e-3);
                    });
                  }};
  };
  constexpr int blocks = corners / threads;
  return {way("constant memory", [=] { bones_in_constants<<<blocks, threads>>>(skin); }),
          way("global memory", [=] { bones_in_memory<<<blocks, threads>>>(skin, all.device()); }),
          way("shared memory", [=] { bones_in_shared<<<blocks, threads>>>(skin, all.device()); })};
}

}  // namespace ladder::words

// Pictures of bytes: the steepness of brightness by Sobel's two filters, from memory, from a tile
// and four pixels a thread; and red, green and blue made brightness and two colours, by bytes, by
// words and by words that a block exchanges in shared memory.
#include "ladder.h"

namespace ladder::pixels {

using Byte = unsigned char;
constexpr int wide = 4096, high = 2048;

__host__ __device__ int inside(int v, int end) { return v < 0 ? 0 : v >= end ? end - 1 : v; }

/// Of three rows of three pixels.
__host__ __device__ int steepness(const int* above, const int* at, const int* below) {
  const int dx = above[2] + 2 * at[2] + below[2] - above[0] - 2 * at[0] - below[0];
  const int dy = below[0] + 2 * below[1] + below[2] - above[0] - 2 * above[1] - above[2];
  const int sum = (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
  return sum > 255 ? 255 : sum;
}

__host__ __device__ int steepness_at(const Byte* in, int x, int y) {
  int pixels[3][3];
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      pixels[j][i] = in[inside(y + j - 1, high) * wide + inside(x + i - 1, wide)];
    }
  }
  return steepness(pixels[0], pixels[1], pixels[2]);
}

__global__ void edges_straight(const Byte* in, Byte* out) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[y * wide + x] = Byte(steepness_at(in, x, y));
}

__global__ void edges_tile(const Byte* in, Byte* out) {
  constexpr int width = 34, height = 10;
  __shared__ int tile[height * width];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < width * height; k += 256) {
    tile[k] = in[inside(y0 + k / width - 1, high) * wide + inside(x0 + k % width - 1, wide)];
  }
  __syncthreads();
  const int* at = tile + threadIdx.y * width + threadIdx.x;
  out[(y0 + threadIdx.y) * wide + x0 + threadIdx.x] =
      Byte(steepness(at, at + width, at + 2 * width));
}

/// A word of four pixels, and the pixels left and right of it.
__global__ void edges_words(const Byte* in, Byte* out) {
  const int x = (blockIdx.x * 32 + threadIdx.x) * 4, y = blockIdx.y * 8 + threadIdx.y;
  int pixels[3][6];
#pragma unroll
  for (int j = 0; j < 3; ++j) {
    const Byte* row = in + inside(y + j - 1, high) * wide;
    const uchar4 word = *reinterpret_cast<const uchar4*>(row + x);
    pixels[j][0] = row[inside(x - 1, wide)];
    pixels[j][1] = word.x;
    pixels[j][2] = word.y;
    pixels[j][3] = word.z;
    pixels[j][4] = word.w;
    pixels[j][5] = row[inside(x + 4, wide)];
  }
  int all[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) all[i] = steepness(&pixels[0][i], &pixels[1][i], &pixels[2][i]);
  *reinterpret_cast<uchar4*>(out + y * wide + x) =
      uchar4{Byte(all[0]), Byte(all[1]), Byte(all[2]), Byte(all[3])};
}

constexpr int pixels = 1 << 23, threads = 256;

struct Colour {
  int a, b, c;
};

/// Of red, green and blue: brightness, and what blue and red differ from it.
__host__ __device__ Colour other_colour(Colour v) {
  return {(77 * v.a + 150 * v.b + 29 * v.c) >> 8, ((-43 * v.a - 84 * v.b + 127 * v.c) >> 8) + 128,
          ((127 * v.a - 106 * v.b - 21 * v.c) >> 8) + 128};
}

__global__ void colours_bytes(const Byte* in, Byte* out) {
  const int at = 3 * (blockIdx.x * threads + threadIdx.x);
  const Colour c = other_colour({in[at], in[at + 1], in[at + 2]});
  out[at] = Byte(c.a);
  out[at + 1] = Byte(c.b);
  out[at + 2] = Byte(c.c);
}

__device__ int byte_of(unsigned word, int k) { return int(word >> (8 * k) & 255U); }

/// Four pixels are three words.
__global__ void colours_words(const unsigned* in, unsigned* out) {
  const int at = 3 * (blockIdx.x * threads + threadIdx.x);
  const unsigned words[3] = {in[at], in[at + 1], in[at + 2]};
  unsigned made[3] = {0, 0, 0};
#pragma unroll
  for (int p = 0; p < 4; ++p) {
    const int k = 3 * p;
    const Colour c =
        other_colour({byte_of(words[k / 4], k % 4), byte_of(words[(k + 1) / 4], (k + 1) % 4),
                      byte_of(words[(k + 2) / 4], (k + 2) % 4)});
    made[k / 4] |= unsigned(c.a) << (k % 4 * 8);
    made[(k + 1) / 4] |= unsigned(c.b) << ((k + 1) % 4 * 8);
    made[(k + 2) / 4] |= unsigned(c.c) << ((k + 2) % 4 * 8);
  }
  for (int k = 0; k < 3; ++k) out[at + k] = made[k];
}

/// Words in order from and to memory; each thread's pixel as bytes of shared memory.
__global__ void colours_exchanged(const unsigned* in, unsigned* out) {
  constexpr int words = 3 * threads / 4;
  __shared__ unsigned part[words];
  const int t = threadIdx.x;
  if (t < words) part[t] = in[blockIdx.x * words + t];
  __syncthreads();
  Byte* mine = reinterpret_cast<Byte*>(part) + 3 * t;
  const Colour c = other_colour({mine[0], mine[1], mine[2]});
  mine[0] = Byte(c.a);
  mine[1] = Byte(c.b);
  mine[2] = Byte(c.c);
  __syncthreads();
  if (t < words) out[blockIdx.x * words + t] = part[t];
}

Kernels edges() {
  const Array<Byte> in(
      wide * high,
      [](std::uint32_t i) { return Byte((i % wide / 8 + i / wide / 4) % 128 + mixed(i) % 64); }),
      out(wide * high);
  const auto way = [=](const char* name, auto kernel, int each) {
    return Kernel{name, [=] { out.clear(); },
                  [=] {
                    kernel<<<dim3(wide / 32 / each, high / 8), dim3(32, 8)>>>(in.device(),
                                                                              out.device());
                  },
                  [=] {
                    const std::vector<Byte> got = out.read();
                    return sampled(got.size(), [&](std::size_t i) {
                      return got[i] == steepness_at(&in[0], int(i % wide), int(i / wide));
                    });
                  }};
  };
  return {way("straight", edges_straight, 1), way("tile", edges_tile, 1),
          way("four pixels a thread", edges_words, 4)};
}

Kernels colours() {
  const Array<Byte> in(3 * pixels, [](std::uint32_t i) { return Byte(mixed(i)); }), out(3 * pixels);
  const auto* from = reinterpret_cast<const unsigned*>(in.device());
  auto* to = reinterpret_cast<unsigned*>(out.device());
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<Byte> got = out.read();
                    return sampled(pixels, [&](std::size_t i) {
                      const Colour c = other_colour({in[3 * i], in[3 * i + 1], in[3 * i + 2]});
                      return got[3 * i] == c.a && got[3 * i + 1] == c.b && got[3 * i + 2] == c.c;
                    });
                  }};
  };
  return {way("bytes",
              [=] { colours_bytes<<<pixels / threads, threads>>>(in.device(), out.device()); }),
          way("words", [=] { colours_words<<<pixels / threads / 4, threads>>>(from, to); }),
          way("words exchanged by the block",
              [=] { colours_exchanged<<<pixels / threads, threads>>>(from, to); })};
}

}  // namespace ladder::pixels

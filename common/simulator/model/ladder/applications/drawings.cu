// Drawing: squares of four by four pixels packed to eight bytes each, and triangles drawn so that the
// nearest is seen at each pixel.
#include <algorithm>
#include <cstring>

#include "ladder.h"

namespace ladder::drawings {

using Long = unsigned long long;

// Squares of four by four pixels: two colours of 16 bits, and which mixture of them each pixel has.
constexpr int side = 2048, squares_of_row = side / 4, squares = squares_of_row * squares_of_row;
constexpr int axes = 3;  ///< along which the two colours are looked for

__host__ __device__ int along(int axis, uchar4 c) {
  return axis == 0 ? 2 * c.x + 4 * c.y + c.z : axis == 1 ? c.x - c.z : 2 * c.y - c.x - c.z;
}

__host__ __device__ unsigned of_16_bits(uchar4 c) {
  return unsigned(c.x >> 3) << 11 | unsigned(c.y >> 2) << 5 | unsigned(c.z >> 3);
}

__host__ __device__ int3 of_24_bits(unsigned c) {
  const int red = int(c >> 11), green = int(c >> 5 & 63), blue = int(c & 31);
  return {red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2};
}

struct Mixtures {
  int3 of[4];

  __host__ __device__ Mixtures(unsigned high, unsigned low) {
    const int3 a = of_24_bits(high), b = of_24_bits(low);
    of[0] = a;
    of[1] = b;
    of[2] = {(2 * a.x + b.x) / 3, (2 * a.y + b.y) / 3, (2 * a.z + b.z) / 3};
    of[3] = {(a.x + 2 * b.x) / 3, (a.y + 2 * b.y) / 3, (a.z + 2 * b.z) / 3};
  }
  /// The nearest mixture in two bits, above them the square of how far it is.
  __host__ __device__ unsigned nearest(uchar4 c) const {
    unsigned least = ~0U;
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      const int x = c.x - of[k].x, y = c.y - of[k].y, z = c.z - of[k].z;
      const unsigned here = unsigned(x * x + y * y + z * z) << 2 | k;
      least = here < least ? here : least;
    }
    return least;
  }
};

/// The colours of both ends, the greater one below.
__host__ __device__ unsigned both_ends(uchar4 a, uchar4 b) {
  const unsigned first = of_16_bits(a), second = of_16_bits(b);
  return first > second ? first | second << 16 : second | first << 16;
}

__host__ __device__ uint2 packed(const uchar4 (&pixels)[16]) {
  uint2 best = {0, 0};
  unsigned least = ~0U;
#pragma unroll
  for (int axis = 0; axis < axes; ++axis) {
    uchar4 low = pixels[0], high = pixels[0];
    int low_key = along(axis, low), high_key = low_key;
#pragma unroll
    for (int i = 1; i < 16; ++i) {
      const int key = along(axis, pixels[i]);
      if (key < low_key) low_key = key, low = pixels[i];
      if (key >= high_key) high_key = key, high = pixels[i];
    }
    const unsigned ends = both_ends(low, high);
    const Mixtures mixtures(ends & 65535, ends >> 16);
    unsigned far = 0, bits = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const unsigned nearest = mixtures.nearest(pixels[i]);
      far += nearest >> 2;
      bits |= (nearest & 3) << (2 * i);
    }
    if (far < least) least = far, best = {ends, bits};
  }
  return best;
}

__global__ void square_a_thread(const uchar4* picture, uint2* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const int x = i % squares_of_row, y = i / squares_of_row;
  uchar4 pixels[16];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const uint4 four = reinterpret_cast<const uint4*>(picture)[(4 * y + k) * squares_of_row + x];
    const unsigned words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const unsigned word = words[j];
      pixels[4 * k + j] = {static_cast<unsigned char>(word), static_cast<unsigned char>(word >> 8),
                           static_cast<unsigned char>(word >> 16), 0};
    }
  }
  out[i] = packed(pixels);
}

/// Eight squares beside one another a block, in which all is found by atomics.
__global__ void pixel_a_thread(const uchar4* picture, uint2* out) {
  __shared__ uchar4 pixels[8][16];
  __shared__ int low[axes][8], high[axes][8];
  __shared__ unsigned far[axes][8], bits[axes][8];
  const int t = threadIdx.x, square = t % 32 / 4, i = t / 32 * 4 + t % 4;
  const int x = blockIdx.x * 32 + t % 32, y = blockIdx.y * 4 + t / 32;
  if (t < 8 * axes) {
    low[t / 8][t % 8] = 1 << 30;
    high[t / 8][t % 8] = -(1 << 30);
    far[t / 8][t % 8] = bits[t / 8][t % 8] = 0;
  }
  const uchar4 own = picture[y * side + x];
  pixels[square][i] = own;
  __syncthreads();
#pragma unroll
  for (int axis = 0; axis < axes; ++axis) {
    const int key = along(axis, own) * 16 + i;
    atomicMin(&low[axis][square], key);
    atomicMax(&high[axis][square], key);
  }
  __syncthreads();
  const uchar4* all = pixels[square];
#pragma unroll
  for (int axis = 0; axis < axes; ++axis) {
    const unsigned ends = both_ends(all[low[axis][square] & 15], all[high[axis][square] & 15]);
    const unsigned nearest = Mixtures(ends & 65535, ends >> 16).nearest(own);
    atomicAdd(&far[axis][square], nearest >> 2);
    atomicOr(&bits[axis][square], (nearest & 3) << (2 * i));
  }
  __syncthreads();
  if (t >= 8) return;
  int best = 0;
  for (int axis = 1; axis < axes; ++axis) {
    if (far[axis][t] < far[best][t]) best = axis;
  }
  const unsigned ends = both_ends(pixels[t][low[best][t] & 15], pixels[t][high[best][t] & 15]);
  out[blockIdx.y * squares_of_row + blockIdx.x * 8 + t] = {ends, bits[best][t]};
}

__device__ uchar4 of_lane(uchar4 own, int lane) {
  const unsigned word = own.x | unsigned(own.y) << 8 | unsigned(own.z) << 16;
  const unsigned other = __shfl_sync(0xffffffffU, word, lane, 16);
  return {static_cast<unsigned char>(other), static_cast<unsigned char>(other >> 8),
          static_cast<unsigned char>(other >> 16), 0};
}

/// Sixteen lanes a square.
__global__ void squares_of_lanes(const uchar4* picture, uint2* out) {
  const int square = (blockIdx.x * 256 + threadIdx.x) / 16, i = threadIdx.x % 16;
  const int x = square % squares_of_row * 4 + i % 4, y = square / squares_of_row * 4 + i / 4;
  const uchar4 own = picture[y * side + x];
  uint2 best = {0, 0};
  unsigned least = ~0U;
#pragma unroll
  for (int axis = 0; axis < axes; ++axis) {
    int low = along(axis, own) * 16 + i, high = low;
#pragma unroll
    for (int step = 8; step > 0; step /= 2) {
      low = min(low, __shfl_xor_sync(0xffffffffU, low, step));
      high = max(high, __shfl_xor_sync(0xffffffffU, high, step));
    }
    const unsigned ends = both_ends(of_lane(own, low & 15), of_lane(own, high & 15));
    const unsigned nearest = Mixtures(ends & 65535, ends >> 16).nearest(own);
    unsigned far = nearest >> 2, bits = (nearest & 3) << (2 * i);
#pragma unroll
    for (int step = 8; step > 0; step /= 2) {
      far += __shfl_xor_sync(0xffffffffU, far, step);
      bits |= __shfl_xor_sync(0xffffffffU, bits, step);
    }
    if (far < least) least = far, best = {ends, bits};
  }
  if (i == 0) out[square] = best;
}

// Triangles with corners in sixteenths of a pixel; of each pixel the least depth and whose it is.
constexpr int screen = 1024, triangles = 1 << 16, largest = 24;
constexpr int tile = 16, tiles_of_row = screen / tile, tiles = tiles_of_row * tiles_of_row;
constexpr int of_tile = 192;  ///< triangles that a tile's list has room for

struct Triangle {
  int2 a, b, c;            ///< not clockwise, with y upwards
  float depth, right, up;  ///< at pixel (0, 0), and how it changes
};

/// The pixels a triangle may have, ends included.
struct Box {
  int left, right, low, high;
  __host__ __device__ explicit Box(const Triangle& t)
      : left(least(t.a.x, t.b.x, t.c.x) / 16),
        right(most(t.a.x, t.b.x, t.c.x) / 16),
        low(least(t.a.y, t.b.y, t.c.y) / 16),
        high(most(t.a.y, t.b.y, t.c.y) / 16) {}

 private:
  __host__ __device__ static int least(int a, int b, int c) {
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
  }
  __host__ __device__ static int most(int a, int b, int c) {
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
  }
};

/// Above 0 to the left of the way from `a` to `b`.
__host__ __device__ int left_of(int2 a, int2 b, int2 at) {
  return (b.x - a.x) * (at.y - a.y) - (b.y - a.y) * (at.x - a.x);
}

__host__ __device__ bool covers(const Triangle& t, int x, int y) {
  const int2 middle = {16 * x + 8, 16 * y + 8};
  return (left_of(t.a, t.b, middle) | left_of(t.b, t.c, middle) | left_of(t.c, t.a, middle)) >= 0;
}

__host__ __device__ float depth_at(const Triangle& t, int x, int y) {
  return fmaf(t.right, float(x), fmaf(t.up, float(y), t.depth));
}

/// Depths above 0 are in order as the bits they have.
__device__ Long seen(const Triangle& t, int number, int x, int y) {
  return Long(__float_as_uint(depth_at(t, x, y))) << 32 | unsigned(number);
}

__global__ void triangle_a_thread(const Triangle* all, Long* picture) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const Triangle t = all[i];
  const Box box(t);
  for (int y = box.low; y <= box.high; ++y) {
    for (int x = box.left; x <= box.right; ++x) {
      if (covers(t, x, y)) atomicMin(picture + y * screen + x, seen(t, i, x, y));
    }
  }
}

/// Eight by four pixels at a time.
__global__ void triangle_a_warp(const Triangle* all, Long* picture) {
  const int i = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const Triangle t = all[i];
  const Box box(t);
  for (int y = box.low + lane / 8; y <= box.high; y += 4) {
    for (int x = box.left + lane % 8; x <= box.right; x += 8) {
      if (!covers(t, x, y)) continue;
      const Long mine = seen(t, i, x, y);
      if (mine < picture[y * screen + x]) atomicMin(picture + y * screen + x, mine);
    }
  }
}

/// Each triangle to the lists of the tiles it may touch.
__global__ void lists_of_tiles(const Triangle* all, int* counts, int* lists) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const Box box(all[i]);
  for (int y = box.low / tile; y <= box.high / tile; ++y) {
    for (int x = box.left / tile; x <= box.right / tile; ++x) {
      const int place = atomicAdd(counts + y * tiles_of_row + x, 1);
      if (place < of_tile) lists[(y * tiles_of_row + x) * of_tile + place] = i;
    }
  }
}

/// A thread a pixel, a warp eight by four of them; triangles come to shared memory 64 at a time.
__global__ void tile_a_block(const Triangle* all, const int* counts, const int* lists,
                             Long* picture) {
  __shared__ Triangle some[64];
  __shared__ int numbers[64];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int left = int(blockIdx.x) * tile + warp % 2 * 8,
            low = int(blockIdx.y) * tile + warp / 2 * 4;
  const int x = left + lane % 8, y = low + lane / 8;
  const int which = blockIdx.y * tiles_of_row + blockIdx.x, n = min(counts[which], of_tile);
  Long least = ~0ULL;
  for (int first = 0; first < n; first += 64) {
    const int here = min(n - first, 64);
    __syncthreads();
    if (thread < here) {
      numbers[thread] = lists[which * of_tile + first + thread];
      some[thread] = all[numbers[thread]];
    }
    __syncthreads();
    for (int k = 0; k < here; ++k) {
      const Triangle& t = some[k];
      const Box box(t);
      if (box.left > left + 7 || box.right < left || box.low > low + 3 || box.high < low) continue;
      if (covers(t, x, y)) least = min(least, seen(t, numbers[k], x, y));
    }
  }
  picture[y * screen + x] = least;
}

Kernels squares_of_texture() {
  const Array<uchar4> picture(side * side, [](std::uint32_t i) {
    // Slow changes of colour, edges now and then, and noise.
    const std::uint32_t x = i % side, y = i / side, part = mixed(x / 37 + 64 * (y / 29));
    const std::uint32_t noise = mixed(i);
    const auto shade = [=](int shift) {
      return static_cast<unsigned char>(
          ((part >> shift & 127) + (noise >> shift & 31) + (x + y) / 64) & 255);
    };
    return uchar4{shade(0), shade(8), shade(16), 0};
  });
  const Array<uint2> out(squares);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<uint2> got = out.read();
                    return sampled(squares, [&](std::size_t i) {
                      uchar4 pixels[16];
                      for (std::size_t k = 0; k < 16; ++k) {
                        const std::size_t y = i / squares_of_row * 4 + k / 4;
                        pixels[k] = picture[y * side + i % squares_of_row * 4 + k % 4];
                      }
                      const uint2 wanted = packed(pixels);
                      return got[i].x == wanted.x && got[i].y == wanted.y;
                    });
                  }};
  };
  return {way("a thread a square",
              [=] { square_a_thread<<<squares / 128, 128>>>(picture.device(), out.device()); }),
          way("a thread a pixel, atomics in shared memory",
              [=] {
                pixel_a_thread<<<dim3(side / 32, side / 4), 128>>>(picture.device(), out.device());
              }),
          way("sixteen lanes a square",
              [=] { squares_of_lanes<<<squares / 16, 256>>>(picture.device(), out.device()); })};
}

Kernels picture_of_triangles() {
  const Array<Triangle> all(triangles, [](std::uint32_t i) {
    const float drawn = fraction(i);
    const int size = 16 * (4 + int((largest - 4) * drawn * drawn));
    const std::uint32_t room = std::uint32_t(16 * screen - size);
    const int x = int(mixed(8 * i + 1) % room), y = int(mixed(8 * i + 2) % room);
    const auto corner = [=](std::uint32_t k) {
      const std::uint32_t bits = mixed(8 * i + k);
      return int2{x + int((bits & 65535) % std::uint32_t(size)),
                  y + int((bits >> 16) % std::uint32_t(size))};
    };
    Triangle t{corner(3), corner(4), corner(5), 0.1F + 0.8F * fraction(8 * i + 6), 0, 0};
    t.right = 5e-5F * (fraction(8 * i + 7) - 0.5F);
    t.up = 5e-5F * (fraction(8 * i + 8) - 0.5F);
    if (left_of(t.a, t.b, t.c) < 0) std::swap(t.b, t.c);
    if (left_of(t.a, t.b, t.c) == 0) t.a = {x, y}, t.b = {x + 32, y}, t.c = {x, y + 32};
    return t;
  });
  const Array<Long> picture(screen * screen);
  const Array<int> counts(tiles), lists(tiles * of_tile);
  const auto right = [=] {
    std::vector<Long> wanted(screen * screen, ~0ULL);
    for (unsigned i = 0; i < triangles; ++i) {
      const Triangle& t = all[i];
      const Box box(t);
      for (int y = box.low; y <= box.high; ++y) {
        for (int x = box.left; x <= box.right; ++x) {
          if (!covers(t, x, y)) continue;
          const float depth = depth_at(t, x, y);
          unsigned bits = 0;
          std::memcpy(&bits, &depth, sizeof bits);
          Long& pixel = wanted[y * screen + x];
          pixel = std::min(pixel, Long(bits) << 32 | i);
        }
      }
    }
    return picture.read() == wanted;
  };
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name,
                  [=] {
                    check(cudaMemset(picture.device(), 255, screen * screen * sizeof(Long)));
                    counts.clear();
                  },
                  launch, right};
  };
  return {way("a thread a triangle",
              [=] { triangle_a_thread<<<triangles / 128, 128>>>(all.device(), picture.device()); }),
          way("a warp a triangle",
              [=] { triangle_a_warp<<<triangles / 8, 256>>>(all.device(), picture.device()); }),
          way("lists of tiles, then a block a tile", [=] {
            lists_of_tiles<<<triangles / 128, 128>>>(all.device(), counts.device(), lists.device());
            tile_a_block<<<dim3(tiles_of_row, tiles_of_row), 256>>>(
                all.device(), counts.device(), lists.device(), picture.device());
          })};
}

}  // namespace ladder::drawings

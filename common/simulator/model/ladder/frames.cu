// Pictures and frames: sums of all above and to the left, the largest of squares of pixels, colours
// of a sensor that has one a pixel, and where the blocks of a frame were in the one before.
#include <algorithm>

#include "ladder.h"

namespace ladder::frames {

using Byte = unsigned char;

// Sums of all above and to the left.
constexpr int wide = 1024, high = 512;

__global__ void sum_thread_a_row(const unsigned* in, unsigned* out) {
  const int y = blockIdx.x * 64 + threadIdx.x;
  unsigned sum = 0;
  for (int x = 0; x < wide; ++x) out[y * wide + x] = sum += in[y * wide + x];
}

__global__ void sum_thread_a_column(unsigned* all) {
  const int x = blockIdx.x * 64 + threadIdx.x;
  unsigned sum = 0;
#pragma unroll 8
  for (int y = 0; y < high; ++y) all[y * wide + x] = sum += all[y * wide + x];
}

__device__ unsigned warp_sums_up_to(unsigned value) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const unsigned other = __shfl_up_sync(0xffffffffU, value, step);
    if (lane >= step) value += other;
  }
  return value;
}

__global__ void sum_warp_a_row(const unsigned* in, unsigned* out) {
  const int y = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned before = 0;
  for (int x = lane; x < wide; x += 32) {
    const unsigned sum = before + warp_sums_up_to(in[y * wide + x]);
    out[y * wide + x] = sum;
    before = __shfl_sync(0xffffffffU, sum, 31);
  }
}

/// Sums of 16 rows, stored as columns: two calls are sums over both.
__global__ void sum_turned(const unsigned* in, unsigned* out, int width, int height) {
  __shared__ unsigned tile[16][33];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, y0 = blockIdx.x * 16;
  unsigned before = 0;
  for (int x0 = 0; x0 < width; x0 += 32) {
    const unsigned sum = before + warp_sums_up_to(in[(y0 + warp) * width + x0 + lane]);
    before = __shfl_sync(0xffffffffU, sum, 31);
    tile[warp][lane] = sum;
    __syncthreads();
    const int x = threadIdx.x / 16, y = threadIdx.x % 16;
    out[(x0 + x) * height + y0 + y] = tile[y][x];
    __syncthreads();
  }
}

// The largest of squares of five by five; what is outside counts as the nearest pixel inside.
constexpr int dwide = 512, dhigh = 384, reach = 2;

__host__ __device__ int inside(int at, int n) { return at < 0 ? 0 : (at >= n ? n - 1 : at); }

__global__ void largest_of_pixels(const Byte* in, Byte* out) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int most = 0;
  for (int dy = -reach; dy <= reach; ++dy) {
    for (int dx = -reach; dx <= reach; ++dx) {
      most = max(most, int(in[inside(y + dy, dhigh) * dwide + inside(x + dx, dwide)]));
    }
  }
  out[y * dwide + x] = Byte(most);
}

__global__ void largest_in_two_steps(const Byte* in, Byte* out) {
  __shared__ Byte all[20][36], of_rows[20][32];
  const int t = threadIdx.y * 32 + threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
  for (int k = t; k < 20 * 36; k += 256) {
    all[k / 36][k % 36] =
        in[inside(y0 + k / 36 - reach, dhigh) * dwide + inside(x0 + k % 36 - reach, dwide)];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 20; y += 8) {
    int most = 0;
#pragma unroll
    for (int k = 0; k < 5; ++k) most = max(most, int(all[y][threadIdx.x + k]));
    of_rows[y][threadIdx.x] = Byte(most);
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 16; y += 8) {
    int most = 0;
#pragma unroll
    for (int k = 0; k < 5; ++k) most = max(most, int(of_rows[y + k][threadIdx.x]));
    out[(y0 + y) * dwide + x0 + threadIdx.x] = Byte(most);
  }
}

/// Four pixels a thread, as the bytes of a word; words beside it from where they are.
__global__ void largest_of_words(const unsigned* in, unsigned* out) {
  constexpr int words = dwide / 4;
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  unsigned left = 0, middle = 0, right = 0;
#pragma unroll
  for (int dy = -reach; dy <= reach; ++dy) {
    const unsigned* row = in + inside(y + dy, dhigh) * words;
    middle = __vmaxu4(middle, row[x]);
    left = __vmaxu4(left, x > 0 ? row[x - 1] : (row[0] & 255) * 0x01010101U);
    right = __vmaxu4(right, x < words - 1 ? row[x + 1] : (row[x] >> 24) * 0x01010101U);
  }
  unsigned most = __vmaxu4(__funnelshift_r(left, middle, 16), __funnelshift_r(left, middle, 24));
  most = __vmaxu4(most, middle);
  most = __vmaxu4(most, __funnelshift_r(middle, right, 8));
  out[y * words + x] = __vmaxu4(most, __funnelshift_r(middle, right, 16));
}

// Red at even places of even rows, blue at odd ones of odd rows, green elsewhere.
constexpr int bwide = 1024, bhigh = 512;

/// `at(dx, dy)` is the pixel there from the one at x, y.
#pragma nv_exec_check_disable  // the function is the host's or the device's
template <class At>
__host__ __device__ uchar4 colour(int x, int y, At at) {
  const int own = at(0, 0), beside = (at(-1, 0) + at(1, 0)) / 2;
  const int above = (at(0, -1) + at(0, 1)) / 2;
  const bool odd_x = x % 2 != 0, odd_y = y % 2 != 0;
  if (odd_x != odd_y) {
    return odd_x ? uchar4{Byte(beside), Byte(own), Byte(above), 255}
                 : uchar4{Byte(above), Byte(own), Byte(beside), 255};
  }
  const int cross = (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) / 4;
  const int corners = (at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1)) / 4;
  return odd_x ? uchar4{Byte(corners), Byte(cross), Byte(own), 255}
               : uchar4{Byte(own), Byte(cross), Byte(corners), 255};
}

__global__ void colour_a_thread(const Byte* in, uchar4* out) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[y * bwide + x] = colour(x, y, [=](int dx, int dy) {
    return int(in[inside(y + dy, bhigh) * bwide + inside(x + dx, bwide)]);
  });
}

/// Two by two pixels a thread, so that all lanes have the same colours to find.
__global__ void colours_of_square(const Byte* in, uchar4* out) {
  const int x = 2 * (blockIdx.x * 32 + threadIdx.x), y = 2 * (blockIdx.y * 8 + threadIdx.y);
  int near_by[4][4];
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    near_by[k / 4][k % 4] = in[inside(y + k / 4 - 1, bhigh) * bwide + inside(x + k % 4 - 1, bwide)];
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int j = k % 2, i = k / 2;
    out[(y + i) * bwide + x + j] =
        colour(j, i, [&](int dx, int dy) { return near_by[1 + i + dy][1 + j + dx]; });
  }
}

/// A tile in shared memory, a plane for each colour.
__global__ void colours_of_tile(const Byte* in, Byte* out) {
  __shared__ Byte all[18][34];
  const int t = threadIdx.y * 32 + threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
  for (int k = t; k < 18 * 34; k += 256) {
    all[k / 34][k % 34] =
        in[inside(y0 + k / 34 - 1, bhigh) * bwide + inside(x0 + k % 34 - 1, bwide)];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 16; y += 8) {
    const int x = threadIdx.x, to = (y0 + y) * bwide + x0 + x;
    const uchar4 found =
        colour(x, y, [&](int dx, int dy) { return int(all[1 + y + dy][1 + x + dx]); });
    out[to] = found.x;
    out[bwide * bhigh + to] = found.y;
    out[2 * bwide * bhigh + to] = found.z;
  }
}

// Blocks of eight by eight pixels, each within eight by eight places of the frame before.
constexpr int mwide = 256, side = 8, apart = mwide + side;  // the frame before is larger
constexpr int blocks_of_frame = (mwide / side) * (mwide / side);

/// The least of a block's 64 threads: differences times 64, and the place.
__device__ void keep_least(unsigned sum, unsigned place, unsigned* out) {
  __shared__ unsigned least;
  if (place == 0) least = 0xffffffffU;
  __syncthreads();
  const unsigned of_warp = __reduce_min_sync(0xffffffffU, sum * 64 + place);
  if (place % 32 == 0) atomicMin(&least, of_warp);
  __syncthreads();
  if (place == 0) out[blockIdx.x] = least;
}

__global__ void moved_from_memory(const Byte* now, const Byte* before, unsigned* out) {
  const int x0 = blockIdx.x % (mwide / side) * side, y0 = blockIdx.x / (mwide / side) * side;
  const int dx = threadIdx.x % side, dy = threadIdx.x / side;
  int sum = 0;
  for (int y = 0; y < side; ++y) {
#pragma unroll
    for (int x = 0; x < side; ++x) {
      sum += abs(now[(y0 + y) * mwide + x0 + x] - before[(y0 + y + dy) * apart + x0 + x + dx]);
    }
  }
  keep_least(sum, threadIdx.x, out);
}

__global__ void moved_in_shared(const Byte* now, const Byte* before, unsigned* out) {
  __shared__ Byte block[side][side], window[2 * side][2 * side];
  const int x0 = blockIdx.x % (mwide / side) * side, y0 = blockIdx.x / (mwide / side) * side;
  const int t = threadIdx.x, dx = t % side, dy = t / side;
  block[dy][dx] = now[(y0 + dy) * mwide + x0 + dx];
#pragma unroll
  for (int k = t; k < 4 * side * side; k += 64) {
    window[k / 16][k % 16] = before[(y0 + k / 16) * apart + x0 + k % 16];
  }
  __syncthreads();
  int sum = 0;
  for (int y = 0; y < side; ++y) {
#pragma unroll
    for (int x = 0; x < side; ++x) sum += abs(block[y][x] - window[y + dy][x + dx]);
  }
  keep_least(sum, t, out);
}

/// Four pixels at a time; words of the window that begin within a word are put together.
__global__ void moved_by_words(const unsigned* now, const unsigned* before, unsigned* out) {
  __shared__ unsigned block[side][2], window[2 * side][5];
  const int x0 = blockIdx.x % (mwide / side) * side, y0 = blockIdx.x / (mwide / side) * side;
  const int t = threadIdx.x, dx = t % side, dy = t / side;
  if (t < 16) block[t / 2][t % 2] = now[((y0 + t / 2) * mwide + x0) / 4 + t % 2];
  window[t / 4][t % 4] = before[((y0 + t / 4) * apart + x0) / 4 + t % 4];
  __syncthreads();
  const int word = dx / 4, shift = 8 * (dx % 4);
  unsigned sum = 0;
#pragma unroll
  for (int y = 0; y < side; ++y) {
    const unsigned* row = window[y + dy] + word;
    const unsigned middle = row[1];
    sum += __vsadu4(block[y][0], __funnelshift_r(row[0], middle, shift));
    sum += __vsadu4(block[y][1], __funnelshift_r(middle, row[2], shift));
  }
  keep_least(sum, t, out);
}

Byte byte_of(std::uint32_t i) { return Byte(mixed(i)); }

Kernels integral_picture() {
  const Array<unsigned> in(wide * high, [](std::uint32_t i) { return mixed(i) % 256; });
  const Array<unsigned> out(wide * high), turned(wide * high);
  std::vector<unsigned> wanted(wide * high);
  for (int y = 0; y < high; ++y) {
    unsigned sum = 0;
    for (int x = 0; x < wide; ++x) {
      sum += in[y * wide + x];
      wanted[y * wide + x] = sum + (y > 0 ? wanted[(y - 1) * wide + x] : 0);
    }
  }
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch, [=] { return out.read() == wanted; }};
  };
  return {way("a thread a row, then a column",
              [=] {
                sum_thread_a_row<<<high / 64, 64>>>(in.device(), out.device());
                sum_thread_a_column<<<wide / 64, 64>>>(out.device());
              }),
          way("a warp a row, a thread a column",
              [=] {
                sum_warp_a_row<<<high / 4, 128>>>(in.device(), out.device());
                sum_thread_a_column<<<wide / 64, 64>>>(out.device());
              }),
          way("warps, turned twice", [=] {
            sum_turned<<<high / 16, 512>>>(in.device(), turned.device(), wide, high);
            sum_turned<<<wide / 16, 512>>>(turned.device(), out.device(), high, wide);
          })};
}

Kernels dilation() {
  constexpr int n = dwide * dhigh;
  const Array<unsigned> in(n / 4, mixed), out(n / 4);
  const auto* from = reinterpret_cast<const Byte*>(in.device());
  auto* to = reinterpret_cast<Byte*>(out.device());
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<unsigned> got = out.read();
                    return sampled(n, [&](std::size_t i) {
                      unsigned most = 0;
                      for (int k = 0; k < 25; ++k) {
                        const int at = inside(int(i / dwide) + k / 5 - 2, dhigh) * dwide +
                                       inside(int(i % dwide) + k % 5 - 2, dwide);
                        most = std::max(most, in[at / 4] >> (8 * (at % 4)) & 255);
                      }
                      return (got[i / 4] >> (8 * (i % 4)) & 255) == most;
                    });
                  }};
  };
  return {
      way("a thread a pixel",
          [=] { largest_of_pixels<<<dim3(dwide / 32, dhigh / 8), dim3(32, 8)>>>(from, to); }),
      way("rows, then columns",
          [=] { largest_in_two_steps<<<dim3(dwide / 32, dhigh / 16), dim3(32, 8)>>>(from, to); }),
      way("four pixels a word", [=] {
        largest_of_words<<<dim3(dwide / 128, dhigh / 4), dim3(32, 4)>>>(in.device(), out.device());
      })};
}

Kernels colours_of_sensor() {
  constexpr int n = bwide * bhigh;
  const Array<Byte> in(n, byte_of), out(4 * n);
  const auto way = [=](const char* name, bool planes, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<Byte> got = out.read();
                    return sampled(n, [&](std::size_t i) {
                      const int x = int(i % bwide), y = int(i / bwide);
                      const uchar4 wanted = colour(x, y, [&](int dx, int dy) {
                        return int(in[inside(y + dy, bhigh) * bwide + inside(x + dx, bwide)]);
                      });
                      const std::size_t step = planes ? n : 1, at = planes ? i : 4 * i;
                      return got[at] == wanted.x && got[at + step] == wanted.y &&
                             got[at + 2 * step] == wanted.z;
                    });
                  }};
  };
  auto* pixels = reinterpret_cast<uchar4*>(out.device());
  const dim3 block(32, 8);
  return {
      way("a thread a pixel", false,
          [=] { colour_a_thread<<<dim3(bwide / 32, bhigh / 8), block>>>(in.device(), pixels); }),
      way("two by two a thread", false,
          [=] { colours_of_square<<<dim3(bwide / 64, bhigh / 16), block>>>(in.device(), pixels); }),
      way("tile in shared memory, planes", true, [=] {
        colours_of_tile<<<dim3(bwide / 32, bhigh / 16), block>>>(in.device(), out.device());
      })};
}

Kernels moved_blocks() {
  const Array<Byte> before(apart * apart, byte_of), now(mwide * mwide, [](std::uint32_t i) {
    const std::uint32_t x = i % mwide, y = i / mwide, by = mixed(y / side * 64 + x / side) % 64;
    return Byte(byte_of((y + by / side) * apart + x + by % side) ^ (mixed(i + 77) & 7));
  });
  const Array<unsigned> out(blocks_of_frame);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<unsigned> got = out.read();
                    return sampled(blocks_of_frame, [&](std::size_t i) {
                      const int x0 = int(i) % (mwide / side) * side,
                                y0 = int(i) / (mwide / side) * side;
                      unsigned least = 0xffffffffU;
                      for (int place = 0; place < 64; ++place) {
                        unsigned sum = 0;
                        for (int k = 0; k < 64; ++k) {
                          const int x = x0 + k % side, y = y0 + k / side;
                          sum += std::abs(now[y * mwide + x] -
                                          before[(y + place / side) * apart + x + place % side]);
                        }
                        least = std::min(least, sum * 64 + place);
                      }
                      return got[i] == least;
                    });
                  }};
  };
  const auto* words_now = reinterpret_cast<const unsigned*>(now.device());
  const auto* words_before = reinterpret_cast<const unsigned*>(before.device());
  constexpr int n = blocks_of_frame;
  return {way("from memory",
              [=] { moved_from_memory<<<n, 64>>>(now.device(), before.device(), out.device()); }),
          way("in shared memory",
              [=] { moved_in_shared<<<n, 64>>>(now.device(), before.device(), out.device()); }),
          way("four pixels at a time",
              [=] { moved_by_words<<<n, 64>>>(words_now, words_before, out.device()); })};
}

}  // namespace ladder::frames

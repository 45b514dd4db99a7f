// Fields on grids that change in steps: heat in a thin solid, speckle taken out of a picture, waves
// of light, cells that live and die; and particles in boxes.
#include <algorithm>

#include "ladder.h"

namespace ladder::fields {

constexpr int plate = 512, layers = 8;

__host__ __device__ float warmer(float at, float w, float e, float n, float s, float b, float t,
                                 float power) {
  return at * 0.4F + (w + e) * 0.08F + (n + s) * 0.1F + (b + t) * 0.11F + power * 0.3F + 0.02F * 80;
}

struct Layer {
  int x, y, west, east, north, south;
  __host__ __device__ Layer(int x_, int y_) : x(x_), y(y_) {
    const int at = y * plate + x;
    west = x == 0 ? at : at - 1;
    east = x == plate - 1 ? at : at + 1;
    north = y == 0 ? at : at - plate;
    south = y == plate - 1 ? at : at + plate;
  }
};
constexpr int size_2d = plate * plate;

__host__ __device__ float cell(const float* in, const float* power, const Layer& l, int z) {
  const float* here = in + z * size_2d;
  const int at = l.y * plate + l.x;
  return warmer(here[at], here[l.west], here[l.east], here[l.north], here[l.south],
                in[max(z - 1, 0) * size_2d + at], in[min(z + 1, layers - 1) * size_2d + at],
                power[z * size_2d + at]);
}

__global__ void cell_a_thread(const float* in, const float* power, float* out) {
  const Layer l(blockIdx.x * 64 + threadIdx.x, blockIdx.y * 4 + threadIdx.y);
  const int z = blockIdx.z;
  out[z * size_2d + l.y * plate + l.x] = cell(in, power, l, z);
}

/// Through all layers, what is above and below in registers.
__global__ void column_a_thread(const float* in, const float* power, float* out) {
  const Layer l(blockIdx.x * 64 + threadIdx.x, blockIdx.y * 4 + threadIdx.y);
  const int at = l.y * plate + l.x;
  float below = in[at], here = below;
  for (int z = 0; z < layers; ++z) {
    const float above = z < layers - 1 ? in[(z + 1) * size_2d + at] : here;
    const float* all = in + z * size_2d;
    out[z * size_2d + at] = warmer(here, all[l.west], all[l.east], all[l.north], all[l.south],
                                   below, above, power[z * size_2d + at]);
    below = here;
    here = above;
  }
}

constexpr int picture = 1024;

__host__ __device__ int inside(int v) { return v < 0 ? 0 : v > picture - 1 ? picture - 1 : v; }

__host__ __device__ float spread(const float* in, int x, int y) {
  const float at = in[y * picture + x];
  const float n = in[inside(y - 1) * picture + x] - at, s = in[inside(y + 1) * picture + x] - at,
              w = in[y * picture + inside(x - 1)] - at, e = in[y * picture + inside(x + 1)] - at;
  const float steep = (n * n + s * s + w * w + e * e) / (at * at), curved = (n + s + w + e) / at;
  const float part = 1 + 0.25F * curved;
  const float q = (0.5F * steep - curved * curved / 16) / (part * part);
  const float c = 1 / (1 + (q - 0.05F) / (0.05F * 1.05F));
  return c < 0 ? 0 : c > 1 ? 1 : c;
}

__host__ __device__ float smoother(const float* in, const float* c, int x, int y) {
  const float at = in[y * picture + x], here = c[y * picture + x];
  const float sum = here * (in[inside(y - 1) * picture + x] - at) +
                    c[inside(y + 1) * picture + x] * (in[inside(y + 1) * picture + x] - at) +
                    here * (in[y * picture + inside(x - 1)] - at) +
                    c[y * picture + inside(x + 1)] * (in[y * picture + inside(x + 1)] - at);
  return at + 0.125F * sum;
}

__global__ void spreads(const float* in, float* c) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  c[y * picture + x] = spread(in, x, y);
}
__global__ void smoothed(const float* in, const float* c, float* out) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  out[y * picture + x] = smoother(in, c, x, y);
}

constexpr int sea = 2048;

/// The electric field from the magnetic one, and back.
__global__ void electric(float* ex, float* ey, const float* h) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, at = y * sea + x;
  if (y > 0) ex[at] -= 0.5F * (h[at] - h[at - sea]);
  if (x > 0) ey[at] -= 0.5F * (h[at] - h[at - 1]);
}
__global__ void magnetic(const float* ex, const float* ey, float* h) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, at = y * sea + x;
  if (x < sea - 1 && y < sea - 1) {
    h[at] -= 0.7F * (ex[at + 1] - ex[at] + ey[at + sea] - ey[at]);
  }
}

constexpr int world = 2048;
using Cell = unsigned char;

__host__ __device__ Cell lives(int neighbours, Cell now) {
  return neighbours == 3 || (neighbours == 2 && now != 0) ? 1 : 0;
}

__host__ __device__ int round_about(int v) { return v & (world - 1); }

#pragma nv_exec_check_disable  // what `at` is for the host, the host alone calls
template <class At>
__host__ __device__ Cell next_cell(int x, int y, At at) {
  int sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) sum += dx == 0 && dy == 0 ? 0 : at(x + dx, y + dy);
  }
  return lives(sum, at(x, y));
}

__global__ void life(const Cell* in, Cell* out) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[y * world + x] = next_cell(x, y, [=](int column, int row) {
    return in[round_about(row) * world + round_about(column)];
  });
}

__global__ void life_tile(const Cell* in, Cell* out) {
  __shared__ Cell tile[18][66];
  const int left = blockIdx.x * 64 - 1, top = blockIdx.y * 16 - 1;
  for (int k = threadIdx.x; k < 18 * 66; k += 256) {
    tile[k / 66][k % 66] = in[round_about(top + k / 66) * world + round_about(left + k % 66)];
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 16 * 64; k += 256) {
    const int x = k % 64, y = k / 64;
    out[(top + 1 + y) * world + left + 1 + x] =
        next_cell(x + 1, y + 1, [&](int column, int row) { return tile[row][column]; });
  }
}

/// 32 cells in the bits of a word: sums of bits, side by side.
__global__ void life_bits(const unsigned* in, unsigned* out) {
  constexpr int words = world / 32;
  const int i = blockIdx.x * 256 + threadIdx.x, x = i % words, y = i / words;
  unsigned ones = 0, twos = 0, fours = 0;
  const auto add = [&](unsigned bits) {
    const unsigned carry = ones & bits, more = twos & carry;
    ones ^= bits;
    twos ^= carry;
    fours |= more;
  };
  unsigned here = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    const unsigned* row = in + round_about(y + dy) * words;
    const unsigned mid = row[x], left = row[(x + words - 1) % words], right = row[(x + 1) % words];
    add(mid << 1 | left >> 31);
    add(mid >> 1 | right << 31);
    if (dy != 0) {
      add(mid);
    } else {
      here = mid;
    }
  }
  out[i] = ~fours & twos & (ones | here);
}

constexpr int boxes = 6, of_box = 64;

/// A block a box: forces on its particles by those of the boxes around.
__global__ void forces(const float4* particles, float4* out) {
  __shared__ float4 theirs[of_box];
  const int home = blockIdx.x, hx = home % boxes, hy = home / boxes % boxes,
            hz = home / boxes / boxes;
  const float4 mine = particles[home * of_box + threadIdx.x];
  float4 sum{0, 0, 0, 0};
  for (int k = 0; k < 27; ++k) {
    const int x = hx + k % 3 - 1, y = hy + k / 3 % 3 - 1, z = hz + k / 9 - 1;
    if (x < 0 || y < 0 || z < 0 || x >= boxes || y >= boxes || z >= boxes) continue;
    __syncthreads();
    theirs[threadIdx.x] = particles[((z * boxes + y) * boxes + x) * of_box + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < of_box; ++j) {
      const float4 p = theirs[j];
      const float dx = mine.x - p.x, dy = mine.y - p.y, dz = mine.z - p.z;
      const float v = expf(-0.5F * (dx * dx + dy * dy + dz * dz)), f = 2 * v * p.w;
      sum.x += f * dx;
      sum.y += f * dy;
      sum.z += f * dz;
      sum.w += v * p.w;
    }
  }
  out[home * of_box + threadIdx.x] = sum;
}

Kernels thin_solid() {
  const Array<float> in(size_2d * layers, fraction),
      power(size_2d * layers, [](std::uint32_t i) { return fraction(~i); }), out(size_2d * layers);
  const auto way = [=](const char* name, auto kernel, int deep) {
    return Kernel{name, [=] { out.clear(); },
                  [=] {
                    kernel<<<dim3(plate / 64, plate / 4, deep), dim3(64, 4)>>>(
                        in.device(), power.device(), out.device());
                  },
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(got.size(), [&](std::size_t i) {
                      const int at = int(i % size_2d);
                      return near(got[i], cell(&in[0], &power[0], Layer(at % plate, at / plate),
                                               int(i / size_2d)));
                    });
                  }};
  };
  return {way("cell a thread", cell_a_thread, layers), way("column a thread", column_a_thread, 1)};
}

Kernels speckle() {
  const Array<float> in(picture * picture, [](std::uint32_t i) { return 1 + fraction(i); }),
      c(picture * picture), out(picture * picture);
  return {{"two kernels", [=] { out.clear(); },
           [=] {
             const dim3 grid(picture / 16, picture / 16), block(16, 16);
             spreads<<<grid, block>>>(in.device(), c.device());
             smoothed<<<grid, block>>>(in.device(), c.device(), out.device());
           },
           [=] {
             std::vector<float> all(picture * picture);
             for (int i = 0; i < picture * picture; ++i) {
               all[i] = spread(&in[0], i % picture, i / picture);
             }
             const std::vector<float> got = out.read();
             return sampled(got.size(), [&](std::size_t i) {
               return near(got[i], smoother(&in[0], all.data(), int(i) % picture, int(i) / picture),
                           1e-3);
             });
           }}};
}

Kernels light_waves() {
  const Array<float> start(sea * sea, fraction), ex(sea * sea), ey(sea * sea), h(sea * sea);
  return {{"four steps",
           [=] {
             ex.clear();
             ey.clear();
             check(cudaMemcpy(h.device(), start.device(), h.size() * 4, cudaMemcpyDeviceToDevice));
           },
           [=] {
             const dim3 grid(sea / 32, sea / 8), block(32, 8);
             for (int step = 0; step < 4; ++step) {
               electric<<<grid, block>>>(ex.device(), ey.device(), h.device());
               magnetic<<<grid, block>>>(ex.device(), ey.device(), h.device());
             }
           },
           [=] {
             std::vector<float> x(sea * sea), y(sea * sea), z(sea * sea);
             for (int i = 0; i < sea * sea; ++i) z[i] = start[i];
             for (int step = 0; step < 4; ++step) {
               for (int i = 0; i < sea * sea; ++i) {
                 if (i >= sea) x[i] -= 0.5F * (z[i] - z[i - sea]);
                 if (i % sea > 0) y[i] -= 0.5F * (z[i] - z[i - 1]);
               }
               for (int i = 0; i < sea * (sea - 1); ++i) {
                 if (i % sea < sea - 1) z[i] -= 0.7F * (x[i + 1] - x[i] + y[i + sea] - y[i]);
               }
             }
             const std::vector<float> got = h.read();
             return sampled(got.size(),
                            [&](std::size_t i) { return std::abs(got[i] - z[i]) < 1e-4; });
           }}};
}

Kernels living_cells() {
  const Array<Cell> in(world * world, [](std::uint32_t i) { return Cell(mixed(i) % 3 == 0); }),
      out(world * world);
  const Array<unsigned> bits(world * world / 32,
                             [&](std::uint32_t i) {
                               unsigned word = 0;
                               for (int k = 0; k < 32; ++k) word |= unsigned{in[i * 32 + k]} << k;
                               return word;
                             }),
      bits_out(world * world / 32);
  const auto wanted = [=](std::size_t i) {
    return next_cell(int(i) % world, int(i) / world,
                     [&](int x, int y) { return in[round_about(y) * world + round_about(x)]; });
  };
  const auto right = [=] {
    const std::vector<Cell> got = out.read();
    return sampled(got.size(), [&](std::size_t i) { return got[i] == wanted(i); });
  };
  return {
      {"straight", [=] { out.clear(); },
       [=] { life<<<dim3(world / 32, world / 8), dim3(32, 8)>>>(in.device(), out.device()); },
       right},
      {"tile", [=] { out.clear(); },
       [=] { life_tile<<<dim3(world / 64, world / 16), 256>>>(in.device(), out.device()); }, right},
      {"bits", [=] { bits_out.clear(); },
       [=] { life_bits<<<world * world / 32 / 256, 256>>>(bits.device(), bits_out.device()); },
       [=] {
         const std::vector<unsigned> got = bits_out.read();
         return sampled(std::size_t{world} * world,
                        [&](std::size_t i) { return (got[i / 32] >> i % 32 & 1) == wanted(i); });
       }}};
}

Kernels particles_in_boxes() {
  constexpr int n = boxes * boxes * boxes * of_box;
  const Array<float4> all(n,
                          [](std::uint32_t i) {
                            return float4{fraction(4 * i), fraction(4 * i + 1), fraction(4 * i + 2),
                                          fraction(4 * i + 3)};
                          }),
      out(n);
  return {{"block a box", [=] { out.clear(); },
           [=] { forces<<<n / of_box, of_box>>>(all.device(), out.device()); },
           [=] {
             const std::vector<float4> got = out.read();
             return sampled(n, [&](std::size_t i) {
               const int home = int(i) / of_box, hx = home % boxes, hy = home / boxes % boxes,
                         hz = home / boxes / boxes;
               double sum = 0;
               for (int z = std::max(hz - 1, 0); z <= std::min(hz + 1, boxes - 1); ++z) {
                 for (int y = std::max(hy - 1, 0); y <= std::min(hy + 1, boxes - 1); ++y) {
                   for (int x = std::max(hx - 1, 0); x <= std::min(hx + 1, boxes - 1); ++x) {
                     for (int j = 0; j < of_box; ++j) {
                       const float4 p = all[((z * boxes + y) * boxes + x) * of_box + j], q = all[i];
                       const double dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
                       sum += std::exp(-0.5 * (dx * dx + dy * dy + dz * dz)) * p.w;
                     }
                   }
                 }
               }
               return near(got[i].w, sum, 1e-3);
             });
           }}};
}

}  // namespace ladder::fields

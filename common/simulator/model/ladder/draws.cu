// Numbers that look drawn, by three generators; rays that meet spheres; cosine transforms of 8 by 8;
// ranks of pages, pulled and pushed; and a sparse matrix as a list of its elements.
#include <algorithm>
#include <numeric>

#include "ladder.h"

namespace ladder::draws {

constexpr int threads = 256, streams = 1 << 17, of_stream = 32;

__host__ __device__ unsigned shifted(unsigned x) {
  x ^= x << 13;
  x ^= x >> 17;
  return x ^ x << 5;
}

__global__ void xor_shifts(unsigned* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  unsigned x = mixed(i) | 1;
  for (int k = 0; k < of_stream; ++k) {
    x = shifted(x);
    out[k * streams + i] = x;
  }
}

/// Ten rounds of two products of a counter and a key, as in Philox.
__host__ __device__ uint2 rounds_of(unsigned counter, unsigned stream) {
  unsigned a = counter, b = stream, key = 0x9e3779b9U;
  for (int k = 0; k < 10; ++k) {
    const std::uint64_t product = std::uint64_t{0xd256d193U} * a;
    a = unsigned(product >> 32) ^ key ^ b;
    b = unsigned(product);
    key += 0x9e3779b9U;
  }
  return {a, b};
}

__global__ void counters(uint2* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  for (int k = 0; k < of_stream / 2; ++k) out[k * streams + i] = rounds_of(k, i);
}

__host__ __device__ unsigned direction(int bit) { return mixed(bit) | 1U << (31 - bit % 32); }

/// A point of a sequence is the last one and one direction; first the one that the thread begins at.
__host__ __device__ unsigned begin_at(unsigned n, const unsigned* directions) {
  unsigned x = 0;
  for (unsigned gray = n ^ n >> 1, bit = 0; gray != 0; gray >>= 1, ++bit) {
    if ((gray & 1) != 0) x ^= directions[bit];
  }
  return x;
}

__global__ void sequences(float* out) {
  __shared__ unsigned directions[32];
  if (threadIdx.x < 32) directions[threadIdx.x] = direction(threadIdx.x);
  __syncthreads();
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  unsigned x = begin_at(i * of_stream, directions);
  for (int k = 0; k < of_stream; ++k) {
    out[k * streams + i] = float(x >> 8) * (1.0F / 16777216.0F);
    const unsigned n = i * of_stream + k;
    x ^= directions[__ffs(~n) - 1];
  }
}

constexpr int side = 512, spheres = 32;
__constant__ float4 constant_spheres[spheres];

__host__ __device__ float depth_at(int px, int py, const float4* all) {
  const float x = float(px) * (2.0F / side) - 1, y = float(py) * (2.0F / side) - 1;
  float least = 1e30F;
  for (int k = 0; k < spheres; ++k) {
    const float4 s = all[k];
    const float dx = x - s.x, dy = y - s.y, rest = s.w * s.w - dx * dx - dy * dy;
    if (rest > 0) {
      const float far = s.z - sqrtf(rest);
      if (far < least) least = far;
    }
  }
  return least;
}

__global__ void rays(float* out) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  out[y * side + x] = depth_at(x, y, constant_spheres);
}

constexpr int picture = 1024;
__constant__ float cosines[64];

float cosine(int k) {
  const int u = k / 8, x = k % 8;
  return float((u == 0 ? std::sqrt(0.125) : 0.5) *
               std::cos((2 * x + 1) * u * 3.14159265358979 / 16));
}

/// A thread a coefficient: rows, then columns, in shared memory.
__global__ void transform_tile(const float* in, float* out) {
  __shared__ float tile[8][65], half[8][65];
  const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const int begin = threadIdx.x / 8 * 8, u = threadIdx.x % 8;
  tile[threadIdx.y][threadIdx.x] = in[y * picture + x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += tile[threadIdx.y][begin + k] * cosines[u * 8 + k];
  half[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < 8; ++k) sum += half[k][threadIdx.x] * cosines[threadIdx.y * 8 + k];
  out[y * picture + x] = sum;
}

/// A thread all of 8 by 8, in registers.
__global__ void transform_block(const float* in, float* out) {
  const int bx = blockIdx.x * 32 + threadIdx.x % 32, by = blockIdx.y * 4 + threadIdx.x / 32;
  const float* from = in + by * 8 * picture + bx * 8;
  float* to = out + by * 8 * picture + bx * 8;
  float rows[8][8];
#pragma unroll
  for (int y = 0; y < 8; ++y) {
    float line[8];
#pragma unroll
    for (int x = 0; x < 8; ++x) line[x] = from[y * picture + x];
#pragma unroll
    for (int u = 0; u < 8; ++u) {
      float sum = 0;
#pragma unroll
      for (int x = 0; x < 8; ++x) sum += line[x] * cosines[u * 8 + x];
      rows[y][u] = sum;
    }
  }
#pragma unroll
  for (int v = 0; v < 8; ++v) {
#pragma unroll
    for (int u = 0; u < 8; ++u) {
      float sum = 0;
#pragma unroll
      for (int y = 0; y < 8; ++y) sum += rows[y][u] * cosines[v * 8 + y];
      to[v * picture + u] = sum;
    }
  }
}

constexpr int pages = 1 << 18, links = 8;

__host__ __device__ int link(std::uint32_t k) {
  const std::uint32_t drawn = mixed(k);  // some pages are linked to far more often
  return int(drawn % 4 == 0 ? mixed(drawn) % 4096 : mixed(drawn) % pages);
}

__global__ void push(const int* to, const float* rank, float* next) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const float part = rank[i] * (0.85F / links);
  for (int k = 0; k < links; ++k) atomicAdd(&next[to[i * links + k]], part);
}

__global__ void pull(const int* begins, const int* from, const float* rank, float* next) {
  const int i = blockIdx.x * threads + threadIdx.x;
  float sum = 0;
  for (int k = begins[i]; k < begins[i + 1]; ++k) sum += rank[from[k]];
  next[i] = sum * (0.85F / links);
}

constexpr int elements = 1 << 21, rows = 1 << 17;

__host__ __device__ int row_of(std::uint32_t k) { return int(k / (elements / rows)); }

__global__ void element_a_thread(const int* row, const int* column, const float* values,
                                 const float* x, float* y) {
  const int k = blockIdx.x * threads + threadIdx.x;
  atomicAdd(&y[row[k]], values[k] * x[column[k]]);
}

/// Sums of equal rows within a warp first.
__global__ void sums_in_warps(const int* row, const int* column, const float* values,
                              const float* x, float* y) {
  const int k = blockIdx.x * threads + threadIdx.x, mine = row[k], lane = threadIdx.x % 32;
  float sum = values[k] * x[column[k]];
  for (int step = 1; step < 32; step *= 2) {
    const float other = __shfl_up_sync(0xffffffffU, sum, step);
    const int its = __shfl_up_sync(0xffffffffU, mine, step);
    if (lane >= step && its == mine) sum += other;
  }
  const int next = __shfl_down_sync(0xffffffffU, mine, 1);
  if (lane == 31 || next != mine) atomicAdd(&y[mine], sum);
}

Kernels generators() {
  const Array<unsigned> out(streams * of_stream);
  auto* pairs = reinterpret_cast<uint2*>(out.device());
  auto* floats = reinterpret_cast<float*>(out.device());
  const auto way = [=](const char* name, std::function<void()> launch,
                       std::function<unsigned(unsigned, int)> wanted, int of_row) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<unsigned> got = out.read();
                    return sampled(streams, [&](std::size_t i) {
                      const int k = int(i % (of_stream / of_row));
                      return got[(std::size_t(k) * streams + i) * of_row] == wanted(unsigned(i), k);
                    });
                  }};
  };
  return {way(
              "xor and shift", [=] { xor_shifts<<<streams / threads, threads>>>(out.device()); },
              [](unsigned i, int k) {
                unsigned x = mixed(i) | 1;
                for (int n = 0; n <= k; ++n) x = shifted(x);
                return x;
              },
              1),
          way(
              "products of counters", [=] { counters<<<streams / threads, threads>>>(pairs); },
              [](unsigned i, int k) { return rounds_of(k, i).x; }, 2),
          way(
              "sequence of points", [=] { sequences<<<streams / threads, threads>>>(floats); },
              [](unsigned i, int k) {
                unsigned directions[32];
                for (int bit = 0; bit < 32; ++bit) directions[bit] = direction(bit);
                const float value =
                    float(begin_at(i * of_stream + k, directions) >> 8) * (1.0F / 16777216.0F);
                unsigned bits = 0;
                std::copy_n(reinterpret_cast<const char*>(&value), 4,
                            reinterpret_cast<char*>(&bits));
                return bits;
              },
              1)};
}

Kernels rays_and_spheres() {
  std::vector<float4> all;
  for (std::uint32_t k = 0; k < spheres; ++k) {
    all.push_back({2 * fraction(4 * k) - 1, 2 * fraction(4 * k + 1) - 1, 2 + fraction(4 * k + 2),
                   0.1F + 0.3F * fraction(4 * k + 3)});
  }
  check(cudaMemcpyToSymbol(constant_spheres, all.data(), sizeof constant_spheres));
  const Array<float> out(side * side);
  return {{"ray a thread", [=] { out.clear(); },
           [=] { rays<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(out.device()); },
           [=] {
             const std::vector<float> got = out.read();
             int off = 0;  // at the rim of a sphere rounding decides
             sampled(got.size(), [&](std::size_t i) {
               off += !near(got[i], depth_at(int(i % side), int(i / side), all.data()), 1e-2);
               return true;
             });
             return off < 10;
           }}};
}

Kernels cosine_transforms() {
  std::vector<float> table;
  for (int k = 0; k < 64; ++k) table.push_back(cosine(k));
  check(cudaMemcpyToSymbol(cosines, table.data(), sizeof cosines));
  const Array<float> in(picture * picture, fraction), out(picture * picture);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(got.size(), [&](std::size_t i) {
                      const int x = int(i % picture), y = int(i / picture);
                      double sum = 0;
                      for (int j = 0; j < 64; ++j) {
                        sum += double(in[(y / 8 * 8 + j / 8) * picture + x / 8 * 8 + j % 8]) *
                               table[x % 8 * 8 + j % 8] * table[y % 8 * 8 + j / 8];
                      }
                      return std::abs(got[i] - sum) < 1e-4;
                    });
                  }};
  };
  return {way("tiles in shared memory",
              [=] {
                transform_tile<<<dim3(picture / 64, picture / 8), dim3(64, 8)>>>(in.device(),
                                                                                 out.device());
              }),
          way("block a thread", [=] {
            transform_block<<<dim3(picture / 256, picture / 32), 128>>>(in.device(), out.device());
          })};
}

Kernels page_ranks() {
  const Array<int> to(pages * links, link);
  std::vector<int> begin(pages + 1), place(pages * links);
  for (int k = 0; k < pages * links; ++k) ++begin[to[k] + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<int> at(begin.begin(), begin.end() - 1);
  for (int k = 0; k < pages * links; ++k) place[at[to[k]]++] = k / links;
  const Array<int> begins(begin), from(place);
  const Array<float> rank(pages, fraction), next(pages);
  const auto right = [=] {
    std::vector<double> wanted(pages);
    for (int k = 0; k < pages * links; ++k) wanted[to[k]] += rank[k / links] * (0.85 / links);
    const std::vector<float> got = next.read();
    return sampled(pages, [&](std::size_t i) { return near(got[i], wanted[i], 1e-3); });
  };
  return {{"pushed", [=] { next.clear(); },
           [=] { push<<<pages / threads, threads>>>(to.device(), rank.device(), next.device()); },
           right},
          {"pulled", [=] { next.clear(); },
           [=] {
             pull<<<pages / threads, threads>>>(begins.device(), from.device(), rank.device(),
                                                next.device());
           },
           right}};
}

Kernels elements_of_matrix() {
  const Array<int> row(elements, row_of),
      column(elements, [](std::uint32_t k) { return int(mixed(k) % rows); });
  const Array<float> values(elements, fraction),
      x(rows, [](std::uint32_t i) { return fraction(~i); }), y(rows);
  const auto way = [=](const char* name, auto kernel) {
    return Kernel{name, [=] { y.clear(); },
                  [=] {
                    kernel<<<elements / threads, threads>>>(
                        row.device(), column.device(), values.device(), x.device(), y.device());
                  },
                  [=] {
                    std::vector<double> wanted(rows);
                    for (int k = 0; k < elements; ++k) {
                      wanted[row_of(k)] += double(values[k]) * x[column[k]];
                    }
                    const std::vector<float> got = y.read();
                    return sampled(rows,
                                   [&](std::size_t i) { return near(got[i], wanted[i], 1e-3); });
                  }};
  };
  return {way("element a thread", element_a_thread), way("sums in warps", sums_in_warps)};
}

}  // namespace ladder::draws

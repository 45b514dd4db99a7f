// Unknowns step by step: triangular systems with many right sides, products of rows at the few places
// where a matrix has elements, and prices of options on a grid of the share's prices.
#include <algorithm>

#include "ladder.h"

namespace ladder::unknowns {

// A lower triangle of 256 rows, 4096 right sides; a row of all right sides lies together.
constexpr int rows = 256, sides = 4096, part = 32;

__global__ void solved_from_memory(const float* lower, const float* right, float* x) {
  const int j = blockIdx.x * 64 + threadIdx.x;
  for (int i = 0; i < rows; ++i) {
    float sum = right[i * sides + j];
    for (int k = 0; k < i; ++k) sum -= lower[i * rows + k] * x[k * sides + j];
    x[i * sides + j] = sum / lower[i * rows + i];
  }
}

/// 32 right sides a block in shared memory: what is known of one row is taken from those below.
__global__ void solved_in_shared(const float* columns, const float* right, float* x) {
  __shared__ float all[rows][part];
  const int lane = threadIdx.x, y = threadIdx.y, j = blockIdx.x * part + lane;
  for (int i = y; i < rows; i += 8) all[i][lane] = right[i * sides + j];
  __syncthreads();
  for (int k = 0; k < rows; ++k) {
    const float known = all[k][lane] / columns[k * rows + k];
    for (int i = k + 1 + y; i < rows; i += 8) all[i][lane] -= columns[k * rows + i] * known;
    __syncthreads();
    if (y == 0) all[k][lane] = known;
  }
  __syncthreads();
  for (int i = y; i < rows; i += 8) x[i * sides + j] = all[i][lane];
}

/// 32 rows from `first` on, a right side a thread, whose unknowns are in registers.
__global__ void solved_part(const float* lower, float* x, int first) {
  __shared__ float triangle[part][part];
  for (int k = threadIdx.x; k < part * part; k += 64) {
    triangle[k / part][k % part] = lower[(first + k / part) * rows + first + k % part];
  }
  __syncthreads();
  const int j = blockIdx.x * 64 + threadIdx.x;
  float own[part];
#pragma unroll
  for (int i = 0; i < part; ++i) {
    own[i] = x[(first + i) * sides + j];
#pragma unroll
    for (int k = 0; k < i; ++k) own[i] -= triangle[i][k] * own[k];
    own[i] /= triangle[i][i];
    x[(first + i) * sides + j] = own[i];
  }
}

/// From 32 rows below what those from `first` on are there: tiles of 32 by 64, eight of each a thread.
__global__ void taken_from_below(const float* lower, float* x, int first) {
  __shared__ float factors[part][part + 1], known[part][64];
  const int t = threadIdx.x, i0 = first + part * (1 + blockIdx.y), j0 = blockIdx.x * 64;
  for (int k = t; k < part * part; k += 256) {
    factors[k / part][k % part] = lower[(i0 + k / part) * rows + first + k % part];
  }
  for (int k = t; k < part * 64; k += 256) {
    known[k / 64][k % 64] = x[(first + k / 64) * sides + j0 + k % 64];
  }
  __syncthreads();
  const int j = t % 64, i = t / 64 * 8;
  float sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll 8
  for (int k = 0; k < part; ++k) {
    const float value = known[k][j];
#pragma unroll
    for (int r = 0; r < 8; ++r) sum[r] += factors[i + r][k] * value;
  }
#pragma unroll
  for (int r = 0; r < 8; ++r) x[(i0 + i + r) * sides + j0 + j] -= sum[r];
}

// Products of rows of two matrices where a third has elements.
constexpr int lines = 4096, of_line = 48, elements = lines * of_line, depth = 128;

__global__ void element_a_thread(const int2* at, const float* a, const float* b, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int2 place = at[i];
  float sum = 0;
  for (int k = 0; k < depth; ++k) sum += a[place.x * depth + k] * b[place.y * depth + k];
  out[i] = sum;
}

__device__ float product(float4 a, float4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__global__ void element_a_warp(const int2* at, const float4* a, const float4* b, float* out) {
  const int i = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const int2 place = at[i];
  const float sum =
      warp_sum(product(a[place.x * (depth / 4) + lane], b[place.y * (depth / 4) + lane]));
  if (lane == 0) out[i] = sum;
}

/// A block a row of the first matrix, of which eight lanes each keep what they need.
__global__ void row_a_block(const int* columns, const float4* a, const float4* b, float* out) {
  const int lane = threadIdx.x % 8, begin = blockIdx.x * of_line;
  float4 own[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) own[k] = a[blockIdx.x * (depth / 4) + 8 * k + lane];
  for (int i = threadIdx.x / 8; i < of_line; i += 16) {
    const float4* other = b + columns[begin + i] * (depth / 4) + lane;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += product(own[k], other[8 * k]);
#pragma unroll
    for (int step = 4; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, step);
    if (lane == 0) out[begin + i] = sum;
  }
}

// Options that may be used at any time: back in time on 256 prices of the share.
constexpr int options = 1024, prices = 256, moments = 400;

/// What the price is made of, and how far prices are apart (their logarithms).
struct Option {
  float up, same, down, apart;
};

__host__ __device__ float at_once(const Option& option, int k) {
  return fmaxf(0, 1 - expf(option.apart * float(k - prices / 2)));
}

__global__ void prices_in_shared(const Option* all, float* out) {
  __shared__ float price[2][prices + 2];
  const int t = threadIdx.x;
  const Option option = all[blockIdx.x];
  const float least = at_once(option, t);
  price[0][t + 1] = price[1][t + 1] = least;
  if (t == 0) price[0][0] = price[1][0] = at_once(option, -1);
  if (t == prices - 1) price[0][t + 2] = price[1][t + 2] = 0;
  for (int k = 0; k < moments; ++k) {
    __syncthreads();
    const float* now = price[k % 2] + t;
    const float waiting = option.down * now[0] + option.same * now[1] + option.up * now[2];
    price[(k + 1) % 2][t + 1] = fmaxf(least, waiting);
  }
  __syncthreads();
  out[blockIdx.x * prices + t] = price[moments % 2][t + 1];
}

/// A warp an option, eight prices a lane.
__global__ void prices_in_registers(const Option* all, float4* out) {
  const int i = (blockIdx.x * 128 + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const Option option = all[i];
  float least[8], price[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) least[k] = price[k] = at_once(option, 8 * lane + k);
  const float first = at_once(option, -1);
  for (int moment = 0; moment < moments; ++moment) {
    float before = __shfl_up_sync(0xffffffffU, price[7], 1);
    float after = __shfl_down_sync(0xffffffffU, price[0], 1);
    if (lane == 0) before = first;
    if (lane == 31) after = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const float own = price[k], above = k < 7 ? price[k + 1] : after;
      price[k] = fmaxf(least[k], option.down * before + option.same * own + option.up * above);
      before = own;
    }
  }
  out[i * 64 + 2 * lane] = float4{price[0], price[1], price[2], price[3]};
  out[i * 64 + 2 * lane + 1] = float4{price[4], price[5], price[6], price[7]};
}

float signed_fraction(std::uint32_t i) { return 2 * fraction(i) - 1; }

Kernels triangular_systems() {
  const auto element = [](std::uint32_t i, std::uint32_t k) {
    return i == k ? 1 + fraction(i) : signed_fraction(i * rows + k) / 8;
  };
  const Array<float> lower(
      rows * rows,
      [=](std::uint32_t i) { return i % rows <= i / rows ? element(i / rows, i % rows) : 0; }),
      columns(rows * rows, [=](std::uint32_t i) {
        return i % rows >= i / rows ? element(i % rows, i / rows) : 0;
      });
  const Array<float> right(rows * sides, [](std::uint32_t i) { return signed_fraction(~i); }),
      x(rows * sides);
  const auto way = [=](const char* name, bool in_place, std::function<void()> launch) {
    return Kernel{name,
                  [=] {
                    x.clear();
                    if (!in_place) return;
                    check(cudaMemcpy(x.device(), right.device(), rows * sides * sizeof(float),
                                     cudaMemcpyDeviceToDevice));
                  },
                  launch,
                  [=] {
                    const std::vector<float> got = x.read();
                    return sampled(sides, [&](std::size_t j) {
                      std::vector<double> wanted(rows);
                      for (int i = 0; i < rows; ++i) {
                        double sum = right[i * sides + j];
                        for (int k = 0; k < i; ++k) sum -= wanted[k] * lower[i * rows + k];
                        wanted[i] = sum / lower[i * rows + i];
                        if (std::abs(got[i * sides + j] - wanted[i]) > 1e-3) return false;
                      }
                      return true;
                    });
                  }};
  };
  return {way("a thread a right side", false,
              [=] {
                solved_from_memory<<<sides / 64, 64>>>(lower.device(), right.device(), x.device());
              }),
          way("right sides in shared memory", false,
              [=] {
                solved_in_shared<<<sides / part, dim3(part, 8)>>>(columns.device(), right.device(),
                                                                  x.device());
              }),
          way("32 rows at a time", true, [=] {
            for (int first = 0; first < rows; first += part) {
              solved_part<<<sides / 64, 64>>>(lower.device(), x.device(), first);
              const unsigned below = unsigned((rows - first) / part - 1);
              if (below == 0) break;
              taken_from_below<<<dim3(sides / 64, below), 256>>>(lower.device(), x.device(), first);
            }
          })};
}

Kernels products_at_few_places() {
  const auto column = [](std::uint32_t i) { return int(mixed(i) % lines); };
  const Array<int2> at(elements, [=](std::uint32_t i) {
    return int2{int(i / of_line), column(i)};
  });
  const Array<int> columns(elements, column);
  const Array<float> a(lines * depth, signed_fraction),
      b(lines * depth, [](std::uint32_t i) { return signed_fraction(~i); }), out(elements);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(elements, [&](std::size_t i) {
                      double sum = 0;
                      for (int k = 0; k < depth; ++k) {
                        sum += double(a[at[i].x * depth + k]) * b[at[i].y * depth + k];
                      }
                      return std::abs(got[i] - sum) < 1e-4;
                    });
                  }};
  };
  const auto* fours = reinterpret_cast<const float4*>(a.device());
  const auto* others = reinterpret_cast<const float4*>(b.device());
  return {
      way("a thread an element",
          [=] {
            element_a_thread<<<elements / 256, 256>>>(at.device(), a.device(), b.device(),
                                                      out.device());
          }),
      way("a warp an element",
          [=] { element_a_warp<<<elements / 8, 256>>>(at.device(), fours, others, out.device()); }),
      way("a block a row, eight lanes an element",
          [=] { row_a_block<<<lines, 128>>>(columns.device(), fours, others, out.device()); })};
}

Kernels prices_on_grid() {
  const Array<Option> all(options, [](std::uint32_t i) {
    const float spread = 0.1F + 0.4F * fraction(2 * i), interest = 0.06F * fraction(2 * i + 1);
    const float time = 1.0F / moments, apart = spread * std::sqrt(1.5F * time);
    const float even = 0.5F * time * spread * spread / (apart * apart);
    const float drift = 0.5F * time * (interest - spread * spread / 2) / apart;
    return Option{even + drift, 1 - 2 * even - time * interest, even - drift, apart};
  });
  const Array<float> out(options * prices);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    for (std::size_t i = 0; i < options; i += 53) {
                      std::vector<double> price(prices + 2);
                      for (int k = 0; k <= prices; ++k) price[k] = at_once(all[i], k - 1);
                      const std::vector<double> least = price;
                      for (int moment = 0; moment < moments; ++moment) {
                        double before = price[0];
                        for (int k = 1; k <= prices; ++k) {
                          const double waiting = all[i].down * before + all[i].same * price[k] +
                                                 all[i].up * price[k + 1];
                          before = price[k];
                          price[k] = std::max(least[k], waiting);
                        }
                      }
                      for (int k = 0; k < prices; ++k) {
                        if (std::abs(got[i * prices + k] - price[k + 1]) > 1e-4) return false;
                      }
                    }
                    return true;
                  }};
  };
  return {way("a block an option, in shared memory",
              [=] { prices_in_shared<<<options, prices>>>(all.device(), out.device()); }),
          way("a warp an option, in registers", [=] {
            prices_in_registers<<<options / 4, 128>>>(all.device(),
                                                      reinterpret_cast<float4*>(out.device()));
          })};
}

}  // namespace ladder::unknowns

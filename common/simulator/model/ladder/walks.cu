// Work that one step after another decides: walkers that draw their way over a graph, prices of
// options back through a tree, numbers that fall to one after unlike numbers of steps, and a small
// matrix applied again and again by one block or by many.
#include <algorithm>
#include <numeric>

#include "ladder.h"

namespace ladder::walks {

constexpr int vertices = 1 << 18, ways_on = 8, walkers = 1 << 17, steps_of_walk = 32;

__host__ __device__ int begin_of(std::uint32_t walker) { return int(mixed(walker) % vertices); }
__host__ __device__ int drawn_way(std::uint32_t walker, int step) {
  return int(mixed(walker * steps_of_walk + step) % ways_on);
}

/// `each` walkers a thread, whose steps do not wait for one another.
template <int each>
__global__ void walk(const int* ways, int* out) {
  const int i = blockIdx.x * 128 + threadIdx.x, apart = walkers / each;
  int at[each];
#pragma unroll
  for (int j = 0; j < each; ++j) at[j] = begin_of(i + j * apart);
  for (int k = 0; k < steps_of_walk; ++k) {
#pragma unroll
    for (int j = 0; j < each; ++j) at[j] = ways[at[j] * ways_on + drawn_way(i + j * apart, k)];
  }
#pragma unroll
  for (int j = 0; j < each; ++j) out[i + j * apart] = at[j];
}

constexpr int options = 1024, leaves = 128;
constexpr float up_part = 0.507F, down_part = 0.492F;

__host__ __device__ float leaf(float stock, int k) {
  const float price = stock * expf(0.02F * float(2 * k - (leaves - 1)));
  return price > 100 ? price - 100 : 0;
}

__global__ void option_a_block(const float* stocks, float* out) {
  __shared__ float values[2][leaves];
  const int t = threadIdx.x;
  values[0][t] = leaf(stocks[blockIdx.x], t);
  __syncthreads();
  int from = 0;
  for (int left = leaves - 1; left > 0; --left, from ^= 1) {
    if (t < left) {
      values[from ^ 1][t] = up_part * values[from][t + 1] + down_part * values[from][t];
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = values[from][0];
}

/// Four leaves a lane; what lies beyond those left is never asked for.
__global__ void option_a_warp(const float* stocks, float* out) {
  const int i = (blockIdx.x * 128 + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float stock = stocks[i];
  float values[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) values[k] = leaf(stock, lane * 4 + k);
  for (int left = leaves - 1; left > 0; --left) {
    const float next = __shfl_down_sync(0xffffffffU, values[0], 1);
#pragma unroll
    for (int k = 0; k < 3; ++k) values[k] = up_part * values[k + 1] + down_part * values[k];
    values[3] = up_part * next + down_part * values[3];
  }
  if (lane == 0) out[i] = values[0];
}

/// All leaves in memory of the thread's own.
__global__ void option_a_thread(const float* stocks, float* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const float stock = stocks[i];
  float values[leaves];
#pragma unroll 1
  for (int k = 0; k < leaves; ++k) values[k] = leaf(stock, k);
#pragma unroll 1
  for (int left = leaves - 1; left > 0; --left) {
    float low = values[0];
#pragma unroll 1
    for (int k = 0; k < left; ++k) {
      const float high = values[k + 1];
      values[k] = up_part * high + down_part * low;
      low = high;
    }
  }
  out[i] = values[0];
}

constexpr int numbers = 1 << 17;

/// Steps until it is one: half of what is even, three times and one more of what is odd.
__host__ __device__ bool fallen(std::uint64_t& value) {
  value = (value & 1) == 0 ? value / 2 : 3 * value + 1;
  return value == 1;
}

__host__ __device__ int steps_to_one(std::uint64_t value) {
  int steps = 1;
  for (; !fallen(value); ++steps) {
  }
  return steps;
}

__global__ void number_a_thread(const std::uint64_t* in, int* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = steps_to_one(in[i]);
}

__global__ void number_a_thread_of_list(const std::uint64_t* in, const int* list, int* out) {
  const int i = list[blockIdx.x * 128 + threadIdx.x];
  out[i] = steps_to_one(in[i]);
}

/// Lanes that are done take the next number of all.
__global__ void next_number_a_lane(const std::uint64_t* in, int* out, int* next) {
  int i = atomicAdd(next, 1), steps = 0;
  std::uint64_t value = i < numbers ? in[i] : 0;
  while (i < numbers) {
    ++steps;
    if (!fallen(value)) continue;
    out[i] = steps;
    steps = 0;
    i = atomicAdd(next, 1);
    if (i < numbers) value = in[i];
  }
}

constexpr int order = 96, times = 24;

/// x becomes a matrix times x, plus b. A warp a row, three elements a lane.
__device__ float row_times(const float* row, const float* x) {
  const int lane = threadIdx.x % 32;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < order; k += 32) sum += row[k + lane] * x[k + lane];
  return warp_sum(sum);
}

/// By one block, the matrix in memory or in shared memory.
template <bool kept>
__global__ void one_block(const float* matrix, const float* b, float* x) {
  __shared__ float part[kept ? order * order : 1], now[2][order];
  const float* rows = matrix;
  if (kept) {
    for (int k = threadIdx.x; k < order * order; k += blockDim.x) part[k] = matrix[k];
    rows = part;
  }
  if (threadIdx.x < order) now[0][threadIdx.x] = 0;
  __syncthreads();
  for (int step = 0; step < times; ++step) {
    for (int r = threadIdx.x / 32; r < order; r += blockDim.x / 32) {
      const float sum = row_times(rows + r * order, now[step % 2]);
      if (threadIdx.x % 32 == 0) now[(step + 1) % 2][r] = sum + b[r];
    }
    __syncthreads();
  }
  if (threadIdx.x < order) x[threadIdx.x] = now[times % 2][threadIdx.x];
}

__global__ void one_step(const float* matrix, const float* b, const float* x, float* next) {
  const int r = blockIdx.x * 4 + threadIdx.x / 32;
  const float sum = row_times(matrix + r * order, x);
  if (threadIdx.x % 32 == 0) next[r] = sum + b[r];
}

Kernels walkers_on_a_graph() {
  const Array<int> ways(vertices * ways_on,
                        [](std::uint32_t i) { return int(mixed(~i) % vertices); }),
      out(walkers);
  const auto way = [=](const char* name, auto kernel, int each) {
    return Kernel{name, [=] { out.clear(); },
                  [=] { kernel<<<walkers / each / 128, 128>>>(ways.device(), out.device()); },
                  [=] {
                    const std::vector<int> got = out.read();
                    return sampled(walkers, [&](std::size_t i) {
                      const auto w = std::uint32_t(i);
                      int at = begin_of(w);
                      for (int k = 0; k < steps_of_walk; ++k) {
                        at = ways[at * ways_on + drawn_way(w, k)];
                      }
                      return got[i] == at;
                    });
                  }};
  };
  return {way("walker a thread", walk<1>, 1), way("four walkers a thread", walk<4>, 4)};
}

Kernels trees_of_prices() {
  const Array<float> stocks(options, [](std::uint32_t i) { return 60 + 80 * fraction(i); }),
      out(options);
  const auto way = [=](const char* name, auto kernel, int blocks, int threads) {
    return Kernel{name, [=] { out.clear(); },
                  [=] { kernel<<<blocks, threads>>>(stocks.device(), out.device()); },
                  [=] {
                    const std::vector<float> got = out.read();
                    for (int i = 0; i < options; ++i) {
                      std::vector<double> values;
                      for (int k = 0; k < leaves; ++k) values.push_back(leaf(stocks[i], k));
                      for (int left = leaves - 1; left > 0; --left) {
                        for (int k = 0; k < left; ++k) {
                          values[k] =
                              double(up_part) * values[k + 1] + double(down_part) * values[k];
                        }
                      }
                      if (!near(got[i], values[0], 1e-3)) return false;
                    }
                    return true;
                  }};
  };
  return {way("option a block", option_a_block, options, leaves),
          way("option a warp", option_a_warp, options / 4, 128),
          way("option a thread", option_a_thread, options / 32, 32)};
}

Kernels numbers_to_one() {
  const Array<std::uint64_t> in(
      numbers, [](std::uint32_t i) { return std::uint64_t{mixed(i) % 1000000} + 2; });
  std::vector<int> lengths(numbers), order_of(numbers);
  for (int i = 0; i < numbers; ++i) lengths[i] = steps_to_one(in[i]);
  std::iota(order_of.begin(), order_of.end(), 0);
  std::stable_sort(order_of.begin(), order_of.end(),
                   [&](int a, int b) { return lengths[a] > lengths[b]; });
  const Array<int> list(order_of), out(numbers), next(1);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name,
                  [=] {
                    out.clear();
                    next.clear();
                  },
                  launch, [=] { return out.read() == lengths; }};
  };
  return {way("number a thread",
              [=] { number_a_thread<<<numbers / 128, 128>>>(in.device(), out.device()); }),
          way("next number a lane",
              [=] { next_number_a_lane<<<264, 128>>>(in.device(), out.device(), next.device()); }),
          way("in order of steps", [=] {
            number_a_thread_of_list<<<numbers / 128, 128>>>(in.device(), list.device(),
                                                            out.device());
          })};
}

Kernels small_recurrence() {
  const Array<float> matrix(order * order,
                            [](std::uint32_t i) { return (fraction(i) - 0.4F) * (4.0F / order); }),
      b(order, [](std::uint32_t i) { return fraction(~i); }), one(order), other(order);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name,
                  [=] {
                    one.clear();
                    other.clear();
                  },
                  launch,
                  [=] {
                    std::vector<double> x(order);
                    for (int step = 0; step < times; ++step) {
                      std::vector<double> next(order);
                      for (int r = 0; r < order; ++r) {
                        next[r] = b[r];
                        for (int k = 0; k < order; ++k) next[r] += matrix[r * order + k] * x[k];
                      }
                      x = next;
                    }
                    const std::vector<float> got = one.read();
                    return sampled(order, [&](std::size_t i) { return near(got[i], x[i], 1e-3); });
                  }};
  };
  return {way("one block, matrix in memory",
              [=] { one_block<false><<<1, 512>>>(matrix.device(), b.device(), one.device()); }),
          way("one block, matrix in shared memory",
              [=] { one_block<true><<<1, 512>>>(matrix.device(), b.device(), one.device()); }),
          way("a launch a step", [=] {
            for (int step = 0; step < times; ++step) {
              const bool odd = step % 2 == 1;
              one_step<<<order / 4, 128>>>(matrix.device(), b.device(),
                                           (odd ? other : one).device(),
                                           (odd ? one : other).device());
            }
          })};
}

}  // namespace ladder::walks

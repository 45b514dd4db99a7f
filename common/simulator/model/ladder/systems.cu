// Equations: many tridiagonal systems, by Thomas's elimination a thread and by cyclic reduction a
// block; sweeps over red and black cells in one array and in two; and Householder's reflections of
// small matrices, one a thread and eight lanes each.
#include "ladder.h"

namespace ladder::systems {

constexpr int systems = 16384, equations = 64;

struct Rows {
  const float *below, *at, *above, *right;
};

/// Value k of system s: all systems in turn, or one after another.
template <bool in_turn>
__host__ __device__ int place(int s, int k) {
  return in_turn ? k * systems + s : s * equations + k;
}

template <bool in_turn>
__global__ void eliminate(Rows rows, float* scratch, float* x) {
  const int s = blockIdx.x * 64 + threadIdx.x;
  float part = 0, value = 0;
  for (int k = 0; k < equations; ++k) {
    const int i = place<in_turn>(s, k);
    const float factor = 1 / (rows.at[i] - rows.below[i] * part);
    value = (rows.right[i] - rows.below[i] * value) * factor;
    part = rows.above[i] * factor;
    scratch[i] = part;
    x[i] = value;
  }
  for (int k = equations - 2; k >= 0; --k) {
    const int i = place<in_turn>(s, k);
    value = x[i] - scratch[i] * value;
    x[i] = value;
  }
}

/// Each equation loses its neighbours to those twice as far away, step by step.
__global__ void reduce_cyclically(Rows rows, float* x) {
  __shared__ float4 all[2][equations];
  const int k = threadIdx.x, i = blockIdx.x * equations + k;
  float4 mine = {rows.below[i], rows.at[i], rows.above[i], rows.right[i]};
  int from = 0;
  for (int apart = 1; apart < equations; apart *= 2, from ^= 1) {
    all[from][k] = mine;
    __syncthreads();
    const float4 none = {0, 1, 0, 0};
    const float4 low = k >= apart ? all[from][k - apart] : none;
    const float4 high = k + apart < equations ? all[from][k + apart] : none;
    const float a = -mine.x / low.y, c = -mine.z / high.y;
    mine = {a * low.x, mine.y + a * low.z + c * high.x, c * high.z,
            mine.w + a * low.w + c * high.w};
  }
  x[i] = mine.w / mine.y;
}

constexpr int side = 2048, half_side = side / 2;

__host__ __device__ float relaxed(float at, float n, float s, float w, float e) {
  return at + 1.5F * (0.25F * (n + s + w + e) - at);
}

/// Cells of one colour, those at the border stay. Red is 0: x + y is even.
__global__ void colour_in_one(float* cells, int colour) {
  const int y = blockIdx.y * 8 + threadIdx.y;
  const int x = 2 * (blockIdx.x * 32 + threadIdx.x) + ((y + colour) & 1);
  if (x == 0 || y == 0 || x == side - 1 || y == side - 1) return;
  float* at = cells + y * side + x;
  *at = relaxed(*at, at[-side], at[side], at[-1], at[1]);
}

/// `mine` has the cells of the colour of each row side by side, `other` those of the other.
__global__ void colour_in_two(float* mine, const float* other, int colour) {
  const int y = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 32 + threadIdx.x;
  const int odd = (y + colour) & 1, x = 2 * j + odd;
  if (x == 0 || y == 0 || x == side - 1 || y == side - 1) return;
  const int at = y * half_side + j;
  mine[at] = relaxed(mine[at], other[at - half_side], other[at + half_side], other[at + odd - 1],
                     other[at + odd]);
}

constexpr int matrices = 65536, order = 8;

/// The reflection that makes `column` zero below row k: v in place of the column from k on, and the
/// factor 2 / (v v), or 0; the diagonal's value.
__device__ float reflection(float (&column)[order], int k, float& factor) {
  float below = 0;
#pragma unroll
  for (int r = 0; r < order; ++r) below += r > k ? column[r] * column[r] : 0;
  float at = 0;
#pragma unroll
  for (int r = 0; r < order; ++r) at = r == k ? column[r] : at;
  const float length = sqrtf(at * at + below), value = at > 0 ? -length : length;
#pragma unroll
  for (int r = 0; r < order; ++r) {
    if (r == k) column[r] = at - value;
  }
  const float square = (at - value) * (at - value) + below;
  factor = square > 0 ? 2 / square : 0;
  return value;
}

__device__ void reflect(float (&column)[order], const float (&v)[order], float factor, int k) {
  float sum = 0;
#pragma unroll
  for (int r = 0; r < order; ++r) sum += r >= k ? column[r] * v[r] : 0;
  sum *= factor;
#pragma unroll
  for (int r = 0; r < order; ++r) column[r] -= r >= k ? sum * v[r] : 0;
}

/// Columns of a matrix lie one after the other. What is left of each is its triangle.
__global__ void matrix_a_thread(const float* in, float* out) {
  const int first = (blockIdx.x * 64 + threadIdx.x) * order * order;
  float all[order][order];
#pragma unroll
  for (int c = 0; c < order; ++c) {
#pragma unroll
    for (int r = 0; r < order; ++r) all[c][r] = in[first + c * order + r];
  }
#pragma unroll
  for (int k = 0; k < order; ++k) {
    float factor;
    const float value = reflection(all[k], k, factor);
#pragma unroll
    for (int c = k + 1; c < order; ++c) reflect(all[c], all[k], factor, k);
#pragma unroll
    for (int r = 0; r < order; ++r) {
      out[first + k * order + r] = r < k ? all[k][r] : r == k ? value : 0;
    }
  }
}

/// A lane has a column.
__global__ void lanes_a_matrix(const float* in, float* out) {
  const int i = blockIdx.x * 128 + threadIdx.x, mine = threadIdx.x % order;
  float column[order];
#pragma unroll
  for (int r = 0; r < order; ++r) column[r] = in[i * order + r];
#pragma unroll
  for (int k = 0; k < order; ++k) {
    float v[order], factor;
#pragma unroll
    for (int r = 0; r < order; ++r) v[r] = __shfl_sync(0xffffffffU, column[r], k, order);
    const float value = reflection(v, k, factor);
    if (mine > k) {
      reflect(column, v, factor, k);
    } else if (mine == k) {
#pragma unroll
      for (int r = 0; r < order; ++r) column[r] = r < k ? column[r] : r == k ? value : 0;
    }
  }
#pragma unroll
  for (int r = 0; r < order; ++r) out[i * order + r] = column[r];
}

Kernels tridiagonal() {
  constexpr int n = systems * equations;
  // All zero beyond a system's ends.
  const auto value = [](int which, int s, int k) -> float {
    const float drawn = fraction(((which * systems) + s) * equations + k);
    if (which == 0) return k == 0 ? 0 : -drawn;
    if (which == 1) return 2.5F + drawn;
    if (which == 2) return k == equations - 1 ? 0 : -drawn;
    return drawn;
  };
  const auto array = [=](int which, bool in_turn) {
    return Array<float>(n, [=](std::uint32_t i) {
      return in_turn ? value(which, int(i % systems), int(i / systems))
                     : value(which, int(i / equations), int(i % equations));
    });
  };
  std::vector<Array<float>> all;
  for (const bool in_turn : {true, false}) {
    for (int which = 0; which < 4; ++which) all.push_back(array(which, in_turn));
  }
  const Array<float> x(n), scratch(n);
  const auto rows = [=](int first) {
    return Rows{all[first].device(), all[first + 1].device(), all[first + 2].device(),
                all[first + 3].device()};
  };
  const auto way = [=](const char* name, bool in_turn, std::function<void()> launch) {
    return Kernel{name, [=] { x.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = x.read();
                    return sampled(n, [&](std::size_t i) {
                      const int s = int(i / equations), k = int(i % equations);
                      double sum = 0;
                      for (int d = -1; d <= 1; ++d) {
                        if (k + d < 0 || k + d >= equations) continue;
                        const int at = in_turn ? place<true>(s, k + d) : place<false>(s, k + d);
                        sum += double(value(d + 1, s, k)) * got[at];
                      }
                      return std::abs(sum - value(3, s, k)) < 1e-4;
                    });
                  }};
  };
  return {
      way("eliminated, systems in turn", true,
          [=] { eliminate<true><<<systems / 64, 64>>>(rows(0), scratch.device(), x.device()); }),
      way("eliminated, one after another", false,
          [=] { eliminate<false><<<systems / 64, 64>>>(rows(4), scratch.device(), x.device()); }),
      way("reduced cyclically", false,
          [=] { reduce_cyclically<<<systems, equations>>>(rows(4), x.device()); })};
}

Kernels red_and_black() {
  constexpr int sweeps = 2;
  const Array<float> first(side * side, fraction), cells(side * side);
  const auto of_colour = [=](int colour) {
    return Array<float>(side * half_side, [=](std::uint32_t i) {
      const int y = int(i / half_side);
      return first[y * side + 2 * (i % half_side) + ((y + colour) & 1)];
    });
  };
  const Array<float> red(of_colour(0)), black(of_colour(1)), reds(red.size()), blacks(red.size());
  const auto copy = [](const Array<float>& from, const Array<float>& to) {
    check(cudaMemcpy(to.device(), from.device(), from.size() * sizeof(float),
                     cudaMemcpyDeviceToDevice));
  };
  const auto right = [=](const std::vector<float>& got) {
    std::vector<float> all(side * side);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = first[i];
    for (int step = 0; step < 2 * sweeps; ++step) {
      for (int y = 1; y < side - 1; ++y) {
        for (int x = 1; x < side - 1; ++x) {
          float* at = &all[y * side + x];
          if (((x + y + step) & 1) == 0) *at = relaxed(*at, at[-side], at[side], at[-1], at[1]);
        }
      }
    }
    return sampled(all.size(), [&](std::size_t i) { return std::abs(got[i] - all[i]) < 1e-4F; });
  };
  const dim3 grid(half_side / 32, side / 8), block(32, 8);
  return {{"in one array", [=] { copy(first, cells); },
           [=] {
             for (int step = 0; step < 2 * sweeps; ++step) {
               colour_in_one<<<grid, block>>>(cells.device(), step % 2);
             }
           },
           [=] { return right(cells.read()); }},
          {"an array a colour",
           [=] {
             copy(red, reds);
             copy(black, blacks);
           },
           [=] {
             for (int step = 0; step < 2 * sweeps; ++step) {
               const Array<float>&mine = step % 2 == 0 ? reds : blacks,
                     &other = step % 2 == 0 ? blacks : reds;
               colour_in_two<<<grid, block>>>(mine.device(), other.device(), step % 2);
             }
           },
           [=] {
             const std::vector<float> r = reds.read(), b = blacks.read();
             std::vector<float> got(side * side);
             for (int i = 0; i < side * side; ++i) {
               const int x = i % side, y = i / side;
               got[i] = ((x + y) % 2 == 0 ? r : b)[y * half_side + x / 2];
             }
             return right(got);
           }}};
}

Kernels reflections() {
  constexpr int size = order * order, n = matrices * size;
  const Array<float> in(n, [](std::uint32_t i) { return fraction(i) - 0.3F; }), out(n);
  const auto way = [=](const char* name, auto kernel, int lanes, int threads) {
    return Kernel{
        name, [=] { out.clear(); },
        [=] { kernel<<<matrices * lanes / threads, threads>>>(in.device(), out.device()); },
        [=] {
          const std::vector<float> got = out.read();
          // Reflections change no angle between columns.
          return sampled(n, [&](std::size_t i) {
            const std::size_t m = i / size * size, a = m + i % size / order * order,
                              b = m + i % order * order;
            double wanted = 0, found = 0;
            for (int r = 0; r < order; ++r) {
              wanted += double(in[a + r]) * in[b + r];
              found += double(got[a + r]) * got[b + r];
            }
            const bool lower = i % order > i % size / order;
            return std::abs(found - wanted) < 1e-4 && (!lower || got[i] == 0);
          });
        }};
  };
  return {way("matrix a thread", matrix_a_thread, 1, 64),
          way("column a lane", lanes_a_matrix, order, 128)};
}

}  // namespace ladder::systems

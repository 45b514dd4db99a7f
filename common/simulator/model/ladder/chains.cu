// Tables that are filled step by step, a launch a step: alignment of two sequences by diagonals, LU
// by blocks, shortest paths between all, and cheapest ways through a grid row by row.
#include <algorithm>

#include "ladder.h"

namespace ladder::chains {

constexpr int length = 1024, penalty = 10, pitch = length + 1;

__host__ __device__ int score(int i, int j) { return int(mixed(i * 4096 + j) % 21) - 10; }

/// Tiles of diagonal `diagonal` of the table; a thread a column of a tile.
template <int tile>
__global__ void aligned(int* table, int diagonal, int first) {
  __shared__ int part[tile + 1][tile + 1];
  const int bx = first + blockIdx.x, by = diagonal - bx, x = threadIdx.x;
  int* const corner = table + by * tile * pitch + bx * tile;
  part[0][x + 1] = corner[x + 1];
  part[x + 1][0] = corner[(x + 1) * pitch];
  if (x == 0) part[0][0] = corner[0];
  __syncthreads();
  for (int step = 0; step < 2 * tile - 1; ++step) {
    const int y = step - x;
    if (y >= 0 && y < tile) {
      const int match = part[y][x] + score(by * tile + y, bx * tile + x);
      part[y + 1][x + 1] = max(match, max(part[y + 1][x], part[y][x + 1]) - penalty);
    }
    __syncthreads();
  }
  for (int y = 0; y < tile; ++y) corner[(y + 1) * pitch + x + 1] = part[y + 1][x + 1];
}

template <int tile>
void align(const Array<int>& table) {
  constexpr int tiles = length / tile;
  for (int diagonal = 0; diagonal < 2 * tiles - 1; ++diagonal) {
    const int first = std::max(diagonal - tiles + 1, 0), last = std::min(diagonal, tiles - 1);
    aligned<tile><<<last - first + 1, tile>>>(table.device(), diagonal, first);
  }
}

constexpr int side = 512, block = 16;

__global__ void lu_corner(float* m, int at) {
  __shared__ float part[block][block];
  const int x = threadIdx.x;
  for (int y = 0; y < block; ++y) part[y][x] = m[(at + y) * side + at + x];
  __syncthreads();
  for (int k = 0; k < block - 1; ++k) {
    if (x > k) {
      part[x][k] /= part[k][k];
      for (int j = k + 1; j < block; ++j) part[x][j] -= part[x][k] * part[k][j];
    }
    __syncthreads();
  }
  for (int y = 0; y < block; ++y) m[(at + y) * side + at + x] = part[y][x];
}

/// Blocks right of the corner by the first half of the threads, below it by the second.
__global__ void lu_edges(float* m, int at) {
  __shared__ float corner[block][block], right[block][block], below[block][block + 1];
  const int x = threadIdx.x % block, far = at + (blockIdx.x + 1) * block;
  const bool first = threadIdx.x < block;
  for (int y = 0; y < block; ++y) {
    if (first) {
      corner[y][x] = m[(at + y) * side + at + x];
      right[y][x] = m[(at + y) * side + far + x];
    } else {
      below[y][x] = m[(far + y) * side + at + x];
    }
  }
  __syncthreads();
  if (first) {
    for (int y = 1; y < block; ++y) {
      for (int k = 0; k < y; ++k) right[y][x] -= corner[y][k] * right[k][x];
    }
  } else {
    for (int k = 0; k < block; ++k) {
      for (int j = 0; j < k; ++j) below[x][k] -= below[x][j] * corner[j][k];
      below[x][k] /= corner[k][k];
    }
  }
  __syncthreads();
  for (int y = 0; y < block; ++y) {
    if (first) {
      m[(at + y) * side + far + x] = right[y][x];
    } else {
      m[(far + y) * side + at + x] = below[y][x];
    }
  }
}

__global__ void lu_inside(float* m, int at) {
  __shared__ float left[block][block], top[block][block];
  const int x = at + (blockIdx.x + 1) * block, y = at + (blockIdx.y + 1) * block;
  left[threadIdx.y][threadIdx.x] = m[(y + threadIdx.y) * side + at + threadIdx.x];
  top[threadIdx.y][threadIdx.x] = m[(at + threadIdx.y) * side + x + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < block; ++k) sum += left[threadIdx.y][k] * top[k][threadIdx.x];
  m[(y + threadIdx.y) * side + x + threadIdx.x] -= sum;
}

__global__ void eliminate(float* m, int k) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x <= k || y <= k) return;
  m[y * side + x] -= m[y * side + k] / m[k * side + k] * m[k * side + x];
}

constexpr int towns = 256;

__global__ void through(int* far, int k) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  const int around = far[y * towns + k] + far[k * towns + x];
  if (around < far[y * towns + x]) far[y * towns + x] = around;
}

constexpr int wide = 1 << 18, deep = 64, halo = 8, threads = 256;

__host__ __device__ int cost(int y, int x) { return int(mixed(y * wide + x) % 10); }

__global__ void next_row(const int* costs, const int* before, int* after, int y) {
  const int x = blockIdx.x * threads + threadIdx.x;
  const int least = min(before[x], min(before[max(x - 1, 0)], before[min(x + 1, wide - 1)]));
  after[x] = least + costs[y * wide + x];
}

/// `halo` rows at once; blocks overlap by what they cannot know at their edges.
__global__ void next_rows(const int* costs, const int* before, int* after, int from) {
  __shared__ int row[2][threads];
  const int t = threadIdx.x, x = blockIdx.x * (threads - 2 * halo) + t - halo;
  const bool inside = x >= 0 && x < wide;
  row[0][t] = inside ? before[x] : 1 << 28;
  for (int k = 0; k < halo; ++k) {
    __syncthreads();
    const int* const old = row[k % 2];
    const int least = min(old[t], min(old[max(t - 1, 0)], old[min(t + 1, threads - 1)]));
    row[1 - k % 2][t] = inside ? least + costs[(from + k) * wide + x] : 1 << 28;
  }
  if (inside && t >= halo && t < threads - halo) after[x] = row[halo % 2][t];
}

Kernels alignment() {
  const Array<int> table(pitch * pitch), start(pitch * pitch, [](std::uint32_t k) {
    const int y = int(k) / pitch, x = int(k) % pitch;
    return y == 0 ? -penalty * x : x == 0 ? -penalty * y : 0;
  });
  const auto way = [=](const char* name, auto launch) {
    return Kernel{name,
                  [=] {
                    check(cudaMemcpy(table.device(), start.device(), table.size() * 4,
                                     cudaMemcpyDeviceToDevice));
                  },
                  [=] { launch(table); },
                  [=] {
                    std::vector<int> wanted(table.size());
                    for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] = start[k];
                    for (int y = 0; y < length; ++y) {
                      for (int x = 0; x < length; ++x) {
                        const int* at = &wanted[y * pitch + x];
                        wanted[(y + 1) * pitch + x + 1] =
                            std::max(at[0] + score(y, x), std::max(at[1], at[pitch]) - penalty);
                      }
                    }
                    return table.read() == wanted;
                  }};
  };
  return {way("tiles of 16", align<16>), way("tiles of 32", align<32>)};
}

Kernels lu_steps() {
  const Array<float> start(
      side * side,
      [](std::uint32_t k) { return fraction(k) + (k / side == k % side ? float(side) : 0.0F); }),
      m(side * side);
  const auto product = [=](std::size_t k, const std::vector<float>& got, bool divided) {
    const int y = int(k) / side, x = int(k) % side;
    double sum = 0;
    for (int j = 0; j <= std::min(x, y); ++j) {
      const double left = j == y    ? 1.0
                          : divided ? double(got[y * side + j])
                                    : double(got[y * side + j]) / got[j * side + j];
      sum += left * got[j * side + x];
    }
    return sum;
  };
  const auto way = [=](const char* name, bool divided, std::function<void()> launch) {
    return Kernel{
        name,
        [=] {
          check(cudaMemcpy(m.device(), start.device(), m.size() * 4, cudaMemcpyDeviceToDevice));
        },
        launch,
        [=] {
          const std::vector<float> got = m.read();
          return sampled(m.size(), [&](std::size_t k) {
            return std::abs(product(k, got, divided) - start[k]) < 1e-3 * side;
          });
        }};
  };
  return {way("blocks of 16", true,
              [=] {
                for (int at = 0; at < side; at += block) {
                  const unsigned rest = side / block - at / block - 1;
                  lu_corner<<<1, block>>>(m.device(), at);
                  if (rest == 0) break;
                  lu_edges<<<rest, 2 * block>>>(m.device(), at);
                  lu_inside<<<dim3(rest, rest), dim3(block, block)>>>(m.device(), at);
                }
              }),
          way("row by row", false, [=] {
            for (int k = 0; k < side - 1; ++k) {
              eliminate<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(m.device(), k);
            }
          })};
}

Kernels shortest_paths() {
  const Array<int> start(
      towns * towns,
      [](std::uint32_t k) { return k / towns == k % towns ? 0 : int(mixed(k) % 1000) + 1; }),
      far(towns * towns);
  return {
      {"a launch a town",
       [=] {
         check(cudaMemcpy(far.device(), start.device(), far.size() * 4, cudaMemcpyDeviceToDevice));
       },
       [=] {
         for (int k = 0; k < towns; ++k) {
           through<<<dim3(towns / 16, towns / 16), dim3(16, 16)>>>(far.device(), k);
         }
       },
       [=] {
         std::vector<int> wanted(far.size());
         for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] = start[k];
         for (int k = 0; k < towns; ++k) {
           for (int y = 0; y < towns; ++y) {
             for (int x = 0; x < towns; ++x) {
               wanted[y * towns + x] =
                   std::min(wanted[y * towns + x], wanted[y * towns + k] + wanted[k * towns + x]);
             }
           }
         }
         return far.read() == wanted;
       }}};
}

Kernels cheapest_ways() {
  const Array<int> costs(wide * deep, [](std::uint32_t k) { return cost(k / wide, k % wide); }),
      one(wide), other(wide);
  const auto way = [=](const char* name, int rows, std::function<void(int*, int*, int)> step) {
    return Kernel{name,
                  [=] {
                    one.clear();
                    other.clear();
                  },
                  [=] {
                    for (int y = 0; y < deep; y += rows) {
                      const bool odd = y / rows % 2 == 1;
                      step((odd ? other : one).device(), (odd ? one : other).device(), y);
                    }
                  },
                  [=] {
                    std::vector<int> row(wide), next(wide);
                    for (int y = 0; y < deep; ++y) {
                      for (int x = 0; x < wide; ++x) {
                        next[x] = std::min(row[x], std::min(row[std::max(x - 1, 0)],
                                                            row[std::min(x + 1, wide - 1)])) +
                                  costs[y * wide + x];
                      }
                      std::swap(row, next);
                    }
                    return one.read() == row;
                  }};
  };
  return {way("a row a launch", 1,
              [=](int* before, int* after, int y) {
                next_row<<<wide / threads, threads>>>(costs.device(), before, after, y);
              }),
          way("eight rows a launch", halo, [=](int* before, int* after, int y) {
            constexpr int kept = threads - 2 * halo;
            next_rows<<<(wide + kept - 1) / kept, threads>>>(costs.device(), before, after, y);
          })};
}

}  // namespace ladder::chains

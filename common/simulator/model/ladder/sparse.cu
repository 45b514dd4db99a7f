// A sparse matrix (CSR) times a vector: a thread or a warp for a row, where rows are alike and where
// few are long; and by columns of equal length (ELL).
#include <algorithm>

#include "ladder.h"

namespace ladder::sparse {

constexpr int rows = 1 << 18, columns = 1 << 18, each = 24;
constexpr int threads = 256;

__global__ void thread_a_row(const int* begins, const int* places, const float* values,
                             const float* x, float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = begins[row]; k < begins[row + 1]; ++k) sum += values[k] * x[places[k]];
  y[row] = sum;
}

__global__ void warp_a_row(const int* begins, const int* places, const float* values,
                           const float* x, float* y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int k = begins[row] + lane; k < begins[row + 1]; k += 32) sum += values[k] * x[places[k]];
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

/// Four rows a warp.
__global__ void lanes_a_row(const int* begins, const int* places, const float* values,
                            const float* x, float* y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
  float sum = 0;
  for (int k = begins[row] + lane; k < begins[row + 1]; k += 8) sum += values[k] * x[places[k]];
  for (int step = 4; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, step);
  if (lane == 0) y[row] = sum;
}

__global__ void by_columns(const int* places, const float* values, const float* x, float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < each; ++k) sum += values[k * rows + row] * x[places[k * rows + row]];
  y[row] = sum;
}

/// Most rows have 16 elements, each 64th has some 500.
int skewed(int row) { return row % 64 == 17 ? 400 + int(mixed(row) % 256) : 16; }

/// Near the diagonal mostly, as in matrices of meshes, and here and there far off.
int column_of(int row, std::uint32_t k) {
  const std::uint32_t drawn = mixed(k);
  if (drawn % 8 == 0) return int(mixed(drawn) % columns);
  return std::clamp(row + int(drawn % 2048) - 1024, 0, columns - 1);
}

struct Matrix {
  std::vector<int> begin{0}, place;
  explicit Matrix(int (*length)(int)) {
    for (int row = 0; row < rows; ++row) {
      for (int k = length(row); k > 0; --k) {
        place.push_back(column_of(row, std::uint32_t(place.size())));
      }
      begin.push_back(int(place.size()));
    }
  }
};

Kernels sparse() {
  const Array<float> x(columns, fraction), y(rows);
  Kernels all;
  for (const bool even : {true, false}) {
    const Matrix matrix(even ? [](int) { return each; } : skewed);
    const Array<int> begins(matrix.begin), places(matrix.place);
    const Array<float> values(matrix.place.size(), [](std::uint32_t i) { return fraction(~i); });
    const auto right = [=] {
      const std::vector<float> got = y.read();
      return sampled(rows, [&](std::size_t row) {
        double sum = 0;
        for (int k = begins[row]; k < begins[row + 1]; ++k) sum += double(values[k]) * x[places[k]];
        return near(got[row], sum);
      });
    };
    const auto way = [&](const std::string& name, int lanes, auto kernel) {
      all.push_back({name + (even ? ", rows alike" : ", few long rows"), [=] { y.clear(); },
                     [=] {
                       kernel<<<rows / threads * lanes, threads>>>(begins.device(), places.device(),
                                                                   values.device(), x.device(),
                                                                   y.device());
                     },
                     right});
    };
    way("thread a row", 1, thread_a_row);
    way("8 lanes a row", 8, lanes_a_row);
    way("warp a row", 32, warp_a_row);
    if (!even) continue;
    const auto turned = [&](const auto& csr) {
      return [csr](std::uint32_t i) { return csr[std::size_t(i % rows) * each + i / rows]; };
    };
    const Array<int> columns_first(places.size(), turned(places));
    const Array<float> turned_values(values.size(), turned(values));
    all.push_back({"columns of equal length", [=] { y.clear(); },
                   [=] {
                     by_columns<<<rows / threads, threads>>>(
                         columns_first.device(), turned_values.device(), x.device(), y.device());
                   },
                   right});
  }
  return all;
}

}  // namespace ladder::sparse

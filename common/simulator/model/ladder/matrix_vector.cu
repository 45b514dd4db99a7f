// A matrix of floats times a vector: a thread, a warp or a block for a row, a thread for a column;
// and the same for few rows that are long.
#include "ladder.h"

namespace ladder::matrix_vector {

constexpr int threads = 256;

__global__ void thread_a_row(const float* a, const float* x, float* y, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < columns; ++k) sum += a[size_t(row) * columns + k] * x[k];
  y[row] = sum;
}

__global__ void warp_a_row(const float* a, const float* x, float* y, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float sum = 0;
  for (int k = threadIdx.x % 32; k < columns; k += 32) sum += a[size_t(row) * columns + k] * x[k];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}

__global__ void warp_a_row_16_bytes(const float4* a, const float4* x, float* y, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, steps = columns / 4;
  float sum = 0;
  for (int k = threadIdx.x % 32; k < steps; k += 32) {
    const float4 v = a[size_t(row) * steps + k], w = x[k];
    sum += v.x * w.x + v.y * w.y + v.z * w.z + v.w * w.w;
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}

__global__ void block_a_row(const float* a, const float* x, float* y, int columns) {
  __shared__ float of_warps[32];
  float sum = 0;
  for (int k = threadIdx.x; k < columns; k += blockDim.x) {
    sum += a[size_t(blockIdx.x) * columns + k] * x[k];
  }
  sum = block_sum(sum, of_warps);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

/// Each block a piece of a row; y is zero before.
__global__ void pieces_of_rows(const float* a, const float* x, float* y, int columns) {
  __shared__ float of_warps[32];
  const int piece = columns / gridDim.y, begin = blockIdx.y * piece;
  float sum = 0;
  for (int k = begin + threadIdx.x; k < begin + piece; k += blockDim.x) {
    sum += a[size_t(blockIdx.x) * columns + k] * x[k];
  }
  sum = block_sum(sum, of_warps);
  if (threadIdx.x == 0) atomicAdd(&y[blockIdx.x], sum);
}

/// y = x times the matrix: a thread goes down a piece of a column.
__global__ void thread_a_column(const float* a, const float* x, float* y, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int piece = rows / gridDim.y, begin = blockIdx.y * piece;
  float sum = 0;
  for (int k = begin; k < begin + piece; ++k) sum += a[size_t(k) * columns + column] * x[k];
  atomicAdd(&y[column], sum);
}

struct Task {
  int rows, columns;
  Array<float> a, x, y;
  Task(int all_rows, int all_columns)
      : rows(all_rows),
        columns(all_columns),
        a(size_t(all_rows) * all_columns, fraction),
        x(all_columns > all_rows ? all_columns : all_rows,
          [](std::uint32_t i) { return fraction(~i); }),
        y(all_columns > all_rows ? all_columns : all_rows) {}

  Kernel way(const char* name, std::function<void()> launch, bool columns_wanted = false) const {
    const Task task = *this;
    return {name, [task] { task.y.clear(); }, launch,
            [task, columns_wanted] {
              const std::vector<float> got = task.y.read();
              const int n = columns_wanted ? task.columns : task.rows;
              for (int i = 0; i < n; i += n / 16) {
                double sum = 0;
                const int terms = columns_wanted ? task.rows : task.columns;
                for (int k = 0; k < terms; ++k) {
                  const size_t at =
                      columns_wanted ? size_t(k) * task.columns + i : size_t(i) * task.columns + k;
                  sum += double(task.a[at]) * task.x[k];
                }
                if (!near(got[i], sum, 1e-3)) return false;
              }
              return true;
            }};
  }
  Kernel row_way(const char* name, void (*kernel)(const float*, const float*, float*, int),
                 dim3 grid, int block = threads) const {
    const Task t = *this;
    return way(name, [=] {
      kernel<<<grid, block>>>(t.a.device(), t.x.device(), t.y.device(), t.columns);
    });
  }
  Kernel wide_way(const char* name) const {
    const Task t = *this;
    return way(name, [t] {
      warp_a_row_16_bytes<<<t.rows * 32 / threads, threads>>>(
          reinterpret_cast<const float4*>(t.a.device()),
          reinterpret_cast<const float4*>(t.x.device()), t.y.device(), t.columns);
    });
  }
};

Kernels matrix_vector() {
  const Task t(8192, 4096);
  return {t.row_way("thread a row", thread_a_row, t.rows / 64, 64),
          t.row_way("warp a row", warp_a_row, t.rows * 32 / threads),
          t.wide_way("warp a row, 16 bytes"), t.row_way("block a row", block_a_row, t.rows),
          t.way(
              "thread a column",
              [t] {
                const dim3 grid(t.columns / threads, 64);
                thread_a_column<<<grid, threads>>>(t.a.device(), t.x.device(), t.y.device(), t.rows,
                                                   t.columns);
              },
              true)};
}

Kernels long_rows() {
  const Task t(2048, 32768);
  return {t.row_way("warp a row", warp_a_row, t.rows * 32 / threads),
          t.wide_way("warp a row, 16 bytes"), t.row_way("block a row", block_a_row, t.rows),
          t.row_way("pieces of rows", pieces_of_rows, dim3(t.rows, 4))};
}

}  // namespace ladder::matrix_vector

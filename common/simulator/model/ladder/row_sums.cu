// Running sums along the rows of a matrix: a thread, a warp or a block for a row; and down its
// columns.
#include "ladder.h"

namespace ladder::row_sums {

constexpr int rows = 16384, columns = 1024, threads = 256;

__global__ void thread_a_row(const int* in, int* out) {
  const size_t begin = size_t(blockIdx.x * blockDim.x + threadIdx.x) * columns;
  int sum = 0;
  for (int k = 0; k < columns; ++k) out[begin + k] = sum += in[begin + k];
}

__device__ int scanned(int value) {
  for (int step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync(0xffffffffU, value, step);
    if (threadIdx.x % 32 >= step) value += before;
  }
  return value;
}

__global__ void warp_a_row(const int* in, int* out) {
  const size_t begin = size_t(blockIdx.x * threads + threadIdx.x) / 32 * columns;
  int before = 0;
  for (int k = threadIdx.x % 32; k < columns; k += 32) {
    const int sum = before + scanned(in[begin + k]);
    out[begin + k] = sum;
    before = __shfl_sync(0xffffffffU, sum, 31);
  }
}

/// As Hillis and Steele have it, a thread an element.
__global__ void block_steps(const int* in, int* out) {
  __shared__ int all[columns];
  const size_t at = size_t(blockIdx.x) * columns + threadIdx.x;
  all[threadIdx.x] = in[at];
  for (int step = 1; step < columns; step *= 2) {
    __syncthreads();
    const int before = threadIdx.x >= step ? all[threadIdx.x - step] : 0;
    __syncthreads();
    all[threadIdx.x] += before;
  }
  out[at] = all[threadIdx.x];
}

__global__ void block_shuffles(const int4* in, int4* out) {
  __shared__ int of_warps[threads / 32];
  const size_t at = size_t(blockIdx.x) * threads + threadIdx.x;
  int4 v = in[at];
  v.y += v.x;
  v.z += v.y;
  v.w += v.z;
  const int mine = scanned(v.w), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 31) of_warps[warp] = mine;
  __syncthreads();
  int before = mine - v.w;
  for (int k = 0; k < warp; ++k) before += of_warps[k];
  out[at] = {v.x + before, v.y + before, v.z + before, v.w + before};
}

/// A thread goes down a column.
__global__ void thread_a_column(const int* in, int* out) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < columns; ++k) {  // as many rows as columns: the matrix turned
    const size_t at = size_t(k) * rows + column;
    out[at] = sum += in[at];
  }
}

Kernels row_sums() {
  const Array<int> in(size_t(rows) * columns, [](std::uint32_t i) { return int(mixed(i) % 1000); }),
      out(size_t(rows) * columns);
  const auto way = [=](const char* name, std::function<void()> launch, bool down) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<int> got = out.read();
                    const size_t next = down ? rows : 1, line = down ? 1 : columns;
                    return sampled(rows, [&](std::size_t row) {
                      int sum = 0;
                      for (size_t k = 0; k < columns; ++k) {
                        sum += in[row * line + k * next];
                        if (got[row * line + k * next] != sum) return false;
                      }
                      return true;
                    });
                  }};
  };
  const auto wide = [](const Array<int>& all) { return reinterpret_cast<int4*>(all.device()); };
  return {
      way(
          "thread a row", [=] { thread_a_row<<<rows / 64, 64>>>(in.device(), out.device()); },
          false),
      way(
          "warp a row",
          [=] { warp_a_row<<<rows * 32 / threads, threads>>>(in.device(), out.device()); }, false),
      way(
          "block a row, in steps",
          [=] { block_steps<<<rows, columns>>>(in.device(), out.device()); }, false),
      way(
          "block a row, shuffles", [=] { block_shuffles<<<rows, threads>>>(wide(in), wide(out)); },
          false),
      way(
          "thread a column", [=] { thread_a_column<<<rows / 64, 64>>>(in.device(), out.device()); },
          true)};
}

}  // namespace ladder::row_sums

// Stage 5, warp shuffles: rows of 128 elements, scanned in registers.
//
// The three phases of stage 4, with other tools. A warp takes four rows of 128 elements, 16 bytes a
// lane and row: all four loads are under way together. It scans a row without shared memory and
// without a barrier: each lane adds up its four, five shuffles scan the lanes' sums.
//
//     lane          0                1                2          …
//     elements      0   1   2   3    4   5   6   7    8   9  …
//     lane's sum    0..3             4..7             8..11
//     before it     0                0..3             0..7          after five shuffles
//
// Shared memory is left with one number a warp, and a piece of 8192 elements with two barriers,
// where the tree had more than twenty for 1024.

#include "labs/scan/scan.h"

namespace {

constexpr int block_threads = 512;
constexpr int warps = block_threads / 32;
constexpr int rows = 4;
constexpr int row_elements = 128;  // a float4 in each lane
constexpr int warp_elements = rows * row_elements;
constexpr int block_elements = warps * warp_elements;  // a piece
constexpr int max_sections = 1024;
constexpr unsigned full_warp = 0xffffffff;

__device__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }

__device__ bool is_vector_aligned(const float* p) {
  return reinterpret_cast<std::uintptr_t>(p) % sizeof(float4) == 0;
}

/// in[i] … in[i + 3], with 0 from `end` on.
__device__ float4 load_four(const float* in, std::int64_t i, std::int64_t end) {
  if (i + 4 <= end && is_vector_aligned(in + i)) return *reinterpret_cast<const float4*>(in + i);
  return {i < end ? in[i] : 0.0f, i + 1 < end ? in[i + 1] : 0.0f, i + 2 < end ? in[i + 2] : 0.0f,
          i + 3 < end ? in[i + 3] : 0.0f};
}

/// Writes v to out[i] … out[i + 3], but nothing from `end` on.
__device__ void store_four(float* out, std::int64_t i, std::int64_t end, float4 v) {
  if (i + 4 <= end && is_vector_aligned(out + i)) {
    // A plain store, by its own name: in `*vector = v` nvcc 13 may split it into four.
    __stwb(reinterpret_cast<float4*>(out + i), v);
    return;
  }
  if (i < end) out[i] = v.x;
  if (i + 1 < end) out[i + 1] = v.y;
  if (i + 2 < end) out[i + 2] = v.z;
  if (i + 3 < end) out[i + 3] = v.w;
}

/// The inclusive scan of the warp's 32 values. Every lane must call it.
__device__ float scan_warp(float value) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned s = 1; s < 32; s *= 2) {
    const float earlier = __shfl_up_sync(full_warp, value, s);
    if (lane >= s) value += earlier;
  }
  return value;
}

/// The sum of the values of the warps before this one, and of all of them. `value` is the same in
/// all lanes of a warp. Every thread of the block must call it.
struct BlockSums {
  float before, all;
};
__device__ BlockSums sum_warps(float value) {
  __shared__ float values[warps];
  const unsigned warp = threadIdx.x / 32;
  __syncthreads();  // everybody is done with the last call's values
  if (threadIdx.x % 32 == 0) values[warp] = value;
  __syncthreads();
  BlockSums sums = {0.0f, 0.0f};
  for (unsigned w = 0; w < warps; ++w) {
    if (w == warp) sums.before = sums.all;
    sums.all += values[w];
  }
  return sums;
}

/// Phase 1: writes the sum of section blockIdx.x, of `length` elements, to sums[blockIdx.x].
__global__ void __launch_bounds__(block_threads)
    sum_sections(const float* in, float* sums, std::int64_t n, std::int64_t length) {
  const std::int64_t start = blockIdx.x * length, end = min(n, start + length);
  float sum = 0.0f;
  for (std::int64_t first = start; first < end; first += block_elements) {
    float4 x[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r)
      x[r] = load_four(in, first + 4 * (r * block_threads + threadIdx.x), end);
#pragma unroll
    for (int r = 0; r < rows; ++r) sum += sum_of(x[r]);
  }
  const float warp_sum = __shfl_sync(full_warp, scan_warp(sum), 31);
  sum = sum_warps(warp_sum).all;
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// Phase 2, one block: the exclusive scan of sums[0] … sums[sections - 1], in place.
__global__ void __launch_bounds__(max_sections) scan_sums(float* sums, int sections) {
  __shared__ float warp_sums[max_sections / 32];
  const unsigned tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  const float own = tid < sections ? sums[tid] : 0.0f;
  const float through = scan_warp(own);
  if (lane == 31) warp_sums[warp] = through;
  __syncthreads();
  // 32 warps left 32 sums: a warp can scan them. Each of them does, then it need not be told.
  const float through_warps = scan_warp(warp_sums[lane]);
  const float warps_before = __shfl_up_sync(full_warp, through_warps, 1);
  const float before_warp = __shfl_sync(full_warp, lane == 0 ? 0.0f : warps_before, warp);
  const float before_lane = __shfl_up_sync(full_warp, through, 1);
  if (tid < sections) sums[tid] = before_warp + (lane == 0 ? 0.0f : before_lane);
}

/// Phase 3: the exclusive scan of section blockIdx.x, starting from sums_before[blockIdx.x].
__global__ void __launch_bounds__(block_threads)
    scan_sections(const float* in, float* out, const float* sums_before, std::int64_t n,
                  std::int64_t length) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t start = blockIdx.x * length, end = min(n, start + length);

  float section_before = sums_before[blockIdx.x];
  for (std::int64_t first = start; first < end; first += block_elements) {
    const std::int64_t mine = first + warp * warp_elements + 4 * lane;
    float4 x[rows];
    float before[rows];  // what stands before the lane's four within the warp's rows
#pragma unroll
    for (int r = 0; r < rows; ++r) x[r] = load_four(in, mine + r * row_elements, end);

    float warp_sum = 0.0f;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const float through = scan_warp(sum_of(x[r]));
      const float earlier = __shfl_up_sync(full_warp, through, 1);
      before[r] = warp_sum + (lane == 0 ? 0.0f : earlier);
      warp_sum += __shfl_sync(full_warp, through, 31);
    }
    const BlockSums sums = sum_warps(warp_sum);

#pragma unroll
    for (int r = 0; r < rows; ++r) {
      float4 y;
      y.x = section_before + sums.before + before[r];
      y.y = y.x + x[r].x;
      y.z = y.y + x[r].y;
      y.w = y.z + x[r].z;
      store_four(out, mine + r * row_elements, end, y);
    }
    section_before += sums.all;
  }
}

/// As many sections as the device holds blocks at once: they all run together, and each has as long
/// a way as any. But no more than phase 2 can scan the sums of.
int most_sections() {
  int device = 0, multiprocessors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, scan_sections, block_threads, 0);
  return min(max_sections, multiprocessors * resident);
}

}  // namespace

void exclusive_scan(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                    cudaStream_t stream) {
  const std::int64_t pieces = (n + block_elements - 1) / block_elements;
  if (pieces == 0) return;
  const std::int64_t most = most_sections();
  const std::int64_t length = (pieces + most - 1) / most * block_elements;
  const int sections = static_cast<int>((n + length - 1) / length);
  float* sums = static_cast<float*>(scratch.data);
  sum_sections<<<sections, block_threads, 0, stream>>>(in, sums, n, length);
  scan_sums<<<1, max_sections, 0, stream>>>(sums, sections);
  scan_sections<<<sections, block_threads, 0, stream>>>(in, out, sums, n, length);
}

// Stage 0, given: what every later stage is measured against.
//
// `*total += amount` is a read, an addition and a write. Two tellers who read the same total and
// write one after the other have booked one amount between them: the other update is lost.
// atomicAdd does the three as one step, and whoever comes meanwhile waits. That is right, and it is
// all that is done here: one atomic for each element, all at one address.
//
// The other functions have no atomic that would fit; one thread, or one block for each bucket, does
// them in a plain loop.
#include <cmath>

#include "labs/atomics/atomics.h"

namespace {

using atomics::Point;

constexpr int block_threads = 256;

__global__ void book_each(const std::int32_t* amounts, std::int64_t* total, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // There is no signed 64-bit atomicAdd. None is needed: two's complement adds the same bits.
  if (i < n)
    atomicAdd(reinterpret_cast<unsigned long long*>(total),
              static_cast<unsigned long long>(std::int64_t{amounts[i]}));
}

__device__ bool less(float a, float b) { return a < b || (a == b && signbit(a) && !signbit(b)); }

/// A thread's section of the input: [begin, end) of n elements in as many sections as threads.
struct Section {
  std::int64_t begin, end;
};

__device__ Section section_of(std::int64_t n) {
  const std::int64_t length = (n + blockDim.x - 1) / blockDim.x;
  const std::int64_t begin = min(n, threadIdx.x * length);
  return {begin, min(n, begin + length)};
}

/// One block: each thread searches a section, thread 0 the sections' results.
__global__ void search(const float* in, float* value, std::int64_t* index, std::int64_t n) {
  __shared__ float values[block_threads];
  __shared__ std::int64_t indices[block_threads];
  const Section section = section_of(n);
  float best = -INFINITY;
  std::int64_t at = section.begin < section.end ? section.begin : -1;
  for (std::int64_t i = section.begin; i < section.end; ++i) {
    if (!less(best, in[i])) continue;
    best = in[i];
    at = i;
  }
  values[threadIdx.x] = best;
  indices[threadIdx.x] = at;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int t = 1; t < block_threads; ++t) {
    if (indices[t] < 0 || !less(best, values[t])) continue;
    best = values[t];
    at = indices[t];
  }
  if (value != nullptr) *value = best;
  if (index != nullptr) *index = at;
}

__global__ void keep_each(const float* in, float* out, std::int64_t* count, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0)
    out[atomicAdd(reinterpret_cast<unsigned long long*>(count), 1ull)] = in[i];
}

__device__ double squared_distance(Point p) {
  const double x = p.x, y = p.y, z = p.z;
  return x * x + y * y + z * z;
}

__device__ Point farther(Point a, Point b) {
  const double far_a = squared_distance(a), far_b = squared_distance(b);
  if (far_a != far_b) return far_a > far_b ? a : b;
  if (a.x != b.x) return a.x < b.x ? a : b;
  if (a.y != b.y) return a.y < b.y ? a : b;
  if (a.z != b.z) return a.z < b.z ? a : b;
  return a.mass <= b.mass ? a : b;
}

/// Block b reads everything and keeps what is in bucket b.
__global__ void search_bucket(const Point* points, const std::uint32_t* bucket, Point* farthest,
                              std::int64_t n) {
  __shared__ Point results[block_threads];
  __shared__ bool any[block_threads];
  Point best = {0, 0, 0, 0};
  bool found = false;
  for (std::int64_t i = threadIdx.x; i < n; i += block_threads) {
    if (bucket[i] != blockIdx.x) continue;
    best = found ? farther(best, points[i]) : points[i];
    found = true;
  }
  results[threadIdx.x] = best;
  any[threadIdx.x] = found;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int t = 1; t < block_threads; ++t) {
    if (!any[t]) continue;
    best = found ? farther(best, results[t]) : results[t];
    found = true;
  }
  farthest[blockIdx.x] = best;
}

std::int64_t blocks_for(std::int64_t n) { return (n + block_threads - 1) / block_threads; }

}  // namespace

void book(const std::int32_t* amounts, std::int64_t* total, std::int64_t n, gridstride::Scratch,
          cudaStream_t stream) {
  cudaMemsetAsync(total, 0, sizeof(*total), stream);
  if (n > 0) book_each<<<blocks_for(n), block_threads, 0, stream>>>(amounts, total, n);
}

void largest(const float* in, float* out, std::int64_t n, gridstride::Scratch,
             cudaStream_t stream) {
  search<<<1, block_threads, 0, stream>>>(in, out, nullptr, n);
}

void keep_positive(const float* in, float* out, std::int64_t* count, std::int64_t n,
                   gridstride::Scratch, cudaStream_t stream) {
  cudaMemsetAsync(count, 0, sizeof(*count), stream);
  if (n > 0) keep_each<<<blocks_for(n), block_threads, 0, stream>>>(in, out, count, n);
}

void index_of_largest(const float* in, std::int64_t* index, std::int64_t n, gridstride::Scratch,
                      cudaStream_t stream) {
  search<<<1, block_threads, 0, stream>>>(in, nullptr, index, n);
}

void farthest_in_buckets(const Point* points, const std::uint32_t* bucket, Point* farthest,
                         std::int64_t n, std::int32_t buckets, gridstride::Scratch,
                         cudaStream_t stream) {
  search_bucket<<<buckets, block_threads, 0, stream>>>(points, bucket, farthest, n);
}

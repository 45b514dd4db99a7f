// Wrong: leaves by a return without giving the lock back. The next one waits for ever.
#include "labs/atomics/atomics.h"
#include "labs/atomics/elements.cuh"

namespace {

using namespace atomics;

/// What stands beside the result while the buckets are filled; all 0 in the beginning.
struct Bucket {
  int lock;    ///< 0: free
  int filled;  ///< whether a point stands in the result; belongs to who has the lock
  /// The largest distance that was announced: 1 + the bits of its square, for doubles above 0 are
  /// in the order of their bits; 0 while there is none.
  unsigned long long far;
};

__device__ double squared_distance(Point p) {
  const double x = p.x, y = p.y, z = p.z;
  return x * x + y * y + z * z;
}

/// Whether `a` is to stand in the bucket rather than `b`.
__device__ bool beats(Point a, Point b) {
  const double far_a = squared_distance(a), far_b = squared_distance(b);
  if (far_a != far_b) return far_a > far_b;
  if (a.x != b.x) return a.x < b.x;
  if (a.y != b.y) return a.y < b.y;
  if (a.z != b.z) return a.z < b.z;
  return a.mass < b.mass;
}

/// The largest distance announced so far: looked up now, not remembered from before.
__device__ unsigned long long announced(Bucket& bucket) {
  return *static_cast<volatile unsigned long long*>(&bucket.far);
}

/// Puts the point into the bucket if it belongs there. The caller has the lock.
__device__ void replace(Bucket& bucket, Point* farthest, Point p) {
  if (__ldcg(&bucket.filled) != 0) {
    const float4 v = __ldcg(reinterpret_cast<const float4*>(farthest));
    if (!beats(p, Point{v.x, v.y, v.z, v.w})) return;
  }
  *farthest = p;
  bucket.filled = 1;
}

/// Offers a point to its bucket; many threads do so at once.
__device__ void offer(Bucket& bucket, Point* farthest, Point p) {
  const unsigned long long far = 1 + __double_as_longlong(squared_distance(p));
  atomicMax(&bucket.far, far);
  while (atomicCAS(&bucket.lock, 0, 1) != 0) {
  }
  __threadfence();
  if (announced(bucket) > far) return;
  replace(bucket, farthest, p);
  __threadfence();
  atomicExch(&bucket.lock, 0);
}

__global__ void __launch_bounds__(block_threads)
    offer_all(const Point* points, const std::uint32_t* bucket, Bucket* buckets, Point* farthest,
              std::int64_t n) {
  const std::int64_t stride = std::int64_t{gridDim.x} * block_threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x; i < n; i += stride)
    offer(buckets[bucket[i]], &farthest[bucket[i]], points[i]);
}

}  // namespace

void farthest_in_buckets(const Point* points, const std::uint32_t* bucket, Point* farthest,
                         std::int64_t n, std::int32_t buckets, gridstride::Scratch scratch,
                         cudaStream_t stream) {
  cudaMemsetAsync(scratch.data, 0, sizeof(Bucket) * buckets, stream);
  cudaMemsetAsync(farthest, 0, sizeof(*farthest) * buckets, stream);
  const int blocks = grid_blocks(offer_all, n, block_threads);
  offer_all<<<blocks, block_threads, 0, stream>>>(points, bucket,
                                                  static_cast<Bucket*>(scratch.data), farthest, n);
}

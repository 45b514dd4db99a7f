// Points and centres, as k-means has them: the nearest centre of each point, and sums of the points of
// each centre; and distances of records from one place.
#include <algorithm>

#include "ladder.h"

namespace ladder::clusters {

constexpr int points = 1 << 18, dimensions = 16, centres = 24, threads = 256;
__constant__ float constant_centres[centres * dimensions];

/// The features of a point lie side by side; centres anywhere that `centre` reads from.
template <class Centre>
__device__ int nearest(const float* mine, int step, Centre centre) {
  float least = 1e30F;
  int found = 0;
  for (int c = 0; c < centres; ++c) {
    float sum = 0;
    for (int d = 0; d < dimensions; ++d) {
      const float far = mine[size_t(d) * step] - centre(c * dimensions + d);
      sum += far * far;
    }
    if (sum < least) {
      least = sum;
      found = c;
    }
  }
  return found;
}

__global__ void rows(const float* features, const float* centre, int* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = nearest(features + size_t(i) * dimensions, 1, [=](int k) { return centre[k]; });
}

__global__ void columns(const float* features, const float*, int* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = nearest(features + i, points, [](int k) { return constant_centres[k]; });
}

__global__ void columns_shared(const float* features, const float* centre, int* out) {
  __shared__ float all[centres * dimensions];
  for (int k = threadIdx.x; k < centres * dimensions; k += threads) all[k] = centre[k];
  __syncthreads();
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = nearest(features + i, points, [&](int k) { return all[k]; });
}

__global__ void sums_of(const float* features, const int* of, float* sums, int* counts) {
  const int i = blockIdx.x * threads + threadIdx.x, c = of[i];
  atomicAdd(&counts[c], 1);
  for (int d = 0; d < dimensions; ++d) {
    atomicAdd(&sums[c * dimensions + d], features[size_t(d) * points + i]);
  }
}

__global__ void sums_in_blocks(const float* features, const int* of, float* sums, int* counts) {
  __shared__ float sum[centres * dimensions];
  __shared__ int count[centres];
  for (int k = threadIdx.x; k < centres * dimensions; k += threads) sum[k] = 0;
  if (threadIdx.x < centres) count[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * threads + threadIdx.x; i < points; i += gridDim.x * threads) {
    const int c = of[i];
    atomicAdd(&count[c], 1);
    for (int d = 0; d < dimensions; ++d) {
      atomicAdd(&sum[c * dimensions + d], features[size_t(d) * points + i]);
    }
  }
  __syncthreads();
  for (int k = threadIdx.x; k < centres * dimensions; k += threads) atomicAdd(&sums[k], sum[k]);
  if (threadIdx.x < centres) atomicAdd(&counts[threadIdx.x], count[threadIdx.x]);
}

constexpr int places = 1 << 21;

__global__ void distances(const float2* from, float2 to, float* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const float2 at = from[i];
  out[i] = sqrtf((at.x - to.x) * (at.x - to.x) + (at.y - to.y) * (at.y - to.y));
}

/// Only the least, as bits, which are in the order of the numbers.
__global__ void least_distance(const float2* from, float2 to, int* least) {
  __shared__ int of_block;
  if (threadIdx.x == 0) of_block = 0x7f800000;
  __syncthreads();
  float mine = 1e30F;
  for (int i = blockIdx.x * threads + threadIdx.x; i < places; i += gridDim.x * threads) {
    const float2 at = from[i];
    mine = fminf(mine, (at.x - to.x) * (at.x - to.x) + (at.y - to.y) * (at.y - to.y));
  }
  for (int step = 16; step > 0; step /= 2) {
    mine = fminf(mine, __shfl_xor_sync(0xffffffffU, mine, step));
  }
  if (threadIdx.x % 32 == 0) atomicMin(&of_block, __float_as_int(mine));
  __syncthreads();
  if (threadIdx.x == 0) atomicMin(least, of_block);
}

Kernels nearest_centres() {
  const Array<float> by_point(points * dimensions, fraction),
      by_dimension(points * dimensions,
                   [](std::uint32_t k) { return fraction(k % points * dimensions + k / points); }),
      centre(centres * dimensions, [](std::uint32_t k) { return fraction(~k); });
  const Array<int> out(points);
  check(cudaMemcpyToSymbol(constant_centres, &centre[0], sizeof constant_centres));
  const auto far = [=](std::size_t i, int c) {
    double sum = 0;
    for (int d = 0; d < dimensions; ++d) {
      const double one = by_point[i * dimensions + d] - centre[c * dimensions + d];
      sum += one * one;
    }
    return sum;
  };
  const auto way = [=](const char* name, auto kernel, const Array<float>& features) {
    return Kernel{name, [=] { out.clear(); },
                  [=] {
                    kernel<<<points / threads, threads>>>(features.device(), centre.device(),
                                                          out.device());
                  },
                  [=] {
                    const std::vector<int> got = out.read();
                    return sampled(points, [&](std::size_t i) {
                      double least = 1e30;
                      for (int c = 0; c < centres; ++c) least = std::min(least, far(i, c));
                      return near(far(i, got[i]), least);
                    });
                  }};
  };
  return {way("rows, centres in global memory", rows, by_point),
          way("columns, centres in constant memory", columns, by_dimension),
          way("columns, centres in shared memory", columns_shared, by_dimension)};
}

Kernels sums_of_clusters() {
  const Array<float> features(points * dimensions, fraction), sums(centres * dimensions);
  const Array<int> of(points, [](std::uint32_t i) { return int(mixed(~i) % centres); }),
      counts(centres);
  const auto way = [=](const char* name, auto kernel, int blocks) {
    return Kernel{name,
                  [=] {
                    sums.clear();
                    counts.clear();
                  },
                  [=] {
                    kernel<<<blocks, threads>>>(features.device(), of.device(), sums.device(),
                                                counts.device());
                  },
                  [=] {
                    std::vector<double> wanted(centres * dimensions);
                    for (int i = 0; i < points; ++i) {
                      for (int d = 0; d < dimensions; ++d) {
                        wanted[of[i] * dimensions + d] += features[std::size_t(d) * points + i];
                      }
                    }
                    const std::vector<float> got = sums.read();
                    return sampled(got.size(),
                                   [&](std::size_t k) { return near(got[k], wanted[k], 1e-3); });
                  }};
  };
  return {way("atomics in global memory", sums_of, points / threads),
          way("atomics in shared memory", sums_in_blocks, 264)};
}

Kernels records() {
  const Array<float2> from(places, [](std::uint32_t i) {
    return float2{fraction(2 * i) * 90, fraction(2 * i + 1) * 180};
  });
  const Array<float> out(places);
  const Array<int> least(1, [](std::uint32_t) { return 0x7f800000; });
  const float2 to{30, 90};
  const auto far = [=](std::size_t i) { return std::hypot(from[i].x - to.x, from[i].y - to.y); };
  return {{"all distances", [=] { out.clear(); },
           [=] { distances<<<places / threads, threads>>>(from.device(), to, out.device()); },
           [=] {
             const std::vector<float> got = out.read();
             return sampled(places, [&](std::size_t i) { return near(got[i], far(i)); });
           }},
          {"the least", [=] { check(cudaMemset(least.device(), 0x7f, 4)); },
           [=] { least_distance<<<528, threads>>>(from.device(), to, least.device()); },
           [=] {
             double wanted = 1e30;
             for (int i = 0; i < places; ++i) wanted = std::min<double>(wanted, far(i));
             const int bits = least.read()[0];
             float got = 0;
             std::copy_n(reinterpret_cast<const char*>(&bits), 4, reinterpret_cast<char*>(&got));
             return near(std::sqrt(got), wanted, 1e-2);
           }}};
}

}  // namespace ladder::clusters

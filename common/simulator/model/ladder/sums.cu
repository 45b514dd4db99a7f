// Dot products by ways to add up, sums in double, and sums by keys with atomics of floats.
#include "ladder.h"

namespace ladder::sums {

constexpr int elements = 1 << 24, threads = 256, blocks = 1056;

__global__ void tree(const float* a, const float* b, float* sum) {
  __shared__ float all[threads];
  float mine = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < elements; i += gridDim.x * threads) {
    mine += a[i] * b[i];
  }
  all[threadIdx.x] = mine;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) all[threadIdx.x] += all[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(sum, all[0]);
}

template <class T>
__global__ void shuffles(const float* a, const float* b, T* sum) {
  __shared__ T of_warps[32];
  T mine = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < elements; i += gridDim.x * threads) {
    mine += T(a[i]) * T(b[i]);
  }
  mine = block_sum(mine, of_warps);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

__global__ void shuffles_16_bytes(const float4* a, const float4* b, float* sum) {
  __shared__ float of_warps[32];
  float mine = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < elements / 4; i += gridDim.x * threads) {
    const float4 v = a[i], w = b[i];
    mine += v.x * w.x + v.y * w.y + v.z * w.z + v.w * w.w;
  }
  mine = block_sum(mine, of_warps);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

/// One element a thread, an atomic a block: many blocks that do little.
__global__ void short_blocks(const float* a, const float* b, float* sum) {
  __shared__ float of_warps[32];
  const int i = blockIdx.x * threads + threadIdx.x;
  const float mine = block_sum(a[i] * b[i], of_warps);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

__global__ void by_key(const int* keys, const float* values, float* sums) {
  const int i = blockIdx.x * threads + threadIdx.x;
  atomicAdd(&sums[keys[i]], values[i]);
}

/// Keys in order: a warp whose lanes have one key adds once.
__global__ void by_ordered_key(const int* keys, const float* values, float* sums) {
  const int i = blockIdx.x * threads + threadIdx.x, key = keys[i];
  const float value = values[i];
  if (__match_any_sync(0xffffffffU, key) == 0xffffffffU) {
    const float all = warp_sum(value);
    if (threadIdx.x % 32 == 0) atomicAdd(&sums[key], all);
  } else {
    atomicAdd(&sums[key], value);
  }
}

Kernels dot_product() {
  const Array<float> a(elements, fraction),
      b(elements, [](std::uint32_t i) { return fraction(~i); }), sum(1);
  const Array<double> wide(1);
  const auto right = [=](double got) {
    double wanted = 0;
    for (int i = 0; i < elements; ++i) wanted += double(a[i]) * b[i];
    return near(got, wanted, 1e-3);
  };
  const auto way = [=](const char* name, auto launch) {
    return Kernel{name, [=] { sum.clear(); }, launch, [=] { return right(sum.read()[0]); }};
  };
  return {way("tree", [=] { tree<<<blocks, threads>>>(a.device(), b.device(), sum.device()); }),
          way("shuffles",
              [=] { shuffles<float><<<blocks, threads>>>(a.device(), b.device(), sum.device()); }),
          way("shuffles, 16 bytes",
              [=] {
                shuffles_16_bytes<<<blocks, threads>>>(reinterpret_cast<float4*>(a.device()),
                                                       reinterpret_cast<float4*>(b.device()),
                                                       sum.device());
              }),
          way("an element a thread",
              [=] {
                short_blocks<<<elements / threads, threads>>>(a.device(), b.device(), sum.device());
              }),
          {"in double", [=] { wide.clear(); },
           [=] { shuffles<double><<<blocks, threads>>>(a.device(), b.device(), wide.device()); },
           [=] { return right(wide.read()[0]); }}};
}

Kernels sums_by_key() {
  constexpr int n = 1 << 22, places = 4096;
  const Array<float> values(n, fraction), sums(places);
  const Array<int> drawn(n, [](std::uint32_t i) { return int(mixed(~i) % places); }),
      ordered(n, [](std::uint32_t i) { return int(std::uint64_t(i) * places / n); }),
      few(n, [](std::uint32_t i) { return int(mixed(~i) % 64) * 64; });
  const auto way = [=](const char* name, auto kernel, const Array<int>& keys) {
    return Kernel{
        name, [=] { sums.clear(); },
        [=] { kernel<<<n / threads, threads>>>(keys.device(), values.device(), sums.device()); },
        [=] {
          std::vector<double> wanted(places);
          for (int i = 0; i < n; ++i) wanted[keys[i]] += values[i];
          const std::vector<float> got = sums.read();
          return sampled(places, [&](std::size_t i) { return near(got[i], wanted[i], 1e-3); });
        }};
  };
  return {way("4096 drawn keys", by_key, drawn), way("64 drawn keys", by_key, few),
          way("ordered keys", by_key, ordered),
          way("ordered keys, once a warp", by_ordered_key, ordered)};
}

}  // namespace ladder::sums

// Prices of options: the formula of Black and Scholes in float, in double, and two options a thread;
// and by drawn paths (Monte Carlo), with the sum by atomics or by blocks.
#include "ladder.h"

namespace ladder::finance {

constexpr int options = 1 << 22, threads = 256;
constexpr int paths = 1 << 20, steps = 16;

template <class T>
__host__ __device__ T below(T d) {  // the normal distribution
  return T(0.5) * erfc(-d * T(0.70710678118654752));
}
__host__ __device__ float below(float d) { return 0.5F * erfcf(-d * 0.70710678F); }

template <class T>
__host__ __device__ void price(T stock, T strike, T years, T& call, T& put) {
  const T rate = T(0.02), swing = T(0.3);
  const T spread = swing * sqrt(years);
  const T d1 = (log(stock / strike) + (rate + T(0.5) * swing * swing) * years) / spread;
  const T d2 = d1 - spread, later = strike * exp(-rate * years);
  call = stock * below(d1) - later * below(d2);
  put = later * below(-d2) - stock * below(-d1);
}

template <class T>
__global__ void one_a_thread(const float* stock, const float* strike, const float* years,
                             float* calls, float* puts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  T call, put;
  price<T>(stock[i], strike[i], years[i], call, put);
  calls[i] = float(call);
  puts[i] = float(put);
}

__global__ void two_a_thread(const float2* stock, const float2* strike, const float2* years,
                             float2* calls, float2* puts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float2 s = stock[i], x = strike[i], t = years[i];
  float2 call, put;
  price(s.x, x.x, t.x, call.x, put.x);
  price(s.y, x.y, t.y, call.y, put.y);
  calls[i] = call;
  puts[i] = put;
}

__host__ __device__ std::uint32_t next(std::uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

/// What one path pays.
__host__ __device__ float payment(std::uint32_t path) {
  std::uint32_t state = mixed(path) | 1;
  float log_price = 0;
  for (int k = 0; k < steps; ++k) {
    const float u = (float(next(state) >> 8) + 0.5F) / 16777216.0F;
    const float v = float(next(state) >> 8) / 16777216.0F;
    log_price += 0.05F * sqrtf(-2.0F * logf(u)) * cosf(6.2831853F * v);
  }
  return fmaxf(expf(log_price) - 1.0F, 0.0F);
}

__global__ void atomic_a_warp(float* sum) {
  const float all = warp_sum(payment(blockIdx.x * blockDim.x + threadIdx.x));
  if (threadIdx.x % 32 == 0) atomicAdd(sum, all);
}

__global__ void atomic_a_block(float* sum) {
  __shared__ float of_warps[32];
  const float all = block_sum(payment(blockIdx.x * blockDim.x + threadIdx.x), of_warps);
  if (threadIdx.x == 0) atomicAdd(sum, all);
}

/// Several paths a thread.
__global__ void sum_of_blocks(float* sum) {
  __shared__ float of_warps[32];
  float all = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < paths; i += gridDim.x * blockDim.x) {
    all += payment(i);
  }
  all = block_sum(all, of_warps);
  if (threadIdx.x == 0) atomicAdd(sum, all);
}

Kernels black_scholes() {
  const Array<float> stock(options, [](std::uint32_t i) { return 5 + 25 * fraction(3 * i); }),
      strike(options, [](std::uint32_t i) { return 1 + 99 * fraction(3 * i + 1); }),
      years(options, [](std::uint32_t i) { return 0.25F + 9 * fraction(3 * i + 2); }),
      calls(options), puts(options);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name,
                  [=] {
                    calls.clear();
                    puts.clear();
                  },
                  launch,
                  [=] {
                    const std::vector<float> call = calls.read(), put = puts.read();
                    return sampled(options, [&](std::size_t i) {
                      double c, p;
                      price<double>(stock[i], strike[i], years[i], c, p);
                      return std::abs(call[i] - c) < 1e-4 * strike[i] &&
                             std::abs(put[i] - p) < 1e-4 * strike[i];
                    });
                  }};
  };
  const auto pairs = [](const Array<float>& all) {
    return reinterpret_cast<float2*>(all.device());
  };
  return {way("float",
              [=] {
                one_a_thread<float><<<options / threads, threads>>>(
                    stock.device(), strike.device(), years.device(), calls.device(), puts.device());
              }),
          way("float, two a thread",
              [=] {
                two_a_thread<<<options / 2 / threads, threads>>>(
                    pairs(stock), pairs(strike), pairs(years), pairs(calls), pairs(puts));
              }),
          way("double", [=] {
            one_a_thread<double><<<options / threads, threads>>>(
                stock.device(), strike.device(), years.device(), calls.device(), puts.device());
          })};
}

Kernels monte_carlo() {
  const Array<float> sum(1);
  const auto way = [=](const char* name, auto kernel, int blocks) {
    return Kernel{name, [=] { sum.clear(); }, [=] { kernel<<<blocks, threads>>>(sum.device()); },
                  [=] {
                    double wanted = 0;  // of a part, so that the host is quick
                    for (int i = 0; i < paths / 16; ++i) wanted += payment(i * 16);
                    return near(sum.read()[0], wanted * 16, 0.05);
                  }};
  };
  return {way("atomic a warp", atomic_a_warp, paths / threads),
          way("atomic a block", atomic_a_block, paths / threads),
          way("several a thread", sum_of_blocks, 528)};
}

}  // namespace ladder::finance

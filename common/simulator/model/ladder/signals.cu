// Samples of sound: a filter that feeds back (two poles, two zeros) over many channels, how alike a
// frame and its later self are, and Haar's wavelets of rows, a launch a level, in shared memory and
// in registers.
#include "ladder.h"

namespace ladder::signals {

constexpr int channels = 16384, samples = 256;

struct Feedback {
  float first = 0, second = 0;
  __host__ __device__ float next(float x) {
    const float y = 0.2F * x + first;
    first = 0.3F * x + 0.9F * y + second;
    second = 0.2F * x - 0.4F * y;
    return y;
  }
};

/// Sample k of all channels lies side by side.
__global__ void channels_in_turn(const float* in, float* out) {
  const int c = blockIdx.x * 64 + threadIdx.x;
  Feedback filter;
  for (int k = 0; k < samples; ++k) out[k * channels + c] = filter.next(in[k * channels + c]);
}

/// The samples of a channel lie side by side.
__global__ void channel_after_channel(const float* in, float* out) {
  const int c = blockIdx.x * 64 + threadIdx.x;
  Feedback filter;
  for (int k = 0; k < samples; ++k) out[c * samples + k] = filter.next(in[c * samples + k]);
}

/// The same; a warp turns 32 samples of its 32 channels in shared memory.
__global__ void channels_turned(const float* in, float* out) {
  __shared__ float tiles[2][32][33];
  float(*tile)[33] = tiles[threadIdx.x / 32];
  const int lane = threadIdx.x % 32, c0 = blockIdx.x * 64 + threadIdx.x / 32 * 32;
  Feedback filter;
  for (int begin = 0; begin < samples; begin += 32) {
    for (int j = 0; j < 32; ++j) tile[j][lane] = in[(c0 + j) * samples + begin + lane];
    __syncwarp();
    for (int k = 0; k < 32; ++k) tile[lane][k] = filter.next(tile[lane][k]);
    __syncwarp();
    for (int j = 0; j < 32; ++j) out[(c0 + j) * samples + begin + lane] = tile[j][lane];
    __syncwarp();
  }
}

constexpr int frames = 1024, frame = 512, lags = 128;

__global__ void lags_from_memory(const float* in, float* out) {
  const float* mine = in + blockIdx.x * frame;
  const int lag = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < frame - lag; ++k) sum += mine[k] * mine[k + lag];
  out[blockIdx.x * lags + lag] = sum;
}

__global__ void lags_from_tile(const float* in, float* out) {
  __shared__ float part[frame + lags];  // zeros behind the frame
  for (int k = threadIdx.x; k < frame + lags; k += lags) {
    part[k] = k < frame ? in[blockIdx.x * frame + k] : 0;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < frame; ++k) sum += part[k] * part[k + threadIdx.x];
  out[blockIdx.x * lags + threadIdx.x] = sum;
}

/// Four lags a thread, what comes later in registers that move on.
__global__ void lags_in_registers(const float* in, float* out) {
  __shared__ float part[frame + lags];
  for (int k = threadIdx.x; k < frame + lags; k += lags / 4) {
    part[k] = k < frame ? in[blockIdx.x * frame + k] : 0;
  }
  __syncthreads();
  const float* later = part + 4 * threadIdx.x;
  float sum[4] = {}, next[4] = {later[0], later[1], later[2], 0};
#pragma unroll 4
  for (int k = 0; k < frame; ++k) {
    next[3] = later[k + 3];
    const float at = part[k];
#pragma unroll
    for (int j = 0; j < 4; ++j) sum[j] += at * next[j];
#pragma unroll
    for (int j = 0; j < 3; ++j) next[j] = next[j + 1];
  }
  for (int j = 0; j < 4; ++j) out[blockIdx.x * lags + 4 * threadIdx.x + j] = sum[j];
}

constexpr int rows = 4096, row = 1024;
constexpr float scale = 0.70710678F;

/// One level: of pairs of `in`, sums to `sums`, differences to where they stay.
__global__ void level(const float* in, float* sums, float* out, int half) {
  const int i = blockIdx.x * 128 + threadIdx.x, r = i / half, k = i % half;
  const float2 pair = reinterpret_cast<const float2*>(in)[i];
  sums[i] = (pair.x + pair.y) * scale;
  out[r * row + half + k] = (pair.x - pair.y) * scale;
  if (half == 1) out[r * row] = (pair.x + pair.y) * scale;
}

__global__ void levels_in_block(const float* in, float* out) {
  __shared__ float all[2][row];
  const int t = threadIdx.x, begin = blockIdx.x * row;
  for (int k = t; k < row; k += 256) all[0][k] = in[begin + k];
  __syncthreads();
  int from = 0;
  for (int half = row / 2; half > 0; half /= 2, from ^= 1) {
    for (int k = t; k < half; k += 256) {
      const float a = all[from][2 * k], b = all[from][2 * k + 1];
      all[from ^ 1][k] = (a + b) * scale;
      out[begin + half + k] = (a - b) * scale;
    }
    __syncthreads();
  }
  if (t == 0) out[begin] = all[from][0];
}

/// A warp a row, 32 values that lie side by side a lane.
__global__ void levels_in_warp(const float* in, float* out) {
  const int lane = threadIdx.x % 32, r = (blockIdx.x * 128 + threadIdx.x) / 32;
  float* to = out + r * row;
  float all[32];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const float4 four = reinterpret_cast<const float4*>(in + r * row + lane * 32)[k];
    all[4 * k] = four.x;
    all[4 * k + 1] = four.y;
    all[4 * k + 2] = four.z;
    all[4 * k + 3] = four.w;
  }
#pragma unroll
  for (int each = 16; each > 0; each /= 2) {
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const float a = all[2 * k], b = all[2 * k + 1];
      all[k] = (a + b) * scale;
      to[each * 32 + lane * each + k] = (a - b) * scale;
    }
  }
  float sum = all[0];
  for (int half = 16; half > 0; half /= 2) {
    const float a = __shfl_sync(0xffffffffU, sum, 2 * lane % 32);
    const float b = __shfl_sync(0xffffffffU, sum, (2 * lane + 1) % 32);
    sum = (a + b) * scale;
    if (lane < half) to[half + lane] = (a - b) * scale;
  }
  if (lane == 0) to[0] = sum;
}

Kernels recursive_filter() {
  const auto turned = [](std::uint32_t i) {
    return fraction(i % channels * samples + i / channels);
  };
  const Array<float> in(channels * samples, fraction), in_turn(channels * samples, turned),
      out(channels * samples);
  const auto way = [=](const char* name, auto kernel, bool of_turned) {
    return Kernel{
        name, [=] { out.clear(); },
        [=] { kernel<<<channels / 64, 64>>>((of_turned ? in_turn : in).device(), out.device()); },
        [=] {
          const std::vector<float> got = out.read();
          return sampled(got.size(), [&](std::size_t i) {
            const std::size_t c = i / samples, last = i % samples;
            Feedback filter;
            float wanted = 0;
            for (std::size_t k = 0; k <= last; ++k) {
              wanted = filter.next(in[c * samples + k]);
            }
            return near(got[of_turned ? last * channels + c : i], wanted, 1e-3);
          });
        }};
  };
  return {way("channels in turn", channels_in_turn, true),
          way("channel after channel", channel_after_channel, false),
          way("channel after channel, turned by warps", channels_turned, false)};
}

Kernels later_selves() {
  const Array<float> in(frames * frame, [](std::uint32_t i) { return fraction(i) - 0.25F; }),
      out(frames * lags);
  const auto way = [=](const char* name, auto kernel, int threads) {
    return Kernel{name, [=] { out.clear(); },
                  [=] { kernel<<<frames, threads>>>(in.device(), out.device()); },
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(got.size(), [&](std::size_t i) {
                      const std::size_t lag = i % lags, begin = i / lags * frame;
                      double sum = 0;
                      for (std::size_t k = 0; k + lag < frame; ++k) {
                        sum += double(in[begin + k]) * in[begin + k + lag];
                      }
                      return std::abs(got[i] - sum) < 1e-2;
                    });
                  }};
  };
  return {way("lag a thread, from memory", lags_from_memory, lags),
          way("lag a thread, in shared memory", lags_from_tile, lags),
          way("four lags a thread", lags_in_registers, lags / 4)};
}

Kernels wavelets() {
  const Array<float> in(rows * row, fraction), out(rows * row), one(rows * row / 2),
      other(rows * row / 2);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(got.size(), [&](std::size_t i) {
                      const std::size_t place = i % row;
                      std::size_t half = 1;  // values of its level
                      while (2 * half <= place) half *= 2;
                      const std::size_t of_one = row / half, at = place == 0 ? 0 : place - half;
                      double sum = 0;
                      for (std::size_t k = 0; k < of_one; ++k) {
                        const float value = in[i / row * row + at * of_one + k];
                        sum += place != 0 && k >= of_one / 2 ? -value : value;
                      }
                      return std::abs(got[i] - sum / std::sqrt(double(of_one))) < 1e-3;
                    });
                  }};
  };
  return {way("a launch a level",
              [=] {
                const float* from = in.device();
                bool odd = false;
                for (int half = row / 2; half > 0; half /= 2, odd = !odd) {
                  float* to = (odd ? other : one).device();
                  level<<<rows * half / 128, 128>>>(from, to, out.device(), half);
                  from = to;
                }
              }),
          way("block a row", [=] { levels_in_block<<<rows, 256>>>(in.device(), out.device()); }),
          way("warp a row", [=] { levels_in_warp<<<rows / 4, 128>>>(in.device(), out.device()); })};
}

}  // namespace ladder::signals

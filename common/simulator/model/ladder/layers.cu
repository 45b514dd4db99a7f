// Layers of networks and their training: pairs turned by their place in the text (rotary), a filter
// of its own for each channel (depthwise), the backward step of softmax, and a step of Adam.
#include <algorithm>

#include "ladder.h"

namespace ladder::layers {

constexpr int threads = 256;

/// Between -1 and 1.
__host__ __device__ float signed_fraction(std::uint32_t i) { return 2 * fraction(i) - 1; }

// Rows of heads of 128 numbers, of which k and k + 64 are a pair.
constexpr int places = 256, heads = 16, half_size = 64, size = 2 * half_size;

__global__ void turned_as_found(const float* in, float* out) {
  const int i = blockIdx.x * threads + threadIdx.x, k = i % half_size, row = i / half_size;
  const float frequency = powf(10000.0F, -float(k) / half_size);
  float sine, cosine;
  sincosf(float(row / heads) * frequency, &sine, &cosine);
  const float a = in[row * size + k], b = in[row * size + half_size + k];
  out[row * size + k] = a * cosine - b * sine;
  out[row * size + half_size + k] = a * sine + b * cosine;
}

__global__ void turned_by_table(const float* in, const float2* table, float* out) {
  const int i = blockIdx.x * threads + threadIdx.x, k = i % half_size, row = i / half_size;
  const float2 turn = table[row / heads * half_size + k];
  const float a = in[row * size + k], b = in[row * size + half_size + k];
  out[row * size + k] = a * turn.x - b * turn.y;
  out[row * size + half_size + k] = a * turn.y + b * turn.x;
}

/// A block a place: four pairs a thread, whose angles are found once for all heads.
__global__ void turned_for_all_heads(const float4* in, float4* out) {
  constexpr int quarter = half_size / 4;
  __shared__ float2 turns[half_size];
  const int t = threadIdx.x, place = blockIdx.x;
  if (t < half_size) {
    const float frequency = powf(10000.0F, -float(t) / half_size);
    sincosf(float(place) * frequency, &turns[t].y, &turns[t].x);
  }
  __syncthreads();
  const int k = t % quarter;
  const float2 p = turns[4 * k], q = turns[4 * k + 1], r = turns[4 * k + 2], s = turns[4 * k + 3];
  for (int head = t / quarter; head < heads; head += 128 / quarter) {
    const int at = (place * heads + head) * 2 * quarter + k;
    const float4 a = in[at], b = in[at + quarter];
    out[at] = float4{a.x * p.x - b.x * p.y, a.y * q.x - b.y * q.y, a.z * r.x - b.z * r.y,
                     a.w * s.x - b.w * s.y};
    out[at + quarter] = float4{a.x * p.y + b.x * p.x, a.y * q.y + b.y * q.x, a.z * r.y + b.z * r.x,
                               a.w * s.y + b.w * s.x};
  }
}

// A filter of three by three for each channel; zeros outside.
constexpr int channels = 64, edge = 64, plane = edge * edge;

__global__ void filter_of_planes(const float* in, const float* weights, float* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const int x = i % edge, y = i / edge % edge, channel = i / plane;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const int u = x + k % 3 - 1, v = y + k / 3 - 1;
    if (u >= 0 && u < edge && v >= 0 && v < edge) {
      sum += weights[channel * 9 + k] * in[channel * plane + v * edge + u];
    }
  }
  out[i] = sum;
}

/// Sixteen rows of a plane and their neighbours in shared memory.
__global__ void filter_of_tiles(const float* in, const float* weights, float* out) {
  __shared__ float tile[18][edge + 2];
  const int channel = blockIdx.y, y0 = blockIdx.x * 16, t = threadIdx.x;
  for (int k = t; k < 18 * (edge + 2); k += threads) {
    const int u = k % (edge + 2) - 1, v = y0 + k / (edge + 2) - 1;
    const bool there = u >= 0 && u < edge && v >= 0 && v < edge;
    tile[v - y0 + 1][u + 1] = there ? in[channel * plane + v * edge + u] : 0;
  }
  float w[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) w[k] = weights[channel * 9 + k];
  __syncthreads();
  const int x = t % edge;
  for (int y = t / edge; y < 16; y += threads / edge) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k) sum += w[k] * tile[y + k / 3][x + k % 3];
    out[channel * plane + (y0 + y) * edge + x] = sum;
  }
}

/// Channels beside one another; a thread goes down eight rows and keeps three by three in registers.
__global__ void filter_of_columns(const float* in, const float* weights, float* out) {
  const int channel = threadIdx.x, x = blockIdx.x * 4 + threadIdx.y, y0 = blockIdx.y * 8;
  float w[9], near_by[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) w[k] = weights[k * channels + channel];
  const auto at = [=](int u, int v) {
    return u >= 0 && u < edge && v >= 0 && v < edge ? in[(v * edge + u) * channels + channel] : 0;
  };
#pragma unroll
  for (int k = 0; k < 6; ++k) near_by[3 + k] = at(x + k % 3 - 1, y0 + k / 3 - 1);
#pragma unroll
  for (int y = y0; y < y0 + 8; ++y) {
#pragma unroll
    for (int k = 0; k < 6; ++k) near_by[k] = near_by[k + 3];
#pragma unroll
    for (int k = 0; k < 3; ++k) near_by[6 + k] = at(x + k - 1, y + 1);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k) sum += w[k] * near_by[k];
    out[(y * edge + x) * channels + channel] = sum;
  }
}

// Of softmax backward: result times what its gradient is above the sum of both's products.
constexpr int rows = 2048, columns = 1024;

__global__ void backward_thread(const float* result, const float* gradient, float* out) {
  const int begin = (blockIdx.x * 64 + threadIdx.x) * columns;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < columns; ++k) sum += result[begin + k] * gradient[begin + k];
#pragma unroll 4
  for (int k = 0; k < columns; ++k) {
    out[begin + k] = result[begin + k] * (gradient[begin + k] - sum);
  }
}

__global__ void backward_block(const float* result, const float* gradient, float* out) {
  __shared__ float of_warps[32];
  const int begin = blockIdx.x * columns;
  float sum = 0;
  for (int k = threadIdx.x; k < columns; k += threads) {
    sum += result[begin + k] * gradient[begin + k];
  }
  sum = block_sum(sum, of_warps);
  for (int k = threadIdx.x; k < columns; k += threads) {
    out[begin + k] = result[begin + k] * (gradient[begin + k] - sum);
  }
}

/// A warp a row, which stays in registers.
__global__ void backward_warp(const float4* result, const float4* gradient, float4* out) {
  constexpr int fours = columns / 4 / 32;
  const int lane = threadIdx.x % 32;
  const int begin = (blockIdx.x * 4 + threadIdx.x / 32) * (columns / 4) + lane;
  float4 y[fours], g[fours];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < fours; ++k) {
    y[k] = result[begin + 32 * k];
    g[k] = gradient[begin + 32 * k];
    sum += y[k].x * g[k].x + y[k].y * g[k].y + y[k].z * g[k].z + y[k].w * g[k].w;
  }
  sum = warp_sum(sum);
#pragma unroll
  for (int k = 0; k < fours; ++k) {
    out[begin + 32 * k] = float4{y[k].x * (g[k].x - sum), y[k].y * (g[k].y - sum),
                                 y[k].z * (g[k].z - sum), y[k].w * (g[k].w - sum)};
  }
}

// A step of Adam, of weights in tensors of several sizes that lie one behind the other.
constexpr int weights_of_all = 1 << 19, chunk = 4096;
constexpr float keep = 0.9F, keep_squares = 0.999F, rate = 1e-2F, least = 1e-8F, step_number = 7;

struct Adam {
  float *weight, *mean, *square;
  const float* gradient;
};

/// Of one weight; `a` and `b` are what means of so few steps lack.
__host__ __device__ void adam(float& weight, float& mean, float& square, float gradient, float a,
                              float b) {
  mean = keep * mean + (1 - keep) * gradient;
  square = keep_squares * square + (1 - keep_squares) * gradient * gradient;
  weight -= rate * (mean * a) / (sqrtf(square * b) + least);
}

__global__ void adam_one(Adam all, float a, float b) {
  const int i = blockIdx.x * threads + threadIdx.x;
  float weight = all.weight[i], mean = all.mean[i], square = all.square[i];
  adam(weight, mean, square, all.gradient[i], a, b);
  all.weight[i] = weight;
  all.mean[i] = mean;
  all.square[i] = square;
}

__device__ void adam_of_four(const Adam& all, int i, float a, float b) {
  float4 weight = reinterpret_cast<float4*>(all.weight)[i];
  float4 mean = reinterpret_cast<float4*>(all.mean)[i];
  float4 square = reinterpret_cast<float4*>(all.square)[i];
  const float4 gradient = reinterpret_cast<const float4*>(all.gradient)[i];
  adam(weight.x, mean.x, square.x, gradient.x, a, b);
  adam(weight.y, mean.y, square.y, gradient.y, a, b);
  adam(weight.z, mean.z, square.z, gradient.z, a, b);
  adam(weight.w, mean.w, square.w, gradient.w, a, b);
  reinterpret_cast<float4*>(all.weight)[i] = weight;
  reinterpret_cast<float4*>(all.mean)[i] = mean;
  reinterpret_cast<float4*>(all.square)[i] = square;
}

__global__ void adam_four(Adam all, float a, float b) {
  adam_of_four(all, blockIdx.x * threads + threadIdx.x, a, b);
}

/// Chunks of tensors, a block each: a table says where a chunk begins and how long it is.
__global__ void adam_chunks(Adam all, const int2* table, float a, float b) {
  const int2 mine = table[blockIdx.x];
  for (int k = threadIdx.x; k < mine.y / 4; k += threads) adam_of_four(all, mine.x / 4 + k, a, b);
}

Kernels rotary_embedding() {
  constexpr int n = places * heads * size, pairs = n / 2;
  const Array<float> in(n, signed_fraction), out(n);
  const auto angle = [](std::size_t place, std::size_t k) {
    return double(place) * std::pow(10000.0, -double(k) / half_size);
  };
  const Array<float2> table(places * half_size, [=](std::uint32_t i) {
    const double turn = angle(i / half_size, i % half_size);
    return float2{float(std::cos(turn)), float(std::sin(turn))};
  });
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(pairs, [&](std::size_t i) {
                      const std::size_t k = i % half_size, at = i / half_size * size + k;
                      const double turn = angle(i / half_size / heads, k);
                      const double c = std::cos(turn), s = std::sin(turn);
                      const double a = in[at], b = in[at + half_size];
                      return std::abs(got[at] - (a * c - b * s)) < 5e-4 &&
                             std::abs(got[at + half_size] - (a * s + b * c)) < 5e-4;
                    });
                  }};
  };
  return {way("angles as they are needed",
              [=] { turned_as_found<<<pairs / threads, threads>>>(in.device(), out.device()); }),
          way("angles from a table",
              [=] {
                turned_by_table<<<pairs / threads, threads>>>(in.device(), table.device(),
                                                              out.device());
              }),
          way("angles once for all heads", [=] {
            turned_for_all_heads<<<places, 128>>>(reinterpret_cast<const float4*>(in.device()),
                                                  reinterpret_cast<float4*>(out.device()));
          })};
}

Kernels depthwise_filter() {
  constexpr int n = channels * plane;
  const auto weight = [](std::uint32_t channel, std::uint32_t k) {
    return signed_fraction(900000 + channel * 9 + k);
  };
  const Array<float> in(n, signed_fraction),
      last(n, [](std::uint32_t i) { return signed_fraction(i % channels * plane + i / channels); });
  const Array<float> weights(9 * channels, [=](std::uint32_t i) { return weight(i / 9, i % 9); }),
      weights_last(9 * channels,
                   [=](std::uint32_t i) { return weight(i % channels, i / channels); }),
      out(n);
  const auto way = [=](const char* name, bool beside, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(n, [&](std::size_t i) {
                      const int x = int(i % edge), y = int(i / edge % edge), c = int(i / plane);
                      double sum = 0;
                      for (int k = 0; k < 9; ++k) {
                        const int u = x + k % 3 - 1, v = y + k / 3 - 1;
                        if (u < 0 || u >= edge || v < 0 || v >= edge) continue;
                        sum += double(weights[c * 9 + k]) * in[c * plane + v * edge + u];
                      }
                      const float mine = got[beside ? i % plane * channels + c : i];
                      return std::abs(mine - sum) < 1e-4;
                    });
                  }};
  };
  return {way("planes", false,
              [=] {
                filter_of_planes<<<n / threads, threads>>>(in.device(), weights.device(),
                                                           out.device());
              }),
          way("planes, tiles in shared memory", false,
              [=] {
                filter_of_tiles<<<dim3(edge / 16, channels), threads>>>(
                    in.device(), weights.device(), out.device());
              }),
          way("channels beside one another", true, [=] {
            filter_of_columns<<<dim3(edge / 4, edge / 8), dim3(channels, 4)>>>(
                last.device(), weights_last.device(), out.device());
          })};
}

Kernels softmax_backward() {
  constexpr int n = rows * columns;
  const Array<float> result(n, [](std::uint32_t i) { return fraction(i) * 2 / columns; }),
      gradient(n, [](std::uint32_t i) { return signed_fraction(~i); }), out(n);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(n, [&](std::size_t i) {
                      double sum = 0;
                      for (std::size_t k = i / columns * columns, j = 0; j < columns; ++j) {
                        sum += double(result[k + j]) * gradient[k + j];
                      }
                      return std::abs(got[i] - result[i] * (gradient[i] - sum)) < 1e-7;
                    });
                  }};
  };
  const auto* results = reinterpret_cast<const float4*>(result.device());
  const auto* gradients = reinterpret_cast<const float4*>(gradient.device());
  auto* to = reinterpret_cast<float4*>(out.device());
  return {
      way("a thread a row",
          [=] {
            backward_thread<<<rows / 64, 64>>>(result.device(), gradient.device(), out.device());
          }),
      way("a block a row",
          [=] {
            backward_block<<<rows, threads>>>(result.device(), gradient.device(), out.device());
          }),
      way("a warp a row, kept", [=] { backward_warp<<<rows / 4, 128>>>(results, gradients, to); })};
}

Kernels step_of_adam() {
  constexpr int n = weights_of_all;
  const Array<float> first(n, signed_fraction), weight(n), mean(n), square(n),
      gradient(n, [](std::uint32_t i) { return signed_fraction(~i); });
  std::vector<int2> chunks;
  for (int begin = 0, tensor = 0; begin < n; ++tensor) {
    const int end = std::min(n, begin + 64 + int(mixed(tensor) % 12000) / 4 * 4);
    for (; begin < end; begin += chunks.back().y) {
      chunks.push_back({begin, std::min(chunk, end - begin)});
    }
  }
  const Array<int2> table(chunks);
  const float a = 1 / (1 - std::pow(keep, step_number));
  const float b = 1 / (1 - std::pow(keep_squares, step_number));
  const Adam all = {weight.device(), mean.device(), square.device(), gradient.device()};
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name,
                  [=] {
                    check(cudaMemcpy(weight.device(), first.device(), n * sizeof(float),
                                     cudaMemcpyDeviceToDevice));
                    mean.clear();
                    square.clear();
                  },
                  launch,
                  [=] {
                    const std::vector<float> got = weight.read(), means = mean.read();
                    return sampled(n, [&](std::size_t i) {
                      float w = first[i], m = 0, s = 0;
                      adam(w, m, s, gradient[i], a, b);
                      return std::abs(got[i] - w) < 1e-5 && std::abs(means[i] - m) < 1e-6;
                    });
                  }};
  };
  const unsigned of_table = unsigned(chunks.size());
  return {way("a weight a thread", [=] { adam_one<<<n / threads, threads>>>(all, a, b); }),
          way("four weights a thread", [=] { adam_four<<<n / 4 / threads, threads>>>(all, a, b); }),
          way("chunks of tensors",
              [=] { adam_chunks<<<of_table, threads>>>(all, table.device(), a, b); })};
}

}  // namespace ladder::layers

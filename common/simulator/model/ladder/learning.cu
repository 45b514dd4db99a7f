// Layers of networks that mostly move data: rows of a table by token, batch norm, pooling, losses of
// classes, scores of attention, and gates of an LSTM.
#include <algorithm>

#include "ladder.h"

namespace ladder::learning {

constexpr int threads = 256, tokens = 1 << 14, vocabulary = 1 << 17, wide = 128;

__global__ void rows_by_words(const int* token, const float* table, float* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = table[size_t(token[i / wide]) * wide + i % wide];
}

__global__ void rows_by_warps(const int* token, const float4* table, float4* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = table[size_t(token[i / 32]) * 32 + i % 32];
}

/// Back to the table: rows of tokens that occur several times add up.
__global__ void rows_added(const int* token, const float* gradient, float* table) {
  const int i = blockIdx.x * threads + threadIdx.x;
  atomicAdd(&table[size_t(token[i / wide]) * wide + i % wide], gradient[i]);
}

constexpr int pictures = 16, channels = 64, plane = 56 * 56;

/// Mean and inverse deviation of a channel over all pictures.
__global__ void statistics(const float* in, float2* out) {
  __shared__ float of_warps[32];
  float sum = 0, squares = 0;
  for (int p = 0; p < pictures; ++p) {
    const float* all = in + (p * channels + blockIdx.x) * plane;
    for (int k = threadIdx.x; k < plane; k += threads) {
      sum += all[k];
      squares += all[k] * all[k];
    }
  }
  const float mean = block_sum(sum, of_warps) / (pictures * plane);
  const float spread = block_sum(squares, of_warps) / (pictures * plane) - mean * mean;
  if (threadIdx.x == 0) out[blockIdx.x] = {mean, rsqrtf(spread + 1e-5F)};
}

__global__ void scaled(const float* in, const float2* of, float* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const float2 how = of[i / plane % channels];
  out[i] = fmaxf((in[i] - how.x) * how.y, 0.0F);
}

constexpr int height = 112;  ///< of planes that are pooled

template <int size, int step>
__host__ __device__ float largest_around(const float* in, int i) {
  constexpr int to = height / step;
  const int x = i % to * step, y = i / to % to * step, p = i / to / to;
  float most = -1;
  for (int dy = 0; dy < size; ++dy) {
    for (int dx = 0; dx < size; ++dx) {
      if (y + dy >= height || x + dx >= height) continue;
      const float value = in[(p * height + y + dy) * height + x + dx];
      most = value > most ? value : most;
    }
  }
  return most;
}

template <int size, int step>
__global__ void pooled(const float* in, float* out, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i < n) out[i] = largest_around<size, step>(in, i);
}

constexpr int samples = 8192, classes = 1000;

/// A warp a sample: log of the sum of exponentials, less the right class.
__global__ void losses(const float* in, const int* right, float* out) {
  const int row = (blockIdx.x * threads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float* all = in + row * classes;
  float most = -1e30F, sum = 0;
  for (int k = lane; k < classes; k += 32) most = fmaxf(most, all[k]);
  for (int step = 16; step > 0; step /= 2) {
    most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, step));
  }
  for (int k = lane; k < classes; k += 32) sum += expf(all[k] - most);
  sum = warp_sum(sum);
  if (lane == 0) out[row] = logf(sum) + most - all[right[row]];
}

constexpr int heads = 8, sequence = 256, depth = 64;

/// A thread a pair of positions.
__global__ void scores(const float4* q, const float4* k, float* out) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, h = blockIdx.z;
  const float4* one = q + (h * sequence + y) * (depth / 4);
  const float4* other = k + (h * sequence + x) * (depth / 4);
  float sum = 0;
  for (int d = 0; d < depth / 4; ++d) {
    const float4 a = one[d], b = other[d];
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  out[(h * sequence + y) * sequence + x] = sum * 0.125F;
}

constexpr int cells = 1 << 19;

__device__ float sigmoid(float x) { return 1 / (1 + expf(-x)); }

/// Four gates a cell, each in an array.
__global__ void gates(const float* in, const float* state, float* state_out, float* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const float keep = sigmoid(in[i]), take = sigmoid(in[cells + i]),
              show = sigmoid(in[2 * cells + i]), fresh = tanhf(in[3 * cells + i]);
  const float next = keep * state[i] + take * fresh;
  state_out[i] = next;
  out[i] = show * tanhf(next);
}

Kernels embeddings() {
  const Array<int> token(tokens, [](std::uint32_t i) { return int(mixed(i) % vocabulary); });
  const Array<float> table(std::size_t{vocabulary} * wide, fraction), out(tokens * wide),
      sums(std::size_t{vocabulary} * wide);
  constexpr int n = tokens * wide;
  const auto right = [=] {
    const std::vector<float> got = out.read();
    return sampled(n, [&](std::size_t i) {
      return got[i] == table[std::size_t(token[i / wide]) * wide + i % wide];
    });
  };
  return {
      {"word a thread", [=] { out.clear(); },
       [=] {
         rows_by_words<<<n / threads, threads>>>(token.device(), table.device(), out.device());
       },
       right},
      {"row a warp, 16 bytes", [=] { out.clear(); },
       [=] {
         rows_by_warps<<<n / 4 / threads, threads>>>(
             token.device(), reinterpret_cast<const float4*>(table.device()),
             reinterpret_cast<float4*>(out.device()));
       },
       right},
      {"added to the table", [=] { sums.clear(); },
       [=] { rows_added<<<n / threads, threads>>>(token.device(), table.device(), sums.device()); },
       [=] {
         std::vector<float> wanted(sums.size());
         for (int i = 0; i < n; ++i) {
           wanted[std::size_t(token[i / wide]) * wide + i % wide] += table[i];
         }
         const std::vector<float> got = sums.read();
         return sampled(got.size(), [&](std::size_t i) { return near(got[i], wanted[i]); });
       }}};
}

Kernels batch_norm() {
  constexpr int n = pictures * channels * plane;
  const Array<float> in(n, fraction), out(n);
  std::vector<float2> known;
  for (int c = 0; c < channels; ++c) {
    double sum = 0, squares = 0;
    for (int i = 0; i < pictures * plane; ++i) {
      const double value = in[(std::size_t(i / plane) * channels + c) * plane + i % plane];
      sum += value;
      squares += value * value;
    }
    const double mean = sum / (pictures * plane);
    known.push_back(
        {float(mean), float(1 / std::sqrt(squares / (pictures * plane) - mean * mean + 1e-5))});
  }
  const Array<float2> of(known), found(channels);
  return {{"statistics, block a channel", [=] { found.clear(); },
           [=] { statistics<<<channels, threads>>>(in.device(), found.device()); },
           [=] {
             const std::vector<float2> got = found.read();
             return sampled(channels, [&](std::size_t c) {
               return near(got[c].x, of[c].x, 1e-3) && near(got[c].y, of[c].y, 1e-2);
             });
           }},
          {"applied", [=] { out.clear(); },
           [=] { scaled<<<n / threads, threads>>>(in.device(), of.device(), out.device()); },
           [=] {
             const std::vector<float> got = out.read();
             return sampled(n, [&](std::size_t i) {
               const float2 how = of[i / plane % channels];
               return near(got[i], std::max((in[i] - how.x) * how.y, 0.0F), 1e-3);
             });
           }}};
}

Kernels pooling() {
  constexpr int planes = 256;
  const Array<float> in(planes * height * height, fraction), out(planes * height * height / 4);
  const auto way = [=](const char* name, auto kernel, auto wanted) {
    const int n = int(out.size());
    return Kernel{
        name, [=] { out.clear(); },
        [=] { kernel<<<(n + threads - 1) / threads, threads>>>(in.device(), out.device(), n); },
        [=] {
          const std::vector<float> got = out.read();
          return sampled(n, [&](std::size_t i) { return got[i] == wanted(&in[0], int(i)); });
        }};
  };
  return {way("2 by 2", pooled<2, 2>, largest_around<2, 2>),
          way("3 by 3, step 2", pooled<3, 2>, largest_around<3, 2>)};
}

Kernels losses_of_classes() {
  const Array<float> in(samples * classes, [](std::uint32_t i) { return 8 * fraction(i); }),
      out(samples);
  const Array<int> of(samples, [](std::uint32_t i) { return int(mixed(~i) % classes); });
  return {{"warp a sample", [=] { out.clear(); },
           [=] {
             losses<<<samples / (threads / 32), threads>>>(in.device(), of.device(), out.device());
           },
           [=] {
             const std::vector<float> got = out.read();
             return sampled(samples, [&](std::size_t row) {
               double sum = 0;
               for (int k = 0; k < classes; ++k) sum += std::exp(double(in[row * classes + k]));
               return near(got[row], std::log(sum) - in[row * classes + of[row]], 1e-3);
             });
           }}};
}

Kernels attention() {
  constexpr int n = heads * sequence * depth;
  const Array<float> q(n, fraction), k(n, [](std::uint32_t i) { return fraction(~i); }),
      out(heads * sequence * sequence);
  return {{"scores", [=] { out.clear(); },
           [=] {
             scores<<<dim3(sequence / 16, sequence / 16, heads), dim3(16, 16)>>>(
                 reinterpret_cast<const float4*>(q.device()),
                 reinterpret_cast<const float4*>(k.device()), out.device());
           },
           [=] {
             const std::vector<float> got = out.read();
             return sampled(got.size(), [&](std::size_t i) {
               const std::size_t x = i % sequence, y = i / sequence, h = y / sequence;
               double sum = 0;
               for (int d = 0; d < depth; ++d) {
                 sum += double(q[y * depth + d]) * k[(h * sequence + x) * depth + d];
               }
               return near(got[i], sum * 0.125, 1e-3);
             });
           }}};
}

Kernels lstm_gates() {
  const Array<float> in(4 * cells, [](std::uint32_t i) { return 4 * fraction(i) - 2; }),
      state(cells, fraction), next(cells), out(cells);
  return {{"a cell a thread", [=] { out.clear(); },
           [=] {
             gates<<<cells / threads, threads>>>(in.device(), state.device(), next.device(),
                                                 out.device());
           },
           [=] {
             const std::vector<float> got = out.read();
             const auto part = [](double x) { return 1 / (1 + std::exp(-x)); };
             return sampled(cells, [&](std::size_t i) {
               const double cell = part(in[i]) * state[i] +
                                   part(in[cells + i]) * std::tanh(double(in[3 * cells + i]));
               return near(got[i], part(in[2 * cells + i]) * std::tanh(cell), 1e-3);
             });
           }}};
}

}  // namespace ladder::learning

// Nets of neurons, living and made: membranes that fire (Hodgkin and Huxley, in double), a matrix of
// four-bit weights times a vector, and features of a graph's vertices summed for their neighbours.
#include <cuda_fp16.h>

#include <algorithm>

#include "ladder.h"

namespace ladder::neurons {

// Membranes: millivolts above rest, and how open three kinds of gates are.
constexpr int neurons = 1 << 16, steps = 16;
constexpr double step = 0.025;  ///< milliseconds

// Rates of the gates by voltage, for a table of them.
constexpr int entries = 1280;
constexpr double lowest = -40, apart = 0.125;

/// A gate goes to `open`; what is left of the way after a step is `left`.
struct Rate {
  double open, left;
};

struct Rates {
  Rate m, h, n;
};

struct Neuron {
  double voltage, m, h, n;
};

/// x / (exp(x) - 1), and at 0 what it comes near to.
__host__ __device__ double quotient(double x) {
  return fabs(x) < 1e-6 ? 1 - 0.5 * x : x / (exp(x) - 1);
}

__host__ __device__ Rate rate_of(double opening, double closing) {
  const double both = opening + closing;
  return {opening / both, exp(-step * both)};
}

__host__ __device__ Rates rates_at(double v) {
  return {rate_of(quotient(2.5 - 0.1 * v), 4 * exp(v * (-1.0 / 18))),
          rate_of(0.07 * exp(v * -0.05), 1 / (exp(3 - 0.1 * v) + 1)),
          rate_of(0.1 * quotient(1 - 0.1 * v), 0.125 * exp(v * (-1.0 / 80)))};
}

/// One step of a neuron into which `current` flows.
__host__ __device__ Neuron stepped(Neuron old, const Rates& rates, double current) {
  const double v = old.voltage, n_square = old.n * old.n;
  const double sodium = 120 * old.m * old.m * old.m * old.h * (v - 115);
  const double potassium = 36 * n_square * n_square * (v + 12), leak = 0.3 * (v - 10.6);
  return {v + step * (current - sodium - potassium - leak),
          rates.m.open + (old.m - rates.m.open) * rates.m.left,
          rates.h.open + (old.h - rates.h.open) * rates.h.left,
          rates.n.open + (old.n - rates.n.open) * rates.n.left};
}

__global__ void step_of_records(Neuron* all, const float* currents) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const Neuron old = all[i];
  all[i] = stepped(old, rates_at(old.voltage), currents[i]);
}

__global__ void steps_at_once(Neuron* all, const float* currents) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  Neuron mine = all[i];
  const double current = currents[i];
  for (int k = 0; k < steps; ++k) mine = stepped(mine, rates_at(mine.voltage), current);
  all[i] = mine;
}

/// At a part of the way from one entry to the next.
__device__ Rate between(const Rate& a, const Rate& b, double part) {
  return {a.open + part * (b.open - a.open), a.left + part * (b.left - a.left)};
}

__global__ void steps_by_table(Neuron* all, const float* currents, const Rates* table) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  Neuron mine = all[i];
  const double current = currents[i];
  for (int k = 0; k < steps; ++k) {
    const double at = fmin(fmax((mine.voltage - lowest) / apart, 0.0), entries - 1.001);
    const int entry = int(at);
    const double part = at - entry;
    const Rates &a = table[entry], &b = table[entry + 1];
    mine = stepped(
        mine, {between(a.m, b.m, part), between(a.h, b.h, part), between(a.n, b.n, part)}, current);
  }
  all[i] = mine;
}

// Weights of four bits, less eight, and a scale in half for each 32 of a row.
constexpr int rows = 8192, columns = 8192, group = 32;
constexpr int words_of_row = columns / 8, groups_of_row = columns / group;
constexpr int rows_of_warp = 4;

struct Weights {
  const unsigned* words;  ///< the first weight in the lowest bits
  const half* scales;
  const float* vector;
};

__global__ void word_a_lane(Weights all, float* out) {
  const int row = (blockIdx.x * 256 + threadIdx.x) / 32;
  float sum = 0;
  for (int w = threadIdx.x % 32; w < words_of_row; w += 32) {
    const unsigned word = all.words[row * words_of_row + w];
    float part = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k)
      part += float(int(word >> (4 * k) & 15) - 8) * all.vector[8 * w + k];
    sum += part * __half2float(all.scales[row * groups_of_row + w / 4]);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) out[row] = sum;
}

/// A group a lane, four rows a warp; the vector lies in shared memory so that lanes read side by side.
__global__ void group_a_lane(Weights all, float* out) {
  __shared__ float vector[group][groups_of_row + 1];
  for (int k = threadIdx.x; k < columns; k += 256) vector[k % group][k / group] = all.vector[k];
  __syncthreads();
  const int first = (blockIdx.x * 256 + threadIdx.x) / 32 * rows_of_warp;
  float sum[rows_of_warp] = {};
  for (int g = threadIdx.x % 32; g < groups_of_row; g += 32) {
    uint4 words[rows_of_warp];
    float part[rows_of_warp] = {};
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r) {
      words[r] = reinterpret_cast<const uint4*>(all.words)[(first + r) * groups_of_row + g];
    }
#pragma unroll
    for (int k = 0; k < group; ++k) {
      const float factor = vector[k][g];
#pragma unroll
      for (int r = 0; r < rows_of_warp; ++r) {
        const unsigned of_group[4] = {words[r].x, words[r].y, words[r].z, words[r].w};
        // Such bits are a float of 2 to the 23rd and the weight.
        const unsigned bits = 0x4b000000U | (of_group[k / 8] >> (4 * (k % 8)) & 15);
        part[r] += (__uint_as_float(bits) - 8388616.0F) * factor;
      }
    }
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r) {
      sum[r] += part[r] * __half2float(all.scales[(first + r) * groups_of_row + g]);
    }
  }
#pragma unroll
  for (int r = 0; r < rows_of_warp; ++r) {
    const float total = warp_sum(sum[r]);
    if (threadIdx.x % 32 == 0) out[first + r] = total;
  }
}

__device__ half2 as_halves(unsigned bits) {
  half2 pair;
  memcpy(&pair, &bits, sizeof pair);
  return pair;
}

/// The same in pairs of halves: a word's weights k and k + 4 are 16 bits apart.
__global__ void pairs_of_halves(Weights all, float* out) {
  struct alignas(16) Eight {
    half2 pairs[4];
  };
  __shared__ Eight vector[4][groups_of_row];
  for (int w = threadIdx.x; w < words_of_row; w += 256) {
    Eight eight;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      eight.pairs[k] = __floats2half2_rn(all.vector[8 * w + k], all.vector[8 * w + k + 4]);
    }
    vector[w % 4][w / 4] = eight;
  }
  __syncthreads();
  const int first = (blockIdx.x * 256 + threadIdx.x) / 32 * rows_of_warp;
  float sum[rows_of_warp] = {};
  for (int g = threadIdx.x % 32; g < groups_of_row; g += 32) {
    uint4 words[rows_of_warp];
    half2 part[rows_of_warp];
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r) {
      words[r] = reinterpret_cast<const uint4*>(all.words)[(first + r) * groups_of_row + g];
      part[r] = __float2half2_rn(0.0F);
    }
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      const Eight eight = vector[w][g];
#pragma unroll
      for (int r = 0; r < rows_of_warp; ++r) {
        const unsigned of_group[4] = {words[r].x, words[r].y, words[r].z, words[r].w};
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          // Such bits are two halves of 1024 and a weight.
          const half2 two = as_halves((of_group[w] >> (4 * k) & 0x000f000fU) | 0x64006400U);
          part[r] = __hfma2(__hsub2(two, __float2half2_rn(1032.0F)), eight.pairs[k], part[r]);
        }
      }
    }
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r) {
      const float2 both = __half22float2(part[r]);
      sum[r] += (both.x + both.y) * __half2float(all.scales[(first + r) * groups_of_row + g]);
    }
  }
#pragma unroll
  for (int r = 0; r < rows_of_warp; ++r) {
    const float total = warp_sum(sum[r]);
    if (threadIdx.x % 32 == 0) out[first + r] = total;
  }
}

// A graph: features of the vertices from which edges come, times the edge's weight, summed where
// they go. Edges are in order of where they go.
constexpr int vertices = 1 << 16, features = 64;

struct Graph {
  const int *begins, *from, *to;
  const float* weights;
  int edges;
};

/// Each feature of each edge.
__global__ void features_added(Graph graph, const float* in, float* out) {
  const int edge = (blockIdx.x * 256 + threadIdx.x) / features, f = threadIdx.x % features;
  if (edge >= graph.edges) return;
  atomicAdd(out + graph.to[edge] * features + f,
            graph.weights[edge] * in[graph.from[edge] * features + f]);
}

__global__ void feature_a_thread(Graph graph, const float* in, float* out) {
  const int v = blockIdx.x * 4 + threadIdx.y, end = graph.begins[v + 1];
  float sum = 0;
  for (int e = graph.begins[v]; e < end; ++e) {
    sum += graph.weights[e] * in[graph.from[e] * features + threadIdx.x];
  }
  out[v * features + threadIdx.x] = sum;
}

/// A warp a vertex, two features a lane: each lane loads an edge and hands it round.
__global__ void vertex_a_warp(Graph graph, const float2* in, float2* out) {
  const int v = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const int end = graph.begins[v + 1];
  float2 sum = {0, 0};
  for (int first = graph.begins[v]; first < end; first += 32) {
    const int mine = min(first + lane, end - 1), here = min(end - first, 32);
    const int from = graph.from[mine];
    const float weight = graph.weights[mine];
#pragma unroll 4
    for (int k = 0; k < here; ++k) {
      const float factor = __shfl_sync(0xffffffffU, weight, k);
      const float2 two = in[__shfl_sync(0xffffffffU, from, k) * (features / 2) + lane];
      sum.x += factor * two.x;
      sum.y += factor * two.y;
    }
  }
  out[v * (features / 2) + lane] = sum;
}

Kernels neurons_that_fire() {
  const Array<Neuron> in(neurons, [](std::uint32_t i) {
    const auto drawn = [=](std::uint32_t k) { return double(fraction(4 * i + k)); };
    return Neuron{20 * drawn(0) - 5, 0.05 + 0.3 * drawn(1), 0.3 + 0.3 * drawn(2),
                  0.3 + 0.2 * drawn(3)};
  });
  const Array<float> currents(neurons, [](std::uint32_t i) { return 20 * fraction(i + 7000000); });
  const Array<Rates> table(entries, [](std::uint32_t i) { return rates_at(lowest + apart * i); });
  const Array<Neuron> all(neurons);
  const auto way = [=](const char* name, double part, std::function<void()> launch) {
    return Kernel{name,
                  [=] {
                    check(cudaMemcpy(all.device(), in.device(), neurons * sizeof(Neuron),
                                     cudaMemcpyDeviceToDevice));
                  },
                  launch,
                  [=] {
                    const std::vector<Neuron> got = all.read();
                    return sampled(neurons, [&](std::size_t i) {
                      Neuron wanted = in[i];
                      for (int k = 0; k < steps; ++k) {
                        wanted = stepped(wanted, rates_at(wanted.voltage), currents[i]);
                      }
                      return std::abs(got[i].voltage - wanted.voltage) <= 100 * part &&
                             std::abs(got[i].m - wanted.m) <= part &&
                             std::abs(got[i].h - wanted.h) <= part &&
                             std::abs(got[i].n - wanted.n) <= part;
                    });
                  }};
  };
  constexpr int blocks = neurons / 128;
  return {way("a launch a step", 1e-9,
              [=] {
                for (int k = 0; k < steps; ++k) {
                  step_of_records<<<blocks, 128>>>(all.device(), currents.device());
                }
              }),
          way("all steps in one launch", 1e-9,
              [=] { steps_at_once<<<blocks, 128>>>(all.device(), currents.device()); }),
          way("all steps in one launch, rates from a table", 1e-3, [=] {
            steps_by_table<<<blocks, 128>>>(all.device(), currents.device(), table.device());
          })};
}

Kernels weights_of_four_bits() {
  const Array<unsigned> words(rows * words_of_row, mixed);
  const Array<half> scales(rows * groups_of_row, [](std::uint32_t i) {
    return __float2half(0.01F + 0.02F * fraction(i + 3000000));
  });
  const Array<float> vector(columns, [](std::uint32_t i) { return fraction(i + 60000) - 0.5F; });
  const Array<float> out(rows);
  const auto way = [=](const char* name, double part, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(rows, [&](std::size_t row) {
                      double sum = 0, most = 0;
                      for (std::size_t k = 0; k < columns; ++k) {
                        const unsigned word = words[row * words_of_row + k / 8];
                        const double weight = int(word >> (4 * (k % 8)) & 15) - 8;
                        const double one =
                            weight * vector[k] *
                            double(__half2float(scales[row * groups_of_row + k / group]));
                        sum += one;
                        most += std::abs(one);
                      }
                      return std::abs(got[row] - sum) <= part * most;
                    });
                  }};
  };
  const Weights all = {words.device(), scales.device(), vector.device()};
  constexpr int blocks = rows / 8 / rows_of_warp;
  return {way("a warp a row, a word a lane", 1e-5,
              [=] { word_a_lane<<<rows / 8, 256>>>(all, out.device()); }),
          way("four rows a warp, 16 bytes a lane", 1e-5,
              [=] { group_a_lane<<<blocks, 256>>>(all, out.device()); }),
          way("four rows a warp, pairs of halves", 1e-3,
              [=] { pairs_of_halves<<<blocks, 256>>>(all, out.device()); })};
}

Kernels features_of_neighbours() {
  std::vector<int> begin(1), source, target;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const float drawn = fraction(v);
    const int edges = v % 64 == 9 ? 100 : 2 + int(20 * drawn * drawn);
    for (int k = 0; k < edges; ++k) {
      // Some vertices are much more in demand than others.
      const float place = fraction(std::uint32_t(source.size()) + 200000);
      source.push_back(int(mixed(std::uint32_t(place * place * vertices)) % vertices));
      target.push_back(int(v));
    }
    begin.push_back(int(source.size()));
  }
  const Array<int> begins(begin), from(source), to(target);
  const Array<float> weights(source.size(), [](std::uint32_t i) { return fraction(i + 90); });
  const Array<float> in(vertices * features, [](std::uint32_t i) { return fraction(i) - 0.5F; });
  const Array<float> out(vertices * features);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=, kept = to] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(vertices * features, [&](std::size_t i) {
                      double sum = 0, most = 0;
                      for (int e = begins[i / features]; e < begins[i / features + 1]; ++e) {
                        const double one =
                            double(weights[e]) * in[std::size_t(from[e]) * features + i % features];
                        sum += one;
                        most += std::abs(one);
                      }
                      return std::abs(got[i] - sum) <= 1e-5 * most;
                    });
                  }};
  };
  const Graph graph = {begins.device(), from.device(), to.device(), weights.device(),
                       int(source.size())};
  return {
      way("an atomic a feature of an edge",
          [=] {
            features_added<<<(graph.edges + 3) / 4, 256>>>(graph, in.device(), out.device());
          }),
      way("a thread a feature of a vertex",
          [=] {
            feature_a_thread<<<vertices / 4, dim3(features, 4)>>>(graph, in.device(), out.device());
          }),
      way("a warp a vertex, two features a lane", [=] {
        vertex_a_warp<<<vertices / 8, 256>>>(graph, reinterpret_cast<const float2*>(in.device()),
                                             reinterpret_cast<float2*>(out.device()));
      })};
}

}  // namespace ladder::neurons

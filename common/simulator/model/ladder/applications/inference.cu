// What trained models do on new inputs: a layer of convolutions, a forest of decision trees, and the
// boxes of a detector of which the best are kept.
#include <cuda_fp16.h>
#include <mma.h>

#include <algorithm>

#include "ladder.h"

namespace ladder::inference {

// A layer of 3 x 3 convolutions with a border of zeros.
constexpr int images = 2, channels = 64, side = 32, pixels = side * side, taps = 9;
constexpr int tile = 16, halo = tile + 2;

/// Weights are [output channel][input channel][3][3], pictures [image][channel][y][x].
__global__ void output_a_thread(const float* in, const float* weights, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int x = i % side, y = i / side % side, k = i / pixels % channels, n = i / pixels / channels;
  float sum = 0;
  for (int c = 0; c < channels; ++c) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if (y + dy < 0 || y + dy >= side || x + dx < 0 || x + dx >= side) continue;
        sum += in[((n * channels + c) * side + y + dy) * side + x + dx] *
               weights[(k * channels + c) * taps + (dy + 1) * 3 + dx + 1];
      }
    }
  }
  out[i] = sum;
}

/// Puts a tile of a channel and the pixels around it into shared memory.
__device__ void load_tile(float (*to)[halo], const float* channel) {
  const int first_x = blockIdx.x % 2 * tile - 1, first_y = blockIdx.x / 2 * tile - 1;
  for (int k = threadIdx.x; k < halo * halo; k += 256) {
    const int x = first_x + k % halo, y = first_y + k / halo;
    const bool inside = x >= 0 && x < side && y >= 0 && y < side;
    to[k / halo][k % halo] = inside ? channel[y * side + x] : 0.0F;
  }
}

/// A tile of an output channel a block.
__global__ void tile_of_channel(const float* in, const float* weights, float* out) {
  __shared__ float pixel[halo][halo];
  __shared__ float weight[channels * taps];
  const int k = blockIdx.y, n = blockIdx.z, x = threadIdx.x % tile, y = threadIdx.x / tile;
  for (int j = threadIdx.x; j < channels * taps; j += 256) {
    weight[j] = weights[k * channels * taps + j];
  }
  float sum = 0;
  for (int c = 0; c < channels; ++c) {
    __syncthreads();
    load_tile(pixel, in + (n * channels + c) * pixels);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < taps; ++j) sum += pixel[y + j / 3][x + j % 3] * weight[c * taps + j];
  }
  const int column = blockIdx.x % 2 * tile + x, line = blockIdx.x / 2 * tile + y;
  out[(n * channels + k) * pixels + line * side + column] = sum;
}

constexpr int outputs = 8, depth = 4;

/// Eight output channels a thread; four input channels at a time.
__global__ void eight_channels_a_thread(const float* in, const float* weights, float* out) {
  __shared__ float pixel[depth][halo][halo];
  __shared__ float4 weight[depth * taps][outputs / 4];
  const int k = blockIdx.y * outputs, n = blockIdx.z;
  const int x = threadIdx.x % tile, y = threadIdx.x / tile;
  float sums[outputs] = {};
  for (int c = 0; c < channels; c += depth) {
    __syncthreads();
    for (int j = 0; j < depth; ++j) {
      load_tile(pixel[j], in + (n * channels + c + j) * pixels);
    }
    for (int j = threadIdx.x; j < outputs * depth * taps; j += 256) {
      const int of_output = j % (depth * taps), o = j / (depth * taps);
      reinterpret_cast<float*>(weight[of_output])[o] =
          weights[((k + o) * channels + c) * taps + of_output];
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < depth; ++d) {
#pragma unroll
      for (int j = 0; j < taps; ++j) {
        const float value = pixel[d][y + j / 3][x + j % 3];
#pragma unroll
        for (int o = 0; o < outputs / 4; ++o) {
          const float4 four = weight[d * taps + j][o];
          sums[4 * o] += value * four.x;
          sums[4 * o + 1] += value * four.y;
          sums[4 * o + 2] += value * four.z;
          sums[4 * o + 3] += value * four.w;
        }
      }
    }
  }
  const int column = blockIdx.x % 2 * tile + x, line = blockIdx.x / 2 * tile + y;
  for (int o = 0; o < outputs; ++o) {
    out[(n * channels + k + o) * pixels + line * side + column] = sums[o];
  }
}

constexpr int lines = 2, padded = channels + 16;

/// Two lines of pixels a block, sixteen pixels a warp, all output channels. Pictures are
/// [image][y][x][channel], weights [tap][input channel][output channel].
__global__ void by_tensor_cores(const half* in, const half* weights, float* out) {
  using namespace nvcuda;
  __shared__ __align__(32) half pixel[lines + 2][side + 2][padded];
  const int n = blockIdx.y, first = blockIdx.x * lines;
  constexpr int vectors = channels / 8;
  for (int k = threadIdx.x; k < (lines + 2) * (side + 2) * vectors; k += 128) {
    const int v = k % vectors, x = k / vectors % (side + 2), y = k / vectors / (side + 2);
    const int from_x = x - 1, from_y = first + y - 1;
    uint4 eight = {0, 0, 0, 0};
    if (from_x >= 0 && from_x < side && from_y >= 0 && from_y < side) {
      eight =
          reinterpret_cast<const uint4*>(in)[(n * pixels + from_y * side + from_x) * vectors + v];
    }
    *reinterpret_cast<uint4*>(&pixel[y][x][8 * v]) = eight;
  }
  __syncthreads();
  const int warp = threadIdx.x / 32, y = warp / 2, x = warp % 2 * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[channels / 16];
  for (auto& sum : sums) wmma::fill_fragment(sum, 0.0F);
  for (int j = 0; j < taps; ++j) {
    for (int c = 0; c < channels; c += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
      wmma::load_matrix_sync(a, &pixel[y + j / 3][x + j % 3][c], padded);
#pragma unroll
      for (int k = 0; k < channels / 16; ++k) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
        wmma::load_matrix_sync(b, weights + (j * channels + c) * channels + 16 * k, channels);
        wmma::mma_sync(sums[k], a, b, sums[k]);
      }
    }
  }
#pragma unroll
  for (int k = 0; k < channels / 16; ++k) {
    wmma::store_matrix_sync(out + (n * channels + 16 * k) * pixels + (first + y) * side + x,
                            sums[k], pixels, wmma::mem_col_major);
  }
}

// A forest: 64 full trees of eight decisions; the sum of the leaves that a sample reaches.
constexpr int samples = 32768, features = 32, trees = 64, levels = 8, leaves = 1 << levels;

/// Go right when the feature is above the threshold; node k is followed by 2 k + 1 and 2 k + 2.
struct Node {
  float threshold;
  int feature;
};

__global__ void sample_a_thread(const float* values, const Node* nodes, const float* leaf,
                                float* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < trees; ++t) {
    int at = 0;
    for (int level = 0; level < levels; ++level) {
      const Node node = nodes[t * (leaves - 1) + at];
      at = 2 * at + 1 + (values[i * features + node.feature] > node.threshold ? 1 : 0);
    }
    sum += leaf[t * leaves + at - (leaves - 1)];
  }
  out[i] = sum;
}

/// Samples of a block and one tree after another lie in shared memory.
__global__ void trees_in_shared_memory(const float* values, const Node* nodes, const float* leaf,
                                       float* out) {
  __shared__ float value[features][128 + 1];
  __shared__ Node node[leaves];
  __shared__ float of_leaf[leaves];
  const int t = threadIdx.x, first = blockIdx.x * 128;
  for (int k = t; k < 128 * features; k += 128) {
    value[k % features][k / features] = values[first * features + k];
  }
  float sum = 0;
  for (int tree = 0; tree < trees; ++tree) {
    __syncthreads();
    for (int k = t; k < leaves; k += 128) {
      if (k < leaves - 1) node[k] = nodes[tree * (leaves - 1) + k];
      of_leaf[k] = leaf[tree * leaves + k];
    }
    __syncthreads();
    int at = 0;
#pragma unroll
    for (int level = 0; level < levels; ++level) {
      const Node here = node[at];
      at = 2 * at + 1 + (value[here.feature][t] > here.threshold ? 1 : 0);
    }
    sum += of_leaf[at - (leaves - 1)];
  }
  out[first + t] = sum;
}

/// A warp a sample, a feature and two trees a lane.
__global__ void sample_a_warp(const float* values, const Node* nodes, const float* leaf,
                              float* out) {
  const int i = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float own = values[i * features + lane];
  int at[trees / 32] = {};
  for (int level = 0; level < levels; ++level) {
#pragma unroll
    for (int k = 0; k < trees / 32; ++k) {
      const Node node = nodes[(32 * k + lane) * (leaves - 1) + at[k]];
      const float value = __shfl_sync(0xffffffffU, own, node.feature);
      at[k] = 2 * at[k] + 1 + (value > node.threshold ? 1 : 0);
    }
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < trees / 32; ++k) sum += leaf[(32 * k + lane) * leaves + at[k] - (leaves - 1)];
  sum = warp_sum(sum);
  if (lane == 0) out[i] = sum;
}

// Boxes in falling order of score; one is kept unless it overlaps a kept one by more than half of
// what the two cover.
constexpr int boxes = 2048, box_words = boxes / 64;
using Word = unsigned long long;

__host__ __device__ bool overlap(const int4& a, const int4& b) {
  const int left = a.x > b.x ? a.x : b.x, right = a.z < b.z ? a.z : b.z;
  const int top = a.y > b.y ? a.y : b.y, bottom = a.w < b.w ? a.w : b.w;
  const int common = right > left && bottom > top ? (right - left) * (bottom - top) : 0;
  const int both = (a.z - a.x) * (a.w - a.y) + (b.z - b.x) * (b.w - b.y);
  return 2 * common > both - common;
}

/// Which of 64 boxes each of 64 others overlaps, of those behind it.
__global__ void overlaps(const int4* all, Word* masks) {
  __shared__ int4 others[64];
  const int i = blockIdx.y * 64 + threadIdx.x, first = blockIdx.x * 64;
  others[threadIdx.x] = all[first + threadIdx.x];
  __syncthreads();
  const int4 own = all[i];
  Word mask = 0;
  for (int k = 0; k < 64; ++k) {
    if (first + k > i && overlap(own, others[k])) mask |= Word{1} << k;
  }
  masks[i * box_words + blockIdx.x] = mask;
}

/// One warp, a word of what is gone a lane.
__global__ void kept_by_masks(const Word* masks, int* kept) {
  const int lane = threadIdx.x;
  Word gone = 0;
  for (int w = 0; w < box_words; ++w) {
    for (int k = 0; k < 64; ++k) {
      const Word here = __shfl_sync(0xffffffffU, gone, w);
      const bool stays = (here >> k & 1) == 0;
      if (stays) gone |= masks[(64 * w + k) * box_words + lane];
      if (lane == 0) kept[64 * w + k] = stays ? 1 : 0;
    }
  }
}

/// One block: for each kept box, what it overlaps goes.
__global__ void kept_by_block(const int4* all, int* kept) {
  __shared__ int stays[boxes];
  const int t = threadIdx.x;
  const int4 own[2] = {all[t], all[t + 1024]};
  stays[t] = stays[t + 1024] = 1;
  for (int i = 0; i < boxes; ++i) {
    __syncthreads();
    if (stays[i] == 0) continue;
    const int4 best = all[i];
    if (t > i && overlap(best, own[0])) stays[t] = 0;
    if (t + 1024 > i && overlap(best, own[1])) stays[t + 1024] = 0;
  }
  __syncthreads();
  kept[t] = stays[t];
  kept[t + 1024] = stays[t + 1024];
}

Kernels convolution_layer() {
  // All fit into half exactly.
  const auto value = [](std::uint32_t i) { return float(mixed(i) >> 24) / 256.0F - 0.5F; };
  const auto weight = [](std::uint32_t i) { return float(mixed(~i) >> 26) / 64.0F - 0.5F; };
  const Array<float> in(images * channels * pixels, value);
  const Array<float> weights(channels * channels * taps, weight);
  const Array<half> half_in(images * pixels * channels, [=](std::uint32_t i) {
    const std::uint32_t c = i % channels, pixel = i / channels % pixels, n = i / channels / pixels;
    return __float2half(value((n * channels + c) * pixels + pixel));
  });
  const Array<half> half_weights(taps * channels * channels, [=](std::uint32_t i) {
    const std::uint32_t k = i % channels, c = i / channels % channels,
                        tap = i / channels / channels;
    return __float2half(weight((k * channels + c) * taps + tap));
  });
  const Array<float> out(images * channels * pixels);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{
        name, [=] { out.clear(); }, launch,
        [=] {
          const std::vector<float> got = out.read();
          return sampled(out.size(), [&](std::size_t i) {
            const int x = int(i % side), y = int(i / side % side);
            const std::size_t k = i / pixels % channels, n = i / pixels / channels;
            double sum = 0, most = 0;
            for (std::size_t c = 0; c < channels; ++c) {
              for (int j = 0; j < taps; ++j) {
                const int px = x + j % 3 - 1, py = y + j / 3 - 1;
                if (px < 0 || px >= side || py < 0 || py >= side) continue;
                const double one =
                    double(in[(n * channels + c) * pixels + std::size_t(py * side + px)]) *
                    weights[(k * channels + c) * taps + std::size_t(j)];
                sum += one;
                most += std::abs(one);
              }
            }
            return std::abs(got[i] - sum) <= 1e-5 * most;
          });
        }};
  };
  return {way("an output a thread",
              [=] {
                output_a_thread<<<images * channels * pixels / 256, 256>>>(
                    in.device(), weights.device(), out.device());
              }),
          way("tiles in shared memory",
              [=] {
                tile_of_channel<<<dim3(4, channels, images), 256>>>(in.device(), weights.device(),
                                                                    out.device());
              }),
          way("tiles, eight channels a thread",
              [=] {
                eight_channels_a_thread<<<dim3(4, channels / outputs, images), 256>>>(
                    in.device(), weights.device(), out.device());
              }),
          way("tensor cores", [=] {
            by_tensor_cores<<<dim3(side / lines, images), 128>>>(
                half_in.device(), half_weights.device(), out.device());
          })};
}

Kernels decision_forest() {
  const Array<float> values(samples * features, [](std::uint32_t i) { return fraction(i); });
  const Array<Node> nodes(trees * (leaves - 1), [](std::uint32_t i) {
    return Node{0.2F + 0.6F * fraction(i + 4000000), int(mixed(i + 5000000) % features)};
  });
  // Sums of such are exact.
  const Array<float> leaf(trees * leaves,
                          [](std::uint32_t i) { return float(mixed(i) >> 22) / 64.0F - 8.0F; });
  const Array<float> out(samples);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(samples, [&](std::size_t i) {
                      float sum = 0;
                      for (std::size_t t = 0; t < trees; ++t) {
                        std::size_t at = 0;
                        while (at < leaves - 1) {
                          const Node& node = nodes[t * (leaves - 1) + at];
                          const float own = values[i * features + std::size_t(node.feature)];
                          at = 2 * at + (own > node.threshold ? 2 : 1);
                        }
                        sum += leaf[t * leaves + at - (leaves - 1)];
                      }
                      return got[i] == sum;
                    });
                  }};
  };
  return {way("a thread a sample",
              [=] {
                sample_a_thread<<<samples / 128, 128>>>(values.device(), nodes.device(),
                                                        leaf.device(), out.device());
              }),
          way("trees in shared memory",
              [=] {
                trees_in_shared_memory<<<samples / 128, 128>>>(values.device(), nodes.device(),
                                                               leaf.device(), out.device());
              }),
          way("a warp a sample", [=] {
            sample_a_warp<<<samples / 8, 256>>>(values.device(), nodes.device(), leaf.device(),
                                                out.device());
          })};
}

Kernels overlapping_boxes() {
  // Around 200 places.
  const Array<int4> all(boxes, [](std::uint32_t i) {
    const auto drawn = [=](std::uint32_t k, std::uint32_t below) {
      return int(mixed(8 * i + k + 77) % below);
    };
    const std::uint32_t place = mixed(i) % 200;
    const int x = int(mixed(place + 1000) % 1800) + drawn(0, 20);
    const int y = int(mixed(place + 2000) % 900) + drawn(1, 20);
    return int4{x, y, x + 40 + drawn(2, 60), y + 40 + drawn(3, 60)};
  });
  const Array<Word> masks(boxes * box_words);
  const Array<int> kept(boxes);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { kept.clear(); }, launch,
                  [=] {
                    std::vector<int> wanted(boxes, 1);
                    for (std::size_t i = 0; i < boxes; ++i) {
                      for (std::size_t k = 0; k < i; ++k) {
                        if (wanted[k] == 1 && overlap(all[k], all[i])) wanted[i] = 0;
                      }
                    }
                    return kept.read() == wanted;
                  }};
  };
  return {way("masks of all pairs",
              [=] {
                overlaps<<<dim3(box_words, box_words), 64>>>(all.device(), masks.device());
                kept_by_masks<<<1, 32>>>(masks.device(), kept.device());
              }),
          way("one block, box after box",
              [=] { kept_by_block<<<1, 1024>>>(all.device(), kept.device()); })};
}

}  // namespace ladder::inference

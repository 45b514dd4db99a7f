// All pairs, counted: which genes of the ill and the well come together, and at which angles galaxies
// stand from one another.
#include <algorithm>

#include "ladder.h"

namespace ladder::pairs {

// Genes: each person has kind 0, 1 or 2 of each. Bits of 32 people are a word; a plane for kind 0 and
// one for kind 1. Words of all genes lie side by side, those of the ill before those of the well.
constexpr int genes = 640, words = 64, kinds = 9;

struct Planes {
  const unsigned *zero, *one;
};

/// How unlike the ill and the well are, by how many have each pair of kinds.
__host__ __device__ float unlike(const int (&ill)[kinds], const int (&well)[kinds]) {
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kinds; ++k) {
    const float apart = float(ill[k] - well[k]);
    sum += apart * apart / float(ill[k] + well[k] + 1);
  }
  return sum;
}

__host__ __device__ int ones(unsigned word) {
#ifdef __CUDA_ARCH__
  return __popc(word);
#else
  return __builtin_popcount(word);
#endif
}

/// Of 32 people, those with each pair of kinds.
__host__ __device__ void count(int (&counts)[kinds], const unsigned (&a)[2],
                               const unsigned (&b)[2]) {
  const unsigned of_a[3] = {a[0], a[1], ~(a[0] | a[1])}, of_b[3] = {b[0], b[1], ~(b[0] | b[1])};
#pragma unroll
  for (int k = 0; k < kinds; ++k) counts[k] += ones(of_a[k / 3] & of_b[k % 3]);
}

__global__ void genes_from_memory(Planes planes, float* out) {
  const int i = blockIdx.y * 4 + threadIdx.y, j = blockIdx.x * 32 + threadIdx.x;
  if (i >= j) return;
  int counts[2][kinds] = {};
#pragma unroll
  for (int group = 0; group < 2; ++group) {
    for (int w = group * words; w < (group + 1) * words; ++w) {
      const unsigned a[2] = {planes.zero[w * genes + i], planes.one[w * genes + i]};
      const unsigned b[2] = {planes.zero[w * genes + j], planes.one[w * genes + j]};
      count(counts[group], a, b);
    }
  }
  out[i * genes + j] = unlike(counts[0], counts[1]);
}

/// 32 words of `wide` genes from `first` on, by 256 threads.
template <int wide>
__device__ void bring_words(Planes planes, int word, int first, unsigned (*zero)[wide],
                            unsigned (*one)[wide]) {
  for (int k = threadIdx.y * 16 + threadIdx.x; k < 32 * wide; k += 256) {
    const int from = (word + k / wide) * genes + first + k % wide;
    zero[k / wide][k % wide] = planes.zero[from];
    one[k / wide][k % wide] = planes.one[from];
  }
}

__global__ void genes_in_tiles(Planes planes, float* out) {
  __shared__ unsigned a0[32][16], a1[32][16], b0[32][16], b1[32][16];
  if (blockIdx.y > blockIdx.x) return;
  const int x = threadIdx.x, y = threadIdx.y;
  int counts[2][kinds] = {};
#pragma unroll
  for (int group = 0; group < 2; ++group) {
    for (int first = group * words; first < (group + 1) * words; first += 32) {
      __syncthreads();
      bring_words(planes, first, blockIdx.y * 16, a0, a1);
      bring_words(planes, first, blockIdx.x * 16, b0, b1);
      __syncthreads();
      for (int w = 0; w < 32; ++w) {
        const unsigned a[2] = {a0[w][y], a1[w][y]}, b[2] = {b0[w][x], b1[w][x]};
        count(counts[group], a, b);
      }
    }
  }
  const int i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
  if (i < j) out[i * genes + j] = unlike(counts[0], counts[1]);
}

/// How many of the ill and of the well have kinds 0 and 1 of a gene.
__global__ void kinds_of_genes(Planes planes, int4* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  int4 sum = {0, 0, 0, 0};
  for (int w = 0; w < words; ++w) {
    sum.x += __popc(planes.zero[w * genes + i]);
    sum.y += __popc(planes.one[w * genes + i]);
    sum.z += __popc(planes.zero[(words + w) * genes + i]);
    sum.w += __popc(planes.one[(words + w) * genes + i]);
  }
  out[i] = sum;
}

/// Nine counts from four and what each gene has alone.
__device__ void complete(int (&nine)[kinds], const int (&four)[4], int a0, int a1, int b0, int b1) {
  nine[0] = four[0];
  nine[1] = four[1];
  nine[2] = a0 - four[0] - four[1];
  nine[3] = four[2];
  nine[4] = four[3];
  nine[5] = a1 - four[2] - four[3];
  nine[6] = b0 - four[0] - four[2];
  nine[7] = b1 - four[1] - four[3];
  nine[8] = 32 * words - a0 - a1 - nine[6] - nine[7];
}

/// Two by two pairs a thread.
__global__ void genes_by_four_counts(Planes planes, const int4* alone, float* out) {
  __shared__ unsigned a0[32][32], a1[32][32], b0[32][32], b1[32][32];
  if (blockIdx.y > blockIdx.x) return;
  const int x = threadIdx.x, y = threadIdx.y;
  int counts[2][4][4] = {};
#pragma unroll
  for (int group = 0; group < 2; ++group) {
    for (int first = group * words; first < (group + 1) * words; first += 32) {
      __syncthreads();
      bring_words(planes, first, blockIdx.y * 32, a0, a1);
      bring_words(planes, first, blockIdx.x * 32, b0, b1);
      __syncthreads();
#pragma unroll 2
      for (int w = 0; w < 32; ++w) {
        const unsigned a[2][2] = {{a0[w][y], a1[w][y]}, {a0[w][y + 16], a1[w][y + 16]}};
        const unsigned b[2][2] = {{b0[w][x], b1[w][x]}, {b0[w][x + 16], b1[w][x + 16]}};
#pragma unroll
        for (int k = 0; k < 16; ++k) {
          counts[group][k / 4][k % 4] += __popc(a[k / 8][k / 2 % 2] & b[k / 4 % 2][k % 2]);
        }
      }
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.y * 32 + y + k / 2 * 16, j = blockIdx.x * 32 + x + k % 2 * 16;
    if (i >= j) continue;
    const int4 a = alone[i], b = alone[j];
    int ill[kinds], well[kinds];
    complete(ill, counts[0][k], a.x, a.y, b.x, b.y);
    complete(well, counts[1][k], a.z, a.w, b.z, b.w);
    out[i * genes + j] = unlike(ill, well);
  }
}

// Galaxies on the sky; 31 bounds of cosines, the greatest first, part 32 bins.
constexpr int galaxies = 5120, together = 256, bins = 32;

__constant__ float constant_bounds[bins];

struct Sky {
  const float *x, *y, *z;
};

/// Each pair of a galaxy of the block's row and one of its column, once.
template <class Count>
__device__ void all_pairs(Sky sky, Count count) {
  __shared__ float4 others[together];
  const int i = blockIdx.y * together + threadIdx.x, j = blockIdx.x * together + threadIdx.x;
  others[threadIdx.x] = float4{sky.x[j], sky.y[j], sky.z[j], 0};
  const float x = sky.x[i], y = sky.y[i], z = sky.z[i];
  __syncthreads();
  for (int k = blockIdx.x == blockIdx.y ? int(threadIdx.x) + 1 : 0; k < together; ++k) {
    const float4 other = others[k];
    count(x * other.x + y * other.y + z * other.z);
  }
}

/// How many bounds are greater, by halving.
__device__ int bin_of(const float* bounds, float cosine) {
  int bin = 0;
#pragma unroll
  for (int step = bins / 2; step > 0; step /= 2) {
    if (bounds[bin + step - 1] > cosine) bin += step;
  }
  return bin;
}

__global__ void angles_of_blocks(Sky sky, const float* all_bounds, unsigned* out) {
  __shared__ float bounds[bins];
  __shared__ unsigned own[bins];
  if (blockIdx.y > blockIdx.x) return;
  if (threadIdx.x < bins) {
    bounds[threadIdx.x] = all_bounds[threadIdx.x];
    own[threadIdx.x] = 0;
  }
  all_pairs(sky, [&](float cosine) { atomicAdd(own + bin_of(bounds, cosine), 1U); });
  __syncthreads();
  if (threadIdx.x < bins) atomicAdd(out + threadIdx.x, own[threadIdx.x]);
}

/// Each thread has counts of its own, 16 bits each.
__global__ void angles_of_threads(Sky sky, const float* all_bounds, unsigned* out) {
  __shared__ float bounds[bins];
  __shared__ std::uint16_t own[bins][together];
  if (blockIdx.y > blockIdx.x) return;
  const int t = threadIdx.x;
  if (t < bins) bounds[t] = all_bounds[t];
  for (int k = 0; k < bins; ++k) own[k][t] = 0;
  all_pairs(sky, [&](float cosine) { ++own[bin_of(bounds, cosine)][t]; });
  __syncthreads();
  for (int bin = t / 32; bin < bins; bin += together / 32) {
    unsigned sum = 0;
    for (int k = t % 32; k < together; k += 32) sum += own[bin][k];
    sum = warp_sum(sum);
    if (t % 32 == 0 && sum != 0) atomicAdd(out + bin, sum);
  }
}

/// How many pairs are below each bound, in registers; the last bin has what is below all.
__global__ void angles_in_registers(Sky sky, unsigned* out) {
  __shared__ unsigned of_warps[32];
  if (blockIdx.y > blockIdx.x) return;
  unsigned below[bins];
#pragma unroll
  for (int k = 0; k < bins; ++k) below[k] = 0;
  all_pairs(sky, [&](float cosine) {
    ++below[0];
#pragma unroll
    for (int k = 1; k < bins; ++k) below[k] += constant_bounds[k - 1] > cosine ? 1 : 0;
  });
#pragma unroll
  for (int k = 0; k < bins; ++k) {
    const unsigned here = block_sum(below[k] - (k + 1 < bins ? below[k + 1] : 0), of_warps);
    if (threadIdx.x == 0) atomicAdd(out + k, here);
  }
}

Kernels pairs_of_genes() {
  // Kind 0 is the most frequent; a few genes of the ill follow one another.
  const auto kind_of = [](std::uint32_t person, std::uint32_t gene) {
    const bool ill = person < 32 * words;
    const std::uint32_t like = ill && gene % 37 == 5 ? gene - 1 : gene;
    const std::uint32_t drawn = mixed(person * genes + like) % 100;
    return drawn < 55 ? 0U : drawn < 87 ? 1U : 2U;
  };
  const auto plane_of = [=](std::uint32_t kind) {
    return [=](std::uint32_t i) {
      unsigned word = 0;
      for (std::uint32_t k = 0; k < 32; ++k) {
        if (kind_of(i / genes * 32 + k, i % genes) == kind) word |= 1U << k;
      }
      return word;
    };
  };
  const Array<unsigned> zero(2 * words * genes, plane_of(0)), one(2 * words * genes, plane_of(1));
  const Array<float> out(genes * genes);
  const Array<int4> alone(genes);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(genes * genes, [&](std::size_t at) {
                      const std::size_t i = at / genes, j = at % genes;
                      int counts[2][kinds] = {};
                      for (std::size_t w = 0; w < 2 * words; ++w) {
                        const unsigned a[2] = {zero[w * genes + i], one[w * genes + i]};
                        const unsigned b[2] = {zero[w * genes + j], one[w * genes + j]};
                        count(counts[w / words], a, b);
                      }
                      return near(got[at], i < j ? unlike(counts[0], counts[1]) : 0);
                    });
                  }};
  };
  const Planes planes = {zero.device(), one.device()};
  return {
      way("a thread a pair, nine counts",
          [=] {
            genes_from_memory<<<dim3(genes / 32, genes / 4), dim3(32, 4)>>>(planes, out.device());
          }),
      way("tiles, nine counts",
          [=] {
            genes_in_tiles<<<dim3(genes / 16, genes / 16), dim3(16, 16)>>>(planes, out.device());
          }),
      way("four pairs a thread, four counts and sums", [=] {
        kinds_of_genes<<<genes / 32, 32>>>(planes, alone.device());
        genes_by_four_counts<<<dim3(genes / 32, genes / 32), dim3(16, 16)>>>(planes, alone.device(),
                                                                             out.device());
      })};
}

Kernels angles_of_galaxies() {
  // Half of them in clusters.
  std::vector<float> all[3];
  for (std::uint32_t i = 0; i < galaxies; ++i) {
    const auto drawn = [](std::uint32_t k) { return 2 * double(fraction(k)) - 1; };
    const std::uint32_t group = i % 2 == 0 ? 40000 + mixed(i) % 64 : 3 * i;
    double x[3], square = 0;
    for (std::uint32_t k = 0; k < 3; ++k) {
      x[k] = drawn(3 * group + k) + (i % 2 == 0 ? 0.05 * drawn(900000 + 3 * i + k) : 0);
      square += x[k] * x[k];
    }
    for (int k = 0; k < 3; ++k) all[k].push_back(float(x[k] / std::sqrt(square + 1e-9)));
  }
  // From half a degree on, each bound a fifth further than the one before.
  std::vector<float> limits;
  for (int k = 0; k < bins - 1; ++k) {
    limits.push_back(float(std::cos(3.14159265358979 / 360 * std::pow(1.2, k))));
  }
  limits.push_back(-2);
  check(cudaMemcpyToSymbol(constant_bounds, limits.data(), sizeof constant_bounds));
  const Array<float> x(all[0]), y(all[1]), z(all[2]), bounds(limits);
  const Array<unsigned> out(bins);
  const auto wanted = std::make_shared<std::vector<double>>();
  const auto right = [=] {
    if (wanted->empty()) {
      wanted->resize(bins);
      for (std::size_t i = 0; i < galaxies; ++i) {
        for (std::size_t j = i + 1; j < galaxies; ++j) {
          const float cosine = x[i] * x[j] + y[i] * y[j] + z[i] * z[j];
          std::size_t bin = 0;
          for (std::size_t step = bins / 2; step > 0; step /= 2) {
            bin += bounds[bin + step - 1] > cosine ? step : 0;
          }
          ++(*wanted)[bin];
        }
      }
    }
    // A pair that is almost at a bound may count on either side.
    const std::vector<unsigned> got = out.read();
    for (int k = 0; k < bins; ++k) {
      if (std::abs(got[k] - (*wanted)[k]) > 4 + 1e-3 * (*wanted)[k]) return false;
    }
    return true;
  };
  const auto way = [=](const char* name, auto launch) {
    return Kernel{name, [=] { out.clear(); },
                  [=] {
                    launch(Sky{x.device(), y.device(), z.device()},
                           dim3(galaxies / together, galaxies / together));
                  },
                  right};
  };
  return {way("bins of a block, atomics",
              [=](Sky sky, dim3 blocks) {
                angles_of_blocks<<<blocks, together>>>(sky, bounds.device(), out.device());
              }),
          way("bins of a thread, in shared memory",
              [=](Sky sky, dim3 blocks) {
                angles_of_threads<<<blocks, together>>>(sky, bounds.device(), out.device());
              }),
          way("pairs below each bound, in registers", [=](Sky sky, dim3 blocks) {
            angles_in_registers<<<blocks, together>>>(sky, out.device());
          })};
}

}  // namespace ladder::pairs

// Matter, small and far away: the step of a quark field through the links of a lattice, molecules
// that react one after another (Gillespie), and pulses of stars that arrive later at lower
// frequencies.
#include <algorithm>
#include <array>
#include <complex>

#include "ladder.h"

namespace ladder::matter {

// A lattice of four dimensions: three colours a site, and a 3 x 3 matrix for each link to a
// neighbour (staggered fermions without their phases).
constexpr int extent = 16, sites = extent * extent * extent * extent, directions = 4, colours = 3;

struct Vector {
  float2 c[colours];
};
struct Matrix {
  float2 m[colours][colours];
};

__host__ __device__ int neighbour(int site, int direction, int step) {
  const int shift = 4 * direction, at = site >> shift & (extent - 1);
  return site + (((at + step + extent) & (extent - 1)) - at) * (1 << shift);
}

/// sum += a b
__device__ void add_product(float2& sum, float2 a, float2 b) {
  sum.x += a.x * b.x - a.y * b.y;
  sum.y += a.x * b.y + a.y * b.x;
}

/// sum -= (conjugate of a) b
__device__ void subtract_conjugate(float2& sum, float2 a, float2 b) {
  sum.x -= a.x * b.x + a.y * b.y;
  sum.y -= a.x * b.y - a.y * b.x;
}

__device__ void add_forward(Vector& sum, const Matrix& link, const Vector& in) {
#pragma unroll
  for (int r = 0; r < colours; ++r) {
#pragma unroll
    for (int c = 0; c < colours; ++c) add_product(sum.c[r], link.m[r][c], in.c[c]);
  }
}

__device__ void add_backward(Vector& sum, const Matrix& link, const Vector& in) {
#pragma unroll
  for (int r = 0; r < colours; ++r) {
#pragma unroll
    for (int c = 0; c < colours; ++c) subtract_conjugate(sum.c[r], link.m[c][r], in.c[c]);
  }
}

/// Links are [site][direction].
__global__ void site_a_thread(const Matrix* links, const Vector* in, Vector* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  Vector sum = {};
  for (int d = 0; d < directions; ++d) {
    add_forward(sum, links[i * directions + d], in[neighbour(i, d, 1)]);
    const int behind = neighbour(i, d, -1);
    add_backward(sum, links[behind * directions + d], in[behind]);
  }
  out[i] = sum;
}

/// Each element is an array of all sites, so that lanes read side by side.
__global__ void elements_apart(const float2* links, const float2* in, float2* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  Vector sum = {};
#pragma unroll
  for (int d = 0; d < directions; ++d) {
#pragma unroll
    for (int step = 1; step >= -1; step -= 2) {
      const int other = neighbour(i, d, step), from = step > 0 ? i : other;
      Matrix link;
      Vector there;
#pragma unroll
      for (int k = 0; k < colours * colours; ++k) {
        link.m[k / colours][k % colours] = links[(d * colours * colours + k) * sites + from];
      }
#pragma unroll
      for (int k = 0; k < colours; ++k) there.c[k] = in[k * sites + other];
      if (step > 0) {
        add_forward(sum, link, there);
      } else {
        add_backward(sum, link, there);
      }
    }
  }
#pragma unroll
  for (int k = 0; k < colours; ++k) out[k * sites + i] = sum.c[k];
}

/// Eight lanes a site, a neighbour each.
__global__ void neighbour_a_lane(const Matrix* links, const Vector* in, Vector* out) {
  const int n = blockIdx.x * 256 + threadIdx.x, i = n / 8, d = n % 4;
  Vector sum = {};
  if (n % 8 < 4) {
    add_forward(sum, links[i * directions + d], in[neighbour(i, d, 1)]);
  } else {
    const int behind = neighbour(i, d, -1);
    add_backward(sum, links[behind * directions + d], in[behind]);
  }
#pragma unroll
  for (int k = 0; k < colours; ++k) {
#pragma unroll
    for (int step = 4; step > 0; step /= 2) {
      sum.c[k].x += __shfl_xor_sync(0xffffffffU, sum.c[k].x, step);
      sum.c[k].y += __shfl_xor_sync(0xffffffffU, sum.c[k].y, step);
    }
  }
  if (n % 8 == 0) out[i] = sum;
}

// Reactions: which of eight is next follows from how many of six kinds of molecules are there.
constexpr int mixtures = 8192, reactions_of_mixture = 256, kinds = 6, reactions = 8;

struct Reaction {
  int rate, first, second;  ///< kinds that react; none: -1
  int change[kinds];
};

constexpr std::array<Reaction, reactions> all_reactions = {{{3, 0, 1, {-1, -1, 1, 0, 0, 0}},
                                                            {90, 2, -1, {1, 1, -1, 0, 0, 0}},
                                                            {50, 2, -1, {1, 0, -1, 1, 0, 0}},
                                                            {2, 3, 4, {0, 0, 0, -1, -1, 1}},
                                                            {70, 5, -1, {0, 0, 0, 1, 1, -1}},
                                                            {40, 5, -1, {0, 1, 0, 0, 1, -1}},
                                                            {10, 3, -1, {0, 1, 0, -1, 0, 0}},
                                                            {1, 1, 4, {0, -1, 0, 1, 0, 0}}}};
__constant__ Reaction table[reactions];

/// What a mixture has in the beginning.
__host__ __device__ int initial(std::uint32_t mixture, std::uint32_t kind) {
  return kind == 2 || kind == 5 ? 0 : 60 + int(mixed(8 * mixture + kind) % 100);
}

/// `total` times what is drawn to say which reaction is next, and how long it takes.
__host__ __device__ unsigned drawn_part(std::uint32_t mixture, std::uint32_t k, unsigned total) {
  return unsigned(std::uint64_t{mixed(mixed(mixture) + 2 * k)} * total >> 32);
}
__host__ __device__ float drawn_time(std::uint32_t mixture, std::uint32_t k, unsigned total) {
  return -logf(fraction(mixed(mixture) + 2 * k + 1) + 1e-7F) / float(total);
}

__global__ void mixture_a_thread(int* counts, float* times) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  int count[kinds];
  for (int s = 0; s < kinds; ++s) count[s] = initial(i, s);
  float time = 0;
  for (int k = 0; k < reactions_of_mixture; ++k) {
    unsigned weights[reactions], total = 0;
    for (int r = 0; r < reactions; ++r) {
      const Reaction& one = table[r];
      weights[r] = unsigned(one.rate * count[one.first]);
      if (one.second >= 0) weights[r] *= unsigned(count[one.second]);
      total += weights[r];
    }
    if (total == 0) break;
    unsigned left = drawn_part(i, k, total);
    int next = 0;
    while (left >= weights[next]) left -= weights[next++];
    for (int s = 0; s < kinds; ++s) count[s] += table[next].change[s];
    time += drawn_time(i, k, total);
  }
  for (int s = 0; s < kinds; ++s) counts[i * kinds + s] = count[s];
  times[i] = time;
}

/// Eight lanes a mixture: a reaction a lane, and six of them have a kind each.
__global__ void reaction_a_lane(int* counts, float* times) {
  __shared__ int changes[reactions][kinds];
  const int lane = threadIdx.x % 8, i = (blockIdx.x * 128 + threadIdx.x) / 8;
  if (threadIdx.x < reactions * kinds) {
    changes[threadIdx.x / kinds][threadIdx.x % kinds] =
        table[threadIdx.x / kinds].change[threadIdx.x % kinds];
  }
  __syncthreads();
  const int rate = table[lane].rate, first = table[lane].first, second = table[lane].second;
  const int begin = threadIdx.x % 32 / 8 * 8;
  int count = lane < kinds ? initial(i, lane) : 0;
  float time = 0;
  for (int k = 0; k < reactions_of_mixture; ++k) {
    const int a = __shfl_sync(0xffffffffU, count, first, 8);
    const int b = __shfl_sync(0xffffffffU, count, max(second, 0), 8);
    const unsigned weight = unsigned(rate * a * (second < 0 ? 1 : b));
    unsigned up_to = weight;
#pragma unroll
    for (int step = 1; step < 8; step *= 2) {
      const unsigned before = __shfl_up_sync(0xffffffffU, up_to, step, 8);
      if (lane >= step) up_to += before;
    }
    const unsigned total = __shfl_sync(0xffffffffU, up_to, 7, 8);
    const unsigned part = drawn_part(i, k, total);
    const unsigned above = __ballot_sync(0xffffffffU, up_to > part) >> begin & 255;
    if (total != 0) {
      if (lane < kinds) count += changes[__ffs(int(above)) - 1][lane];
      time += drawn_time(i, k, total);
    }
  }
  if (lane < kinds) counts[i * kinds + lane] = count;
  if (lane == 0) times[i] = time;
}

// Pulses: for each measure of dispersion and each time, the sum over channels that are as much later
// as this measure says.
constexpr int channels = 128, measures = 64, times = 8192, most_delay = 1024;
constexpr int recorded = times + most_delay;

__host__ __device__ int delay_of(int measure, int channel) {
  const float relative = 1400.0F / (1400.0F - 3.0F * float(channel));
  return int(float(measure) * 15.0F * (relative * relative - 1.0F) / 0.9F);
}

/// Delays are [measure][channel], samples [channel][time].
__global__ void sum_a_thread(const unsigned char* samples, const int* delays, int* sums) {
  const int t = blockIdx.x * 256 + threadIdx.x, m = blockIdx.y;
  int sum = 0;
  for (int c = 0; c < channels; ++c) sum += samples[c * recorded + t + delays[m * channels + c]];
  sums[m * times + t] = sum;
}

/// Four times a thread, a block apart; delays lie in shared memory.
__global__ void four_times_a_thread(const unsigned char* samples, const int* delays, int* sums) {
  __shared__ int delay[channels];
  const int first = blockIdx.x * 1024 + threadIdx.x, m = blockIdx.y;
  if (threadIdx.x < channels) delay[threadIdx.x] = delays[m * channels + threadIdx.x];
  __syncthreads();
  int sum[4] = {};
#pragma unroll 4
  for (int c = 0; c < channels; ++c) {
    const unsigned char* from = samples + c * recorded + first + delay[c];
#pragma unroll
    for (int k = 0; k < 4; ++k) sum[k] += from[256 * k];
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) sums[m * times + first + 256 * k] = sum[k];
}

constexpr int measures_of_block = 8, most_spread = 128;

/// Eight measures a thread; what they need of a channel lies in shared memory.
__global__ void eight_measures_a_thread(const unsigned char* samples, const int* delays,
                                        int* sums) {
  __shared__ unsigned char near_by[256 + most_spread];
  __shared__ int delay[measures_of_block][channels];
  const int first = blockIdx.x * 256, t = threadIdx.x, m = blockIdx.y * measures_of_block;
  for (int k = t; k < measures_of_block * channels; k += 256) {
    delay[k / channels][k % channels] = delays[m * channels + k];
  }
  int sum[measures_of_block] = {};
  for (int c = 0; c < channels; ++c) {
    __syncthreads();
    const int least = delay[0][c], needed = 256 + delay[measures_of_block - 1][c] - least;
    for (int k = t; k < needed; k += 256) near_by[k] = samples[c * recorded + first + least + k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < measures_of_block; ++k) sum[k] += near_by[t + delay[k][c] - least];
  }
#pragma unroll
  for (int k = 0; k < measures_of_block; ++k) sums[(m + k) * times + first + t] = sum[k];
}

Kernels quarks_on_a_lattice() {
  constexpr int elements = directions * colours * colours;
  const auto of_link = [](std::uint32_t i) {
    return float2{fraction(2 * i) - 0.5F, fraction(2 * i + 1) - 0.5F};
  };
  const auto of_field = [=](std::uint32_t i) { return of_link(i + 5000000); };
  const Array<float2> links(sites * elements, of_link), in(sites * colours, of_field);
  const Array<float2> links_apart(
      sites * elements, [=](std::uint32_t i) { return of_link(i % sites * elements + i / sites); });
  const Array<float2> in_apart(
      sites * colours, [=](std::uint32_t i) { return of_field(i % sites * colours + i / sites); });
  const Array<float2> out(sites * colours);
  const auto way = [=](const char* name, bool apart, std::function<void()> launch) {
    const auto right = [=] {
      using Complex = std::complex<double>;
      const std::vector<float2> got = out.read();
      const auto as_complex = [](float2 a) { return Complex(a.x, a.y); };
      return sampled(sites * colours, [&](std::size_t i) {
        const int site = int(i / colours);
        const std::size_t r = i % colours;
        Complex sum = 0;
        for (int d = 0; d < directions; ++d) {
          const auto ahead = std::size_t(neighbour(site, d, 1));
          const auto behind = std::size_t(neighbour(site, d, -1));
          for (std::size_t c = 0; c < colours; ++c) {
            const std::size_t here = (i / colours * directions + std::size_t(d)) * 9 + r * 3 + c;
            const std::size_t there = (behind * directions + std::size_t(d)) * 9 + c * 3 + r;
            sum += as_complex(links[here]) * as_complex(in[ahead * colours + c]);
            sum -= std::conj(as_complex(links[there])) * as_complex(in[behind * colours + c]);
          }
        }
        return std::abs(as_complex(got[apart ? r * sites + i / colours : i]) - sum) < 1e-4;
      });
    };
    return Kernel{name, [=] { out.clear(); }, launch, right};
  };
  const auto* matrices = reinterpret_cast<const Matrix*>(links.device());
  const auto* vectors = reinterpret_cast<const Vector*>(in.device());
  auto* to = reinterpret_cast<Vector*>(out.device());
  return {way("a thread a site", false,
              [=] { site_a_thread<<<sites / 128, 128>>>(matrices, vectors, to); }),
          way("a thread a site, an array an element", true,
              [=] {
                elements_apart<<<sites / 128, 128>>>(links_apart.device(), in_apart.device(),
                                                     out.device());
              }),
          way("eight lanes a site", false,
              [=] { neighbour_a_lane<<<sites / 32, 256>>>(matrices, vectors, to); })};
}

Kernels reacting_molecules() {
  check(cudaMemcpyToSymbol(table, all_reactions.data(), sizeof table));
  const Array<int> counts(mixtures * kinds);
  const Array<float> ends(mixtures);
  const auto way = [=](const char* name, std::function<void()> launch) {
    const auto renew = [=] {
      counts.clear();
      ends.clear();
    };
    const auto right = [=] {
      const std::vector<int> got = counts.read();
      const std::vector<float> got_ends = ends.read();
      return sampled(mixtures, [&](std::size_t i) {
        const auto mixture = std::uint32_t(i);
        std::array<int, kinds> count{};
        for (std::uint32_t s = 0; s < kinds; ++s) count[s] = initial(mixture, s);
        double time = 0;
        for (std::uint32_t k = 0; k < reactions_of_mixture; ++k) {
          std::array<unsigned, reactions> weights{};
          unsigned total = 0;
          for (std::size_t r = 0; r < reactions; ++r) {
            const Reaction& one = all_reactions[r];
            const int second = one.second < 0 ? 1 : count[std::size_t(one.second)];
            weights[r] = unsigned(one.rate * count[std::size_t(one.first)] * second);
            total += weights[r];
          }
          if (total == 0) break;
          unsigned left = drawn_part(mixture, k, total);
          std::size_t next = 0;
          while (left >= weights[next]) left -= weights[next++];
          for (std::size_t s = 0; s < kinds; ++s) count[s] += all_reactions[next].change[s];
          time += drawn_time(mixture, k, total);
        }
        return std::equal(count.begin(), count.end(), got.begin() + long(i) * kinds) &&
               near(got_ends[i], time, 1e-3);
      });
    };
    return Kernel{name, renew, launch, right};
  };
  return {way("a thread a mixture",
              [=] { mixture_a_thread<<<mixtures / 64, 64>>>(counts.device(), ends.device()); }),
          way("eight lanes a mixture",
              [=] { reaction_a_lane<<<mixtures / 16, 128>>>(counts.device(), ends.device()); })};
}

Kernels dispersed_pulses() {
  const Array<unsigned char> samples(channels * recorded, [](std::uint32_t i) {
    return static_cast<unsigned char>(mixed(i) >> 24);
  });
  const Array<int> delays(measures * channels, [](std::uint32_t i) {
    return delay_of(int(i / channels), int(i % channels));
  });
  const Array<int> sums(measures * times);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { sums.clear(); }, launch,
                  [=] {
                    const std::vector<int> got = sums.read();
                    return sampled(measures * times, [&](std::size_t i) {
                      int sum = 0;
                      for (std::size_t c = 0; c < channels; ++c) {
                        const int delay = delays[i / times * channels + c];
                        sum += samples[c * recorded + i % times + std::size_t(delay)];
                      }
                      return got[i] == sum;
                    });
                  }};
  };
  return {way("a thread a sum",
              [=] {
                sum_a_thread<<<dim3(times / 256, measures), 256>>>(samples.device(),
                                                                   delays.device(), sums.device());
              }),
          way("four times a thread",
              [=] {
                four_times_a_thread<<<dim3(times / 1024, measures), 256>>>(
                    samples.device(), delays.device(), sums.device());
              }),
          way("eight measures a thread, samples in shared memory", [=] {
            eight_measures_a_thread<<<dim3(times / 256, measures / measures_of_block), 256>>>(
                samples.device(), delays.device(), sums.device());
          })};
}

}  // namespace ladder::matter

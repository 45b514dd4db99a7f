// What is related to what: triangles of a graph, by merging lists, by searching and by rows of
// bits; points within reach, of all, with copies ahead or not, and of near cells; members of a set
// by a filter of Bloom; and springs that pull at their ends, with atomics or gathered.
#include <cuda_pipeline.h>

#include <algorithm>
#include <utility>

#include "ladder.h"

namespace ladder::relations {

constexpr int threads = 128;
constexpr int vertices = 2048, drawn_edges = 1 << 16, of_bits = vertices / 32;

/// Edges go to the larger vertex; lists are in order.
struct Graph {
  const int *begins, *lists, *from, *to;
  int edges;
};

__global__ void triangles_merged(Graph g, int* count) {
  const int e = blockIdx.x * threads + threadIdx.x;
  int mine = 0;
  if (e < g.edges) {
    int i = g.begins[g.from[e]], j = g.begins[g.to[e]];
    const int i_end = g.begins[g.from[e] + 1], j_end = g.begins[g.to[e] + 1];
    while (i < i_end && j < j_end) {
      const int a = g.lists[i], b = g.lists[j];
      mine += a == b;
      i += a <= b;
      j += b <= a;
    }
  }
  mine = warp_sum(mine);
  if (threadIdx.x % 32 == 0 && mine != 0) atomicAdd(count, mine);
}

/// A warp an edge; lanes search for the one's neighbours among the other's.
__global__ void triangles_searched(Graph g, int* count) {
  const int e = (blockIdx.x * threads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (e >= g.edges) return;
  const int begin = g.begins[g.to[e]], end = g.begins[g.to[e] + 1];
  int mine = 0;
  for (int i = g.begins[g.from[e]] + lane; i < g.begins[g.from[e] + 1]; i += 32) {
    const int wanted = g.lists[i];
    int low = begin, high = end;
    while (low < high) {
      const int mid = (low + high) / 2;
      if (g.lists[mid] < wanted) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    mine += low < end && g.lists[low] == wanted;
  }
  mine = warp_sum(mine);
  if (lane == 0 && mine != 0) atomicAdd(count, mine);
}

__global__ void triangles_of_bits(Graph g, const uint2* bits, int* count) {
  const int e = (blockIdx.x * threads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (e >= g.edges) return;
  const uint2 a = bits[g.from[e] * (of_bits / 2) + lane], b = bits[g.to[e] * (of_bits / 2) + lane];
  const int mine = warp_sum(__popc(a.x & b.x) + __popc(a.y & b.y));
  if (lane == 0 && mine != 0) atomicAdd(count, mine);
}

constexpr int points = 8192, place_bits = 14, reach = 1 << (place_bits - 5), cells = 32;

__host__ __device__ bool near_enough(int2 a, int2 b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) <= reach * reach;
}

__global__ void all_points(const int2* all, int* counts) {
  __shared__ int2 part[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  const int2 mine = all[i];
  int count = 0;
  for (int begin = 0; begin < points; begin += 64) {
    part[threadIdx.x] = all[begin + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 64; ++k) count += near_enough(mine, part[k]);
    __syncthreads();
  }
  counts[i] = count;
}

/// The next part is copied while one is used.
__global__ void all_points_copied_ahead(const int2* all, int* counts) {
  __shared__ int2 part[2][64];
  const auto copy = [&](int begin) {
    if (begin < points) {
      __pipeline_memcpy_async(&part[begin / 64 % 2][threadIdx.x], &all[begin + threadIdx.x],
                              sizeof(int2));
    }
    __pipeline_commit();
  };
  const int i = blockIdx.x * 64 + threadIdx.x;
  const int2 mine = all[i];
  int count = 0;
  copy(0);
  for (int begin = 0; begin < points; begin += 64) {
    copy(begin + 64);
    __pipeline_wait_prior(1);
    __syncthreads();
    const int2* now = part[begin / 64 % 2];
#pragma unroll 8
    for (int k = 0; k < 64; ++k) count += near_enough(mine, now[k]);
    __syncthreads();
  }
  counts[i] = count;
}

__host__ __device__ int cell_of(int2 p) {
  return (p.y >> (place_bits - 5)) * cells + (p.x >> (place_bits - 5));
}

/// Points are in the order of their cells, which are as wide as the reach.
__global__ void points_of_cells(const int2* all, const int* begins, int* counts) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  const int2 mine = all[i];
  const int cx = cell_of(mine) % cells, cy = cell_of(mine) / cells;
  int count = 0;
  for (int y = max(cy - 1, 0); y <= min(cy + 1, cells - 1); ++y) {
    const int first = begins[y * cells + max(cx - 1, 0)];
    const int last = begins[y * cells + min(cx + 1, cells - 1) + 1];
    for (int k = first; k < last; ++k) count += near_enough(mine, all[k]);
  }
  counts[i] = count;
}

constexpr int members = 1 << 20, questions = 1 << 20, filter_words = 1 << 20, hashes = 6;

__host__ __device__ std::uint32_t member(std::uint32_t k) { return mixed(k) | 1; }  // odd
__host__ __device__ std::uint32_t question(std::uint32_t i) {
  return i % 2 == 0 ? member(mixed(i) % members) : mixed(~i) & ~1U;
}

/// The k-th bit of a value: anywhere, or in the eight words of one sector.
template <bool one_sector>
__host__ __device__ std::uint32_t bit_of(std::uint32_t value, int k) {
  const std::uint32_t drawn = mixed(value + 0x9e3779b9U * (k + 1));
  if (!one_sector) return drawn % (filter_words * 32U);
  return mixed(value) % (filter_words / 8) * 256 + drawn % 256;
}

template <bool one_sector, bool stops>
__global__ void ask(const std::uint32_t* filter, const std::uint32_t* in, unsigned char* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const std::uint32_t value = in[i];
  std::uint32_t all = 1;
  for (int k = 0; k < hashes; ++k) {
    const std::uint32_t bit = bit_of<one_sector>(value, k);
    all &= filter[bit / 32] >> (bit % 32);
    if (stops && (all & 1) == 0) break;
  }
  out[i] = all & 1;
}

constexpr int net = 512, masses = net * net, springs_of = 4;  ///< right, down and both ways across

__host__ __device__ float3 pull(float3 a, float3 b) {
  const float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
  const float length = sqrtf(x * x + y * y + z * z), force = 2 * (length - 1) / length;
  return {force * x, force * y, force * z};
}

__device__ void add(float* sums, int i, float3 v, float sign) {
  atomicAdd(&sums[3 * i], sign * v.x);
  atomicAdd(&sums[3 * i + 1], sign * v.y);
  atomicAdd(&sums[3 * i + 2], sign * v.z);
}

__global__ void spring_a_thread(const int2* springs, const float3* places, float* sums, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  const int2 ends = springs[i];
  const float3 force = pull(places[ends.x], places[ends.y]);
  add(sums, ends.x, force, 1);
  add(sums, ends.y, force, -1);
}

__global__ void mass_a_thread(const int* begins, const int* others, const float3* places,
                              float3* sums) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const float3 mine = places[i];
  float3 sum = {0, 0, 0};
  for (int k = begins[i]; k < begins[i + 1]; ++k) {
    const float3 force = pull(mine, places[others[k]]);
    sum.x += force.x;
    sum.y += force.y;
    sum.z += force.z;
  }
  sums[i] = sum;
}

std::vector<int> begins_of(const std::vector<std::vector<int>>& lists) {
  std::vector<int> begins(1);
  for (const std::vector<int>& list : lists) begins.push_back(begins.back() + int(list.size()));
  return begins;
}

std::vector<int> joined(const std::vector<std::vector<int>>& lists) {
  std::vector<int> all;
  for (const std::vector<int>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Kernels triangles() {
  std::vector<std::vector<int>> lists(vertices);
  for (std::uint32_t k = 0; k < drawn_edges; ++k) {
    const int a = int(mixed(2 * k) % vertices), b = int(mixed(2 * k + 1) % vertices);
    if (a != b) lists[std::min(a, b)].push_back(std::max(a, b));
  }
  std::vector<int> begins_at, ends_at;
  std::vector<unsigned> bits_of(vertices * of_bits);
  for (int v = 0; v < vertices; ++v) {
    std::sort(lists[v].begin(), lists[v].end());
    lists[v].erase(std::unique(lists[v].begin(), lists[v].end()), lists[v].end());
    for (const int u : lists[v]) {
      begins_at.push_back(v);
      ends_at.push_back(u);
      bits_of[v * of_bits + u / 32] |= 1U << (u % 32);
    }
  }
  int wanted = 0;
  for (std::size_t e = 0; e < ends_at.size(); ++e) {
    for (int w = 0; w < of_bits; ++w) {
      wanted += __builtin_popcount(bits_of[begins_at[e] * of_bits + w] &
                                   bits_of[ends_at[e] * of_bits + w]);
    }
  }
  const Array<int> begins(begins_of(lists)), all(joined(lists)), from(begins_at), to(ends_at),
      count(1);
  const Array<unsigned> bits(bits_of);
  const int edges = int(ends_at.size());
  const Graph g = {begins.device(), all.device(), from.device(), to.device(), edges};
  // The arrays live as long as what launches.
  const auto way = [=, kept = std::vector<Array<int>>{begins, all, from, to}](
                       const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { count.clear(); }, launch,
                  [=, still = kept] { return count.read()[0] == wanted; }};
  };
  const int wide = (edges + threads - 1) / threads, warps = (edges + 3) / 4;
  return {
      way("lists merged", [=] { triangles_merged<<<wide, threads>>>(g, count.device()); }),
      way("searched by warps", [=] { triangles_searched<<<warps, threads>>>(g, count.device()); }),
      way("rows of bits", [=] {
        triangles_of_bits<<<warps, threads>>>(g, reinterpret_cast<const uint2*>(bits.device()),
                                              count.device());
      })};
}

Kernels points_within_reach() {
  std::vector<int2> all;
  for (std::uint32_t i = 0; i < points; ++i) {
    all.push_back(
        {int(mixed(2 * i) >> (32 - place_bits)), int(mixed(2 * i + 1) >> (32 - place_bits))});
  }
  std::stable_sort(all.begin(), all.end(), [](int2 a, int2 b) { return cell_of(a) < cell_of(b); });
  std::vector<int> begin(cells * cells + 1);
  for (const int2 p : all) ++begin[cell_of(p) + 1];
  for (int c = 0; c < cells * cells; ++c) begin[c + 1] += begin[c];
  const Array<int2> places(all);
  const Array<int> begins(begin), counts(points);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { counts.clear(); }, launch,
                  [=] {
                    const std::vector<int> got = counts.read();
                    return sampled(points, [&](std::size_t i) {
                      int count = 0;
                      for (int k = 0; k < points; ++k) count += near_enough(places[i], places[k]);
                      return got[i] == count;
                    });
                  }};
  };
  return {
      way("all points", [=] { all_points<<<points / 64, 64>>>(places.device(), counts.device()); }),
      way("all points, copied ahead",
          [=] { all_points_copied_ahead<<<points / 64, 64>>>(places.device(), counts.device()); }),
      way("points of near cells", [=] {
        points_of_cells<<<points / 64, 64>>>(places.device(), begins.device(), counts.device());
      })};
}

Kernels members_of_a_set() {
  const auto filter = [](auto bit_of_member) {
    std::vector<std::uint32_t> words(filter_words);
    for (std::uint32_t k = 0; k < members; ++k) {
      for (int h = 0; h < hashes; ++h) {
        const std::uint32_t bit = bit_of_member(member(k), h);
        words[bit / 32] |= 1U << (bit % 32);
      }
    }
    return Array<std::uint32_t>(words);
  };
  const Array<std::uint32_t> anywhere(filter(bit_of<false>)), sectors(filter(bit_of<true>)),
      in(questions, question);
  const Array<unsigned char> out(questions);
  const auto way = [=](const char* name, auto kernel, const Array<std::uint32_t>& words,
                       auto bit_of_value) {
    return Kernel{name, [=] { out.clear(); },
                  [=] {
                    kernel<<<questions / threads, threads>>>(words.device(), in.device(),
                                                             out.device());
                  },
                  [=] {
                    const std::vector<unsigned char> got = out.read();
                    return sampled(questions, [&](std::size_t i) {
                      std::uint32_t all = 1;
                      for (int h = 0; h < hashes; ++h) {
                        const std::uint32_t bit = bit_of_value(in[i], h);
                        all &= words[bit / 32] >> (bit % 32);
                      }
                      return got[i] == (all & 1);
                    });
                  }};
  };
  return {way("bits anywhere", ask<false, false>, anywhere, bit_of<false>),
          way("bits anywhere, until one is missing", ask<false, true>, anywhere, bit_of<false>),
          way("bits of one sector", ask<true, false>, sectors, bit_of<true>)};
}

Kernels springs_of_a_net() {
  std::vector<int2> springs;
  std::vector<std::vector<int>> lists(masses);
  for (int y = 0; y < net; ++y) {
    for (int x = 0; x < net; ++x) {
      const int to_x[springs_of] = {x + 1, x, x + 1, x - 1}, to_y[] = {y, y + 1, y + 1, y + 1};
      for (int k = 0; k < springs_of; ++k) {
        if (to_x[k] < 0 || to_x[k] >= net || to_y[k] >= net) continue;
        const int a = y * net + x, b = to_y[k] * net + to_x[k];
        springs.push_back({a, b});
        lists[a].push_back(b);
        lists[b].push_back(a);
      }
    }
  }
  std::vector<int2> mingled = springs;
  for (std::uint32_t k = std::uint32_t(mingled.size()); k > 1; --k) {
    std::swap(mingled[k - 1], mingled[mixed(k) % k]);
  }
  const int n = int(springs.size());
  const Array<int2> ordered(springs), drawn(mingled);
  const Array<int> begins(begins_of(lists)), others(joined(lists));
  const Array<float3> places(masses, [](std::uint32_t i) {
    return float3{float(i % net) + fraction(3 * i), float(i / net) + fraction(3 * i + 1),
                  fraction(3 * i + 2)};
  });
  const Array<float> sums(3 * masses);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { sums.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = sums.read();
                    return sampled(masses, [&](std::size_t i) {
                      double x = 0, y = 0, z = 0;
                      for (int k = begins[i]; k < begins[i + 1]; ++k) {
                        const float3 force = pull(places[i], places[others[k]]);
                        x += force.x;
                        y += force.y;
                        z += force.z;
                      }
                      return std::abs(got[3 * i] - x) < 1e-3 &&
                             std::abs(got[3 * i + 1] - y) < 1e-3 &&
                             std::abs(got[3 * i + 2] - z) < 1e-3;
                    });
                  }};
  };
  const auto by_springs = [=](const char* name, const Array<int2>& all) {
    return way(name, [=] {
      spring_a_thread<<<(n + threads - 1) / threads, threads>>>(all.device(), places.device(),
                                                                sums.device(), n);
    });
  };
  return {by_springs("springs in order, atomics", ordered),
          by_springs("springs mingled, atomics", drawn), way("gathered by masses", [=] {
            mass_a_thread<<<masses / threads, threads>>>(begins.device(), others.device(),
                                                         places.device(),
                                                         reinterpret_cast<float3*>(sums.device()));
          })};
}

}  // namespace ladder::relations

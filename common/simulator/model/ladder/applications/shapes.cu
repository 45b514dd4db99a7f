// Shapes: which points lie in a polygon, which straight lines a picture shows (Hough's votes), and
// which vertices of a graph hang together.
#include <algorithm>
#include <numeric>

#include "ladder.h"

namespace ladder::shapes {

using Byte = unsigned char;

// Points in a polygon: an odd number of its sides lies to the right of a point in it.
constexpr int points = 1 << 17, corners = 600;

__constant__ float2 constant_corners[corners];

__host__ __device__ bool is_crossed(float2 point, float2 a, float2 b) {
  return (a.y > point.y) != (b.y > point.y) &&
         point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x;
}

__global__ void inside_from_memory(const float2* all, const float2* polygon, Byte* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float2 point = all[i];
  bool inside = false;
  for (int k = 0, before = corners - 1; k < corners; before = k++) {
    if (is_crossed(point, polygon[k], polygon[before])) inside = !inside;
  }
  out[i] = inside;
}

__global__ void inside_from_constants(const float2* all, Byte* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float2 point = all[i];
  float2 before = constant_corners[corners - 1];
  int crossed = 0;
  for (int k = 0; k < corners; ++k) {
    const float2 corner = constant_corners[k];
    crossed += is_crossed(point, corner, before);
    before = corner;
  }
  out[i] = crossed % 2;
}

/// Four points a thread; a side is a corner, the other's height, and the slope, made once a block.
__global__ void inside_by_slopes(const float2* all, const float2* polygon, Byte* out) {
  __shared__ float4 sides[corners];
  for (int k = threadIdx.x; k < corners; k += 256) {
    const float2 a = polygon[k], b = polygon[k == 0 ? corners - 1 : k - 1];
    const float slope = (b.x - a.x) / (b.y - a.y);
    sides[k] = float4{a.y, b.y, slope, a.x - slope * a.y};
  }
  __syncthreads();
  const int first = blockIdx.x * 1024 + threadIdx.x;
  float2 point[4];
  unsigned inside[4] = {0, 0, 0, 0};
#pragma unroll
  for (int j = 0; j < 4; ++j) point[j] = all[first + 256 * j];
#pragma unroll 2
  for (int k = 0; k < corners; ++k) {
    const float4 side = sides[k];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      inside[j] ^= unsigned((side.x > point[j].y) != (side.y > point[j].y)) &
                   unsigned(point[j].x < side.z * point[j].y + side.w);
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) out[first + 256 * j] = Byte(inside[j]);
}

// Lines: each bright pixel has a vote for the line through it at each of 180 angles.
constexpr int wide = 1024, angles = 180, reach = 1449, places = 2 * reach + 1;

__constant__ float2 directions[angles];

/// How far from the corner a line lies; the same on host and device.
__host__ __device__ int place_of(float2 direction, int x, int y) {
  const float far = fmaf(float(x), direction.x, float(y) * direction.y);
  return int(floorf(far + 0.5F)) + reach;
}

__global__ void votes_of_pixel(const Byte* picture, unsigned* votes) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (picture[y * wide + x] == 0) return;
  for (int k = 0; k < angles; ++k)
    atomicAdd(votes + k * places + place_of(directions[k], x, y), 1U);
}

/// A warp a bright pixel; lanes have angles.
__global__ void votes_of_warp(const unsigned* pixels, int n, const float2* all, unsigned* votes) {
  const int i = (blockIdx.x * 256 + threadIdx.x) / 32;
  if (i >= n) return;
  const unsigned pixel = pixels[i];
  for (int k = threadIdx.x % 32; k < angles; k += 32) {
    atomicAdd(votes + k * places + place_of(all[k], int(pixel % wide), int(pixel / wide)), 1U);
  }
}

/// A block an angle, whose votes are in shared memory.
__global__ void votes_of_angle(const unsigned* pixels, int n, unsigned* votes) {
  __shared__ unsigned own[places];
  for (int k = threadIdx.x; k < places; k += 512) own[k] = 0;
  __syncthreads();
  const float2 direction = directions[blockIdx.x];
  for (int i = threadIdx.x; i < n; i += 512) {
    const unsigned pixel = pixels[i];
    atomicAdd(own + place_of(direction, int(pixel % wide), int(pixel / wide)), 1U);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < places; k += 512) votes[blockIdx.x * places + k] = own[k];
}

// Parts of a graph that hang together: each vertex is told the least of its part.
constexpr int vertices = 1 << 17, edges = 3 << 16;

__global__ void own_numbers(int* labels) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  labels[i] = i;
}

/// The least of a vertex and its neighbours, a step at a time.
__global__ void least_of_neighbours(const int* begins, const int* others, int* labels) {
  const int i = blockIdx.x * 256 + threadIdx.x, end = begins[i + 1];
  const int own = labels[i];
  int least = own;
  for (int k = begins[i]; k < end; ++k) least = min(least, labels[others[k]]);
  if (least < own) labels[i] = least;
}

/// The root of one end below that of the other, then all below their roots.
__global__ void hooked(const int2* ends, int* labels) {
  const int2 edge = ends[blockIdx.x * 256 + threadIdx.x];
  const int a = labels[edge.x], b = labels[edge.y];
  if (a != b) atomicMin(labels + max(a, b), min(a, b));
}

__global__ void jumped(int* labels) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  int root = labels[i];
  while (root != labels[root]) root = labels[root];
  labels[i] = root;
}

__device__ int root_of(volatile int* labels, int i) {
  for (int above = labels[i]; above != i; above = labels[i]) {
    const int next = labels[above];
    labels[i] = next;  // half the way for who comes next
    i = next;
  }
  return i;
}

/// All edges in one launch: who finds that a root is none any more goes on from there.
__global__ void joined(const int2* ends, int* labels) {
  const int2 edge = ends[blockIdx.x * 256 + threadIdx.x];
  int a = root_of(labels, edge.x), b = root_of(labels, edge.y);
  while (a != b) {
    const int high = max(a, b), low = min(a, b);
    const int seen = atomicCAS(labels + high, high, low);
    if (seen == high) return;
    a = root_of(labels, seen);
    b = root_of(labels, low);
  }
}

/// What hangs together, as the host finds it.
struct Graph {
  std::vector<int2> ends;
  std::vector<int> begins = std::vector<int>(vertices + 1), others, least;
  int far = 0;     ///< edges from the least vertex of a part to another of it, at most
  int rounds = 0;  ///< of hooking, if all edges look at one moment's labels

  Graph() : least(vertices, -1) {
    for (std::uint32_t i = 0; i < edges; ++i) {
      const std::uint32_t from = mixed(2 * i) % vertices;
      // Two edges in three lead to vertices near by.
      const std::uint32_t drawn = mixed(2 * i + 1);
      const std::uint32_t to = i % 3 == 0 ? drawn % vertices : (from + 1 + drawn % 512) % vertices;
      ends.push_back({int(from), int(to)});
      ++begins[from + 1];
      ++begins[to + 1];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<int> at(begins.begin(), begins.end() - 1);
    others.resize(2 * edges);
    for (const int2 edge : ends) {
      others[at[edge.x]++] = edge.y;
      others[at[edge.y]++] = edge.x;
    }
    find_parts();
    count_rounds();
  }

 private:
  void find_parts() {
    std::vector<int> steps(vertices);
    for (int root = 0; root < vertices; ++root) {
      if (least[root] >= 0) continue;
      std::vector<int> waiting = {root};
      least[root] = root;
      for (std::size_t k = 0; k < waiting.size(); ++k) {
        const int i = waiting[k];
        for (int e = begins[i]; e < begins[i + 1]; ++e) {
          const int other = others[e];
          if (least[other] >= 0) continue;
          least[other] = root;
          steps[other] = steps[i] + 1;
          waiting.push_back(other);
        }
        far = std::max(far, steps[i]);
      }
    }
  }
  void count_rounds() {
    std::vector<int> labels(vertices);
    std::iota(labels.begin(), labels.end(), 0);
    for (; labels != least; ++rounds) {
      const std::vector<int> now = labels;
      for (const int2 edge : ends) {
        const int a = now[edge.x], b = now[edge.y];
        if (a != b) labels[std::max(a, b)] = std::min(labels[std::max(a, b)], std::min(a, b));
      }
      for (int& label : labels) {
        while (label != labels[label]) label = labels[label];
      }
    }
  }
};

Kernels points_in_polygon() {
  std::vector<float2> star;
  for (std::uint32_t k = 0; k < corners; ++k) {
    const double angle = 2 * 3.14159265358979 * k / corners, far = 0.3 + 0.6 * fraction(k);
    star.push_back({float(far * std::cos(angle)), float(far * std::sin(angle))});
  }
  check(cudaMemcpyToSymbol(constant_corners, star.data(), sizeof constant_corners));
  const Array<float2> polygon(star), all(points, [](std::uint32_t i) {
    return float2{2 * fraction(2 * i) - 1, 2 * fraction(2 * i + 1) - 1};
  });
  const Array<Byte> out(points);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<Byte> got = out.read();
                    return sampled(points, [&](std::size_t i) {
                      // A point that is almost on a side may count as on either.
                      int crossed = 0;
                      bool close = false;
                      for (int k = 0; k < corners; ++k) {
                        const float2 a = star[k], b = star[k == 0 ? corners - 1 : k - 1];
                        const float2 point = all[i];
                        if ((a.y > point.y) == (b.y > point.y)) continue;
                        const double x =
                            (double(b.x) - a.x) * (double(point.y) - a.y) / (double(b.y) - a.y) +
                            a.x;
                        crossed += point.x < x ? 1 : 0;
                        close |= std::abs(point.x - x) < 1e-4;
                      }
                      return close || got[i] == crossed % 2;
                    });
                  }};
  };
  return {way("corners in global memory",
              [=] {
                inside_from_memory<<<points / 256, 256>>>(all.device(), polygon.device(),
                                                          out.device());
              }),
          way("corners in constant memory",
              [=] { inside_from_constants<<<points / 256, 256>>>(all.device(), out.device()); }),
          way("slopes in shared memory, four points a thread", [=] {
            inside_by_slopes<<<points / 1024, 256>>>(all.device(), polygon.device(), out.device());
          })};
}

Kernels lines_of_picture() {
  std::vector<float2> turns;
  for (int k = 0; k < angles; ++k) {
    const double angle = k * 3.14159265358979 / angles;
    turns.push_back({float(std::cos(angle)), float(std::sin(angle))});
  }
  check(cudaMemcpyToSymbol(directions, turns.data(), sizeof directions));
  // A dozen lines and two circles on one bright pixel in a hundred.
  const Array<Byte> picture(wide * wide, [](std::uint32_t i) {
    const int x = int(i % wide), y = int(i / wide);
    bool bright = mixed(i) % 100 == 0;
    for (std::uint32_t k = 0; k < 12; ++k) {
      const int a = int(mixed(3 * k) % 41) - 20, b = int(mixed(3 * k + 1) % 41) - 20;
      const int far = a * (x - int(mixed(k + 60) % wide)) + b * (y - int(mixed(k + 90) % wide));
      bright |= std::abs(far) * 2 <= std::max(std::abs(a), std::abs(b));
    }
    const int square = (x - 500) * (x - 500) + (y - 400) * (y - 400);
    bright |= std::abs(square - 62500) < 250 || std::abs(square - 14400) < 120;
    return Byte(bright ? 255 : 0);
  });
  std::vector<unsigned> bright, wanted(angles * places);
  for (unsigned i = 0; i < wide * wide; ++i) {
    if (picture[i] == 0) continue;
    bright.push_back(i);
    for (int k = 0; k < angles; ++k) {
      ++wanted[k * places + place_of(turns[k], int(i % wide), int(i / wide))];
    }
  }
  const Array<unsigned> pixels(bright), votes(angles * places);
  const Array<float2> all(turns);
  const int n = int(bright.size());
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { votes.clear(); }, launch, [=] { return votes.read() == wanted; }};
  };
  return {way("a thread a pixel",
              [=] {
                votes_of_pixel<<<dim3(wide / 32, wide / 8), dim3(32, 8)>>>(picture.device(),
                                                                           votes.device());
              }),
          way("a warp a bright pixel",
              [=] {
                votes_of_warp<<<(n + 7) / 8, 256>>>(pixels.device(), n, all.device(),
                                                    votes.device());
              }),
          way("a block an angle, in shared memory",
              [=] { votes_of_angle<<<angles, 512>>>(pixels.device(), n, votes.device()); })};
}

Kernels parts_of_graph() {
  const Graph graph;
  const Array<int2> ends(graph.ends);
  const Array<int> begins(graph.begins), others(graph.others), labels(vertices);
  const std::vector<int> wanted = graph.least;
  constexpr int blocks = vertices / 256;
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { labels.clear(); },
                  [=] {
                    own_numbers<<<blocks, 256>>>(labels.device());
                    launch();
                  },
                  [=] { return labels.read() == wanted; }};
  };
  const int steps = graph.far, rounds = graph.rounds + 2;
  return {way("labels from neighbours",
              [=] {
                for (int k = 0; k < steps; ++k) {
                  least_of_neighbours<<<blocks, 256>>>(begins.device(), others.device(),
                                                       labels.device());
                }
              }),
          way("roots hooked, then all jump",
              [=] {
                for (int k = 0; k < rounds; ++k) {
                  hooked<<<edges / 256, 256>>>(ends.device(), labels.device());
                  jumped<<<blocks, 256>>>(labels.device());
                }
              }),
          way("roots joined in one launch", [=] {
            joined<<<edges / 256, 256>>>(ends.device(), labels.device());
            jumped<<<blocks, 256>>>(labels.device());
          })};
}

}  // namespace ladder::shapes

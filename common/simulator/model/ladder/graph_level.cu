// One level of a search through a graph whose vertices all have 16 neighbours: every vertex asks
// whether it is in the front, by a thread or by a warp, or the front is a list.
#include <algorithm>

#include "ladder.h"

namespace ladder::graph_level {

constexpr int vertices = 1 << 20, neighbours = 16, threads = 256;
constexpr int unseen = 1 << 30;

__global__ void thread_a_vertex(const int* edges, int* level, int now) {
  const int v = blockIdx.x * threads + threadIdx.x;
  if (level[v] != now) return;
  for (int k = 0; k < neighbours; ++k) {
    const int to = edges[v * neighbours + k];
    if (level[to] == unseen) level[to] = now + 1;
  }
}

/// Half a warp for the neighbours of a vertex.
__global__ void lanes_a_vertex(const int* edges, int* level, int now) {
  const int v = (blockIdx.x * threads + threadIdx.x) / neighbours;
  if (level[v] != now) return;
  const int to = edges[v * neighbours + threadIdx.x % neighbours];
  if (level[to] == unseen) level[to] = now + 1;
}

__global__ void lists(const int* edges, const int* front, int n, int* level, int now, int* next,
                      int* used) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < neighbours; ++k) {
    const int to = edges[front[i] * neighbours + k];
    if (atomicMin(&level[to], now + 1) == unseen) next[atomicAdd(used, 1)] = to;
  }
}

/// Half a warp for a vertex of the list, and one atomic a warp for places in the next.
__global__ void lists_by_lanes(const int* edges, const int* front, int n, int* level, int now,
                               int* next, int* used) {
  const int i = (blockIdx.x * threads + threadIdx.x) / neighbours;
  bool mine = false;
  int to = 0;
  if (i < n) {
    to = edges[front[i] * neighbours + threadIdx.x % neighbours];
    mine = atomicMin(&level[to], now + 1) == unseen;
  }
  const unsigned found = __ballot_sync(0xffffffffU, mine);
  const int lane = threadIdx.x % 32;
  int begin = 0;
  if (lane == 0 && found != 0) begin = atomicAdd(used, __popc(found));
  begin = __shfl_sync(0xffffffffU, begin, 0);
  if (mine) next[begin + __popc(found & ((1U << lane) - 1))] = to;
}

Kernels graph_level() {
  const Array<int> edges(vertices * neighbours, [](std::uint32_t i) {
    const int v = int(i / neighbours);  // half of them close by
    return i % 2 == 0 ? int(mixed(i) % vertices)
                      : (v + int(mixed(i) % 512) + vertices - 256) % vertices;
  });
  constexpr int now = 3, part = 16;  // one of 16 vertices is in the front
  const auto in_front = [](std::uint32_t v) { return mixed(~v) % part == 0; };
  const Array<int> levels(vertices, [=](std::uint32_t v) { return in_front(v) ? now : unseen; });
  std::vector<int> list;
  for (int v = 0; v < vertices; ++v) {
    if (in_front(v)) list.push_back(v);
  }
  const Array<int> front(list), level(vertices), next(vertices), used(1);
  const int n = int(list.size());
  const auto renew = [=] {
    check(cudaMemcpy(level.device(), levels.device(), vertices * 4, cudaMemcpyDeviceToDevice));
    used.clear();
  };
  const auto way = [=](const char* name, bool makes_list, std::function<void()> launch) {
    return Kernel{name, renew, launch, [=] {
                    std::vector<int> wanted;
                    int reached = 0;
                    for (int v = 0; v < vertices; ++v) wanted.push_back(levels[v]);
                    for (int i = 0; i < n; ++i) {
                      for (int k = 0; k < neighbours; ++k) {
                        int& there = wanted[edges[front[i] * neighbours + k]];
                        reached += there == unseen;
                        there = std::min(there, now + 1);
                      }
                    }
                    return level.read() == wanted && (!makes_list || used.read()[0] == reached);
                  }};
  };
  return {
      way("thread a vertex", false,
          [=] {
            thread_a_vertex<<<vertices / threads, threads>>>(edges.device(), level.device(), now);
          }),
      way("16 lanes a vertex", false,
          [=] {
            lanes_a_vertex<<<vertices / threads * neighbours, threads>>>(edges.device(),
                                                                         level.device(), now);
          }),
      way("list, thread a vertex", true,
          [=] {
            lists<<<(n + threads - 1) / threads, threads>>>(edges.device(), front.device(), n,
                                                            level.device(), now, next.device(),
                                                            used.device());
          }),
      way("list, 16 lanes a vertex", true, [=] {
        lists_by_lanes<<<(n * neighbours + threads - 1) / threads, threads>>>(
            edges.device(), front.device(), n, level.device(), now, next.device(), used.device());
      })};
}

}  // namespace ladder::graph_level

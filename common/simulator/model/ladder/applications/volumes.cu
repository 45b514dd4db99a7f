// Volumes: points of the surface where a volume's values change their sign, and elements of eight by
// eight by eight nodes whose stiffness is applied to a value a node, in double.
#include <cstring>

#include "ladder.h"

namespace ladder::volumes {

// A surface: a cell with corners on both sides of it has a point, amid where it cuts the cell's edges.
constexpr int wide = 160, plane = wide * wide, volume = wide * plane, down = 16;

struct Cell {
  float corners[8];  ///< bits of the index are x, y and z

  __host__ __device__ bool is_cut() const {
    int below = 0;
#pragma unroll
    for (int c = 0; c < 8; ++c) below += corners[c] < 0 ? 1 : 0;
    return below != 0 && below != 8;
  }
  __host__ __device__ float3 point() const {
    float3 sum = {0, 0, 0};
    int cuts = 0;
#pragma unroll
    for (int k = 0; k < 24; ++k) {
      const int axis = k / 8, c = k % 8;
      if ((c >> axis & 1) != 0) continue;
      const float a = corners[c], b = corners[c | 1 << axis];
      if ((a < 0) == (b < 0)) continue;
      const float part = a / (a - b);
      sum.x += axis == 0 ? part : float(c & 1);
      sum.y += axis == 1 ? part : float(c >> 1 & 1);
      sum.z += axis == 2 ? part : float(c >> 2);
      ++cuts;
    }
    return {sum.x / float(cuts), sum.y / float(cuts), sum.z / float(cuts)};
  }
};

#pragma nv_exec_check_disable  // the values are the host's or the device's
template <class Values>
__host__ __device__ void bring_layer(Cell& cell, int upper, const Values& values, int at) {
  cell.corners[upper] = values[at];
  cell.corners[upper + 1] = values[at + 1];
  cell.corners[upper + 2] = values[at + wide];
  cell.corners[upper + 3] = values[at + wide + 1];
}

/// Where the points go: as many as there are, and of each cell its place and its number.
struct Points {
  int* count;
  float4* all;
  __device__ void store(int place, const Cell& cell, int x, int y, int z) const {
    const float3 in = cell.point();
    all[place] = {in.x + float(x), in.y + float(y), in.z + float(z),
                  __int_as_float(z * plane + y * wide + x)};
  }
};

/// A place for each lane that wants one.
__device__ int place_of_lane(int* count, bool wanted) {
  const unsigned lanes = __ballot_sync(0xffffffffU, wanted), lane = threadIdx.x % 32;
  int first = 0;
  if (lane == 0 && lanes != 0) first = atomicAdd(count, __popc(lanes));
  return __shfl_sync(0xffffffffU, first, 0) + __popc(lanes & ((1U << lane) - 1));
}

__global__ void points_of_cells(const float* values, Points points) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
  if (x == wide - 1 || y == wide - 1) return;
  Cell cell;
  bring_layer(cell, 0, values, z * plane + y * wide + x);
  bring_layer(cell, 4, values, (z + 1) * plane + y * wide + x);
  if (cell.is_cut()) points.store(atomicAdd(points.count, 1), cell, x, y, z);
}

/// Down a column of cells, each of which has four corners of the one before; a place for a warp.
__global__ void points_of_columns(const float* values, Points points) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  const bool inside = x < wide - 1 && y < wide - 1;
  const int first = blockIdx.z * down, end = min(first + down, wide - 1);
  Cell cell{};
  if (inside) bring_layer(cell, 4, values, first * plane + y * wide + x);
  for (int z = first; z < end; ++z) {
#pragma unroll
    for (int c = 0; c < 4; ++c) cell.corners[c] = cell.corners[c + 4];
    if (inside) bring_layer(cell, 4, values, (z + 1) * plane + y * wide + x);
    const bool cut = inside && cell.is_cut();
    const int place = place_of_lane(points.count, cut);
    if (cut) points.store(place, cell, x, y, z);
  }
}

/// Numbers of the cells that are cut; then a thread makes the point of one after another.
__global__ void cut_cells(const float* values, int* count, int* list) {
  const int at = blockIdx.x * 256 + threadIdx.x, x = at % wide, y = at / wide % wide;
  bool cut = false;
  if (x < wide - 1 && y < wide - 1) {
    Cell cell;
    bring_layer(cell, 0, values, at);
    bring_layer(cell, 4, values, at + plane);
    cut = cell.is_cut();
  }
  const int place = place_of_lane(count, cut);
  if (cut) list[place] = at;
}

__global__ void points_of_list(const float* values, const int* list, Points points) {
  const int n = *points.count;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
    const int at = list[i];
    Cell cell;
    bring_layer(cell, 0, values, at);
    bring_layer(cell, 4, values, at + plane);
    points.store(i, cell, at % wide, at / wide % wide, at / plane);
  }
}

// Nodes of elements: in each of 2048 cubes eight by eight by eight values, from which the stiffness
// of the cube makes as many. A derivative along an axis takes the eight nodes on a line.
constexpr int elements = 2048, n = 8, face = n * n, nodes = n * face;

/// `derivative` is n by n: of node i, the part of node j. `factors` are six a node, of one kind side
/// by side in an element: how slopes along one axis pull along another.
struct Elements {
  const double *derivative, *factors, *values;
};

struct Slopes {
  double r, s, t;
};

/// What pulls along each axis, for these slopes at a node.
__host__ __device__ Slopes pulled(const double* factors, Slopes d) {
  return {factors[0] * d.r + factors[nodes] * d.s + factors[2 * nodes] * d.t,
          factors[nodes] * d.r + factors[3 * nodes] * d.s + factors[4 * nodes] * d.t,
          factors[2 * nodes] * d.r + factors[4 * nodes] * d.s + factors[5 * nodes] * d.t};
}

/// Slopes at all nodes to memory, then what they come to in a second launch.
__global__ void slopes_to_memory(Elements all, Slopes* out) {
  const int at = blockIdx.x * 256 + threadIdx.x, node = at % nodes, element = at / nodes;
  const int i = node % n, j = node / n % n, k = node / face;
  const double* values = all.values + element * nodes;
  Slopes d = {0, 0, 0};
  for (int m = 0; m < n; ++m) {
    d.r += all.derivative[i * n + m] * values[k * face + j * n + m];
    d.s += all.derivative[j * n + m] * values[k * face + m * n + i];
    d.t += all.derivative[k * n + m] * values[m * face + j * n + i];
  }
  out[at] = pulled(all.factors + size_t(element) * 6 * nodes + node, d);
}

__global__ void slopes_put_together(Elements all, const Slopes* slopes, double* out) {
  const int at = blockIdx.x * 256 + threadIdx.x, node = at % nodes, element = at / nodes;
  const int i = node % n, j = node / n % n, k = node / face;
  const Slopes* mine = slopes + element * nodes;
  double sum = 0;
  for (int m = 0; m < n; ++m) {
    sum += all.derivative[m * n + i] * mine[k * face + j * n + m].r;
    sum += all.derivative[m * n + j] * mine[k * face + m * n + i].s;
    sum += all.derivative[m * n + k] * mine[m * face + j * n + i].t;
  }
  out[at] = sum;
}

/// A block an element, a thread a node.
__global__ void element_a_block(Elements all, double* out) {
  __shared__ double derivative[n][n + 1], values[n][n][n], r[n][n][n], s[n][n][n], t[n][n][n];
  const int node = threadIdx.x, i = node % n, j = node / n % n, k = node / face;
  if (k == 0) derivative[j][i] = all.derivative[node];
  values[k][j][i] = all.values[blockIdx.x * nodes + node];
  __syncthreads();
  Slopes d = {0, 0, 0};
#pragma unroll
  for (int m = 0; m < n; ++m) {
    d.r += derivative[i][m] * values[k][j][m];
    d.s += derivative[j][m] * values[k][m][i];
    d.t += derivative[k][m] * values[m][j][i];
  }
  d = pulled(all.factors + size_t(blockIdx.x) * 6 * nodes + node, d);
  r[k][j][i] = d.r;
  s[k][j][i] = d.s;
  t[k][j][i] = d.t;
  __syncthreads();
  double sum = 0;
#pragma unroll
  for (int m = 0; m < n; ++m) {
    sum += derivative[m][i] * r[k][j][m] + derivative[m][j] * s[k][m][i] +
           derivative[m][k] * t[m][j][i];
  }
  out[blockIdx.x * nodes + node] = sum;
}

/// Two elements a block, a thread a column of nodes: what goes along the column stays in registers.
__global__ void columns_of_nodes(Elements all, double* out) {
  __shared__ double derivative[n][n + 1], of_layer[2][n][n], r[2][n][n], s[2][n][n];
  const int i = threadIdx.x, j = threadIdx.y, which = threadIdx.z;
  const int element = blockIdx.x * 2 + which;
  if (which == 0) derivative[j][i] = all.derivative[j * n + i];
  const size_t first = size_t(element) * nodes + j * n + i;
  const double* factors = all.factors + size_t(element) * 6 * nodes + j * n + i;
  double column[n], sums[n];
#pragma unroll
  for (int k = 0; k < n; ++k) {
    column[k] = all.values[first + k * face];
    sums[k] = 0;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < n; ++k) {
    of_layer[which][j][i] = column[k];
    __syncthreads();
    Slopes d = {0, 0, 0};
#pragma unroll
    for (int m = 0; m < n; ++m) {
      d.r += derivative[i][m] * of_layer[which][j][m];
      d.s += derivative[j][m] * of_layer[which][m][i];
      d.t += derivative[k][m] * column[m];
    }
    d = pulled(factors + k * face, d);
    r[which][j][i] = d.r;
    s[which][j][i] = d.s;
    __syncthreads();
    double sum = 0;
#pragma unroll
    for (int m = 0; m < n; ++m) {
      sum += derivative[m][i] * r[which][j][m] + derivative[m][j] * s[which][m][i];
      sums[m] += derivative[k][m] * d.t;
    }
    sums[k] += sum;
  }
#pragma unroll
  for (int k = 0; k < n; ++k) out[first + k * face] = sums[k];
}

Kernels surface_of_volume() {
  std::vector<float> sine, cosine;
  for (int k = 0; k < wide; ++k) {
    sine.push_back(float(std::sin(k * 0.157)));
    cosine.push_back(float(std::cos(k * 0.157)));
  }
  const Array<float> values(volume, [&](std::uint32_t i) {
    const std::uint32_t x = i % wide, y = i / wide % wide, z = i / plane;
    return sine[x] * cosine[y] + sine[y] * cosine[z] + sine[z] * cosine[x] +
           0.05F * (fraction(i) - 0.5F);
  });
  const auto cell_at = [=](std::size_t at) {
    Cell cell;
    bring_layer(cell, 0, values, int(at));
    bring_layer(cell, 4, values, int(at) + plane);
    return cell;
  };
  std::size_t cut = 0;
  for (std::size_t at = 0; at < std::size_t(volume - plane); ++at) {
    const std::size_t x = at % wide, y = at / wide % wide;
    if (x < wide - 1 && y < wide - 1 && cell_at(at).is_cut()) ++cut;
  }
  const Array<float4> out(cut);
  const Array<int> count(1), list(cut);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name,
                  [=] {
                    out.clear();
                    count.clear();
                  },
                  launch,
                  [=] {
                    if (count.read()[0] != int(cut)) return false;
                    std::vector<bool> seen(volume);
                    for (const float4 point : out.read()) {
                      int at = 0;
                      std::memcpy(&at, &point.w, sizeof at);
                      if (at < 0 || at >= volume - plane || seen[at]) return false;
                      seen[at] = true;
                      const Cell cell = cell_at(std::size_t(at));
                      const float3 in = cell.point();
                      if (!cell.is_cut() ||
                          !(std::abs(point.x - in.x - float(at % wide)) < 1e-4F) ||
                          !(std::abs(point.y - in.y - float(at / wide % wide)) < 1e-4F) ||
                          !(std::abs(point.z - in.z - float(at / plane)) < 1e-4F)) {
                        return false;
                      }
                    }
                    return true;
                  }};
  };
  const Points points = {count.device(), out.device()};
  return {way("a thread a cell, an atomic a point",
              [=] {
                points_of_cells<<<dim3(wide / 32, wide / 4, wide - 1), dim3(32, 4)>>>(
                    values.device(), points);
              }),
          way("a thread a column, an atomic a warp",
              [=] {
                points_of_columns<<<dim3(wide / 32, wide / 4, wide / down), dim3(32, 4)>>>(
                    values.device(), points);
              }),
          way("a list of cells, then their points", [=] {
            cut_cells<<<(volume - plane) / 256, 256>>>(values.device(), count.device(),
                                                       list.device());
            points_of_list<<<528, 128>>>(values.device(), list.device(), points);
          })};
}

Kernels nodes_of_elements() {
  const auto between = [](std::uint32_t i) { return double(fraction(i)) - 0.5; };
  const Array<double> derivative(n * n, between),
      factors(std::size_t(elements) * 6 * nodes,
              [=](std::uint32_t i) {
                return between(i + 1000) + (i / nodes % 6 == 0 || i / nodes % 6 == 3 ? 2 : 0);
              }),
      values(elements * nodes, [=](std::uint32_t i) { return between(i + 500000); });
  const Array<double> out(elements * nodes);
  const Array<Slopes> slopes(elements * nodes);
  const auto wanted_of = [=](int element) {
    std::vector<Slopes> pulls(nodes);
    std::vector<double> wanted(nodes);
    std::vector<double> of_node(5 * nodes + 1);
    for (int node = 0; node < nodes; ++node) {
      const int i = node % n, j = node / n % n, k = node / face, first = element * nodes;
      Slopes d = {0, 0, 0};
      for (int m = 0; m < n; ++m) {
        d.r += derivative[i * n + m] * values[first + k * face + j * n + m];
        d.s += derivative[j * n + m] * values[first + k * face + m * n + i];
        d.t += derivative[k * n + m] * values[first + m * face + j * n + i];
      }
      for (int f = 0; f < 6; ++f) of_node[f * nodes] = factors[(element * 6 + f) * nodes + node];
      pulls[node] = pulled(of_node.data(), d);
    }
    for (int node = 0; node < nodes; ++node) {
      const int i = node % n, j = node / n % n, k = node / face;
      for (int m = 0; m < n; ++m) {
        wanted[node] += derivative[m * n + i] * pulls[k * face + j * n + m].r +
                        derivative[m * n + j] * pulls[k * face + m * n + i].s +
                        derivative[m * n + k] * pulls[m * face + j * n + i].t;
      }
    }
    return wanted;
  };
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<double> got = out.read();
                    for (int element = 0; element < elements; element += 89) {
                      const std::vector<double> wanted = wanted_of(element);
                      for (int node = 0; node < nodes; ++node) {
                        const double far = got[element * nodes + node] - wanted[node];
                        if (!(std::abs(far) <= 1e-12)) return false;
                      }
                    }
                    return true;
                  }};
  };
  const Elements all = {derivative.device(), factors.device(), values.device()};
  return {way("two launches, slopes through memory",
              [=] {
                slopes_to_memory<<<elements * nodes / 256, 256>>>(all, slopes.device());
                slopes_put_together<<<elements * nodes / 256, 256>>>(all, slopes.device(),
                                                                     out.device());
              }),
          way("a block an element, in shared memory",
              [=] { element_a_block<<<elements, nodes>>>(all, out.device()); }),
          way("a thread a column of nodes",
              [=] { columns_of_nodes<<<elements / 2, dim3(n, n, 2)>>>(all, out.device()); })};
}

}  // namespace ladder::volumes

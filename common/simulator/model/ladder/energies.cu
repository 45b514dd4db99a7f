// From physics: the potential of charges at the points of a plane, and what flows between the cells
// of a net.
#include "ladder.h"

namespace ladder::energies {

// The potential at points of a plane: charges over distances.
constexpr int edge = 128, points = edge * edge, charges = 192, part = 64;
constexpr float apart = 0.1F;

__constant__ float4 constant_charges[charges];  // three coordinates and the charge

__global__ void potential_constant(float* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float x = float(i % edge) * apart, y = float(i / edge) * apart;
  float sum = 0;
  for (int k = 0; k < charges; ++k) {
    const float4 c = constant_charges[k];
    const float dx = x - c.x, dy = y - c.y;
    sum += c.w * rsqrtf(dx * dx + dy * dy + c.z * c.z);
  }
  out[i] = sum;
}

__global__ void potential_shared(const float4* all, float* out) {
  __shared__ float4 piece[part];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float x = float(i % edge) * apart, y = float(i / edge) * apart;
  float sum = 0;
  for (int begin = 0; begin < charges; begin += part) {
    __syncthreads();
    if (threadIdx.x < part) piece[threadIdx.x] = all[begin + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < part; ++k) {
      const float4 c = piece[k];
      const float dx = x - c.x, dy = y - c.y;
      sum += c.w * rsqrtf(dx * dx + dy * dy + c.z * c.z);
    }
  }
  out[i] = sum;
}

/// Four points of a column a thread, which share a distance along x.
__global__ void potential_of_four(float* out) {
  const int i = blockIdx.x * 64 + threadIdx.x, column = i % edge, row = i / edge * 4;
  const float x = float(column) * apart, y = float(row) * apart;
  float sums[4] = {};
  for (int k = 0; k < charges; ++k) {
    const float4 c = constant_charges[k];
    const float dx = x - c.x, square = dx * dx + c.z * c.z;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float dy = y - c.y + float(j) * apart;
      sums[j] += c.w * rsqrtf(dy * dy + square);
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) out[(row + j) * edge + column] = sums[j];
}

// Gas in cells that have four neighbours each: density, momentum and energy flow through faces.
constexpr int cells = 65536, faces = 4, values = 5;

struct Gas {
  float all[values];  // density, three of momentum, energy
};

struct Motion {
  float x, y, z, pressure, sound;
};

__host__ __device__ Motion motion_of(const Gas& gas) {
  const float over = 1 / gas.all[0];
  const float x = gas.all[1] * over, y = gas.all[2] * over, z = gas.all[3] * over;
  const float pressure = 0.4F * (gas.all[4] - 0.5F * gas.all[0] * (x * x + y * y + z * z));
  return {x, y, z, pressure, sqrtf(1.4F * pressure * over)};
}

/// Adds what flows from one cell to the other through a face with the normal `n`.
__host__ __device__ void add_flow(const Gas& here, const Motion& mine, const Gas& there,
                                  const Motion& other, float3 n, float (&sum)[values]) {
  const float a = mine.x * n.x + mine.y * n.y + mine.z * n.z;
  const float b = other.x * n.x + other.y * n.y + other.z * n.z;
  const float fastest = fmaxf(fabsf(a) + mine.sound, fabsf(b) + other.sound);
  const float pressure = mine.pressure + other.pressure;
  const float pushes[values] = {0, pressure * n.x, pressure * n.y, pressure * n.z,
                                mine.pressure * a + other.pressure * b};
#pragma unroll
  for (int v = 0; v < values; ++v) {
    sum[v] += 0.5F * (here.all[v] * a + there.all[v] * b + pushes[v] -
                      fastest * (there.all[v] - here.all[v]));
  }
}

__global__ void flow_of_records(const Gas* gas, const int* neighbours, const float3* normals,
                                Gas* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const Gas here = gas[i];
  const Motion mine = motion_of(here);
  Gas sum = {};
  for (int k = 0; k < faces; ++k) {
    const Gas there = gas[neighbours[i * faces + k]];
    add_flow(here, mine, there, motion_of(there), normals[i * faces + k], sum.all);
  }
  out[i] = sum;
}

__device__ Gas gas_of_planes(const float* gas, int i) {
  Gas one;
#pragma unroll
  for (int v = 0; v < values; ++v) one.all[v] = gas[v * cells + i];
  return one;
}

__device__ float3 normal_of_planes(const float* normals, int face, int i) {
  const float* at = normals + face * 3 * cells + i;
  return {at[0], at[cells], at[2 * cells]};
}

/// A plane for each value, of each face too.
__global__ void flow_of_planes(const float* gas, const int* neighbours, const float* normals,
                               float* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const Gas here = gas_of_planes(gas, i);
  const Motion mine = motion_of(here);
  float sum[values] = {};
  for (int k = 0; k < faces; ++k) {
    const Gas there = gas_of_planes(gas, neighbours[k * cells + i]);
    add_flow(here, mine, there, motion_of(there), normal_of_planes(normals, k, i), sum);
  }
#pragma unroll
  for (int v = 0; v < values; ++v) out[v * cells + i] = sum[v];
}

__global__ void find_motions(const float* gas, float4* motions, float* sounds) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const Motion m = motion_of(gas_of_planes(gas, i));
  motions[i] = float4{m.x, m.y, m.z, m.pressure};
  sounds[i] = m.sound;
}

__global__ void flow_of_motions(const float* gas, const float4* motions, const float* sounds,
                                const int* neighbours, const float* normals, float* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const auto motion = [=](int j) {
    const float4 m = motions[j];
    return Motion{m.x, m.y, m.z, m.w, sounds[j]};
  };
  const Gas here = gas_of_planes(gas, i);
  const Motion mine = motion(i);
  float sum[values] = {};
  for (int k = 0; k < faces; ++k) {
    const int j = neighbours[k * cells + i];
    add_flow(here, mine, gas_of_planes(gas, j), motion(j), normal_of_planes(normals, k, i), sum);
  }
#pragma unroll
  for (int v = 0; v < values; ++v) out[v * cells + i] = sum[v];
}

Kernels potential_of_charges() {
  std::vector<float4> all;
  for (std::uint32_t k = 0; k < charges; ++k) {
    all.push_back({12.8F * fraction(4 * k), 12.8F * fraction(4 * k + 1), 0.2F + fraction(4 * k + 2),
                   fraction(4 * k + 3)});
  }
  check(cudaMemcpyToSymbol(constant_charges, all.data(), sizeof constant_charges));
  const Array<float4> of_memory(all);
  const Array<float> out(points);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(points, [&](std::size_t i) {
                      double sum = 0;
                      for (const float4& c : all) {
                        const double dx = double(i % edge) * apart - c.x;
                        const double dy = double(i / edge) * apart - c.y;
                        sum += c.w / std::sqrt(dx * dx + dy * dy + double(c.z) * c.z);
                      }
                      return near(got[i], sum);
                    });
                  }};
  };
  return {
      way("constant memory", [=] { potential_constant<<<points / 128, 128>>>(out.device()); }),
      way("shared memory, pieces",
          [=] { potential_shared<<<points / 128, 128>>>(of_memory.device(), out.device()); }),
      way("four points a thread", [=] { potential_of_four<<<points / 256, 64>>>(out.device()); })};
}

Kernels gas_in_cells() {
  const auto first = [](std::uint32_t i) {
    const float density = 0.5F + fraction(5 * i), x = fraction(5 * i + 1) - 0.5F,
                y = fraction(5 * i + 2) - 0.5F, z = fraction(5 * i + 3) - 0.5F;
    const float energy =
        0.5F * density * (x * x + y * y + z * z) + (0.5F + fraction(5 * i + 4)) / 0.4F;
    return Gas{{density, density * x, density * y, density * z, energy}};
  };
  // Beside one another and in rows of 256, but one in eight is somewhere near.
  const auto neighbour = [](std::uint32_t i, std::uint32_t face) {
    const std::uint32_t steps[faces] = {1, cells - 1, 256, cells - 256}, at = i * faces + face;
    const std::uint32_t step = mixed(at) % 8 == 0 ? mixed(at + 600000) % 2048 : steps[face];
    return int((i + step) % cells);
  };
  const auto normal = [](std::uint32_t i, std::uint32_t face) {
    const std::uint32_t at = 3 * (i * faces + face) + 700000;
    return float3{fraction(at) - 0.5F, fraction(at + 1) - 0.5F, fraction(at + 2) - 0.5F};
  };
  const Array<Gas> gas(cells, first), out(cells);
  const Array<float> planes(values * cells,
                            [=](std::uint32_t i) { return first(i % cells).all[i / cells]; });
  const Array<int> next(cells * faces,
                        [=](std::uint32_t i) { return neighbour(i / faces, i % faces); });
  const Array<int> next_planes(cells * faces,
                               [=](std::uint32_t i) { return neighbour(i % cells, i / cells); });
  const Array<float3> normals(cells * faces,
                              [=](std::uint32_t i) { return normal(i / faces, i % faces); });
  const Array<float> normal_planes(3 * cells * faces, [=](std::uint32_t i) {
    const float3 n = normal(i % cells, i / cells / 3);
    return i / cells % 3 == 0 ? n.x : (i / cells % 3 == 1 ? n.y : n.z);
  });
  const Array<float> out_planes(values * cells), sounds(cells);
  const Array<float4> motions(cells);
  const auto way = [=](const char* name, bool of_planes, std::function<void()> launch) {
    return Kernel{name,
                  [=] {
                    out.clear();
                    out_planes.clear();
                  },
                  launch,
                  [=] {
                    const std::vector<Gas> got = out.read();
                    const std::vector<float> got_planes = out_planes.read();
                    return sampled(cells, [&](std::size_t i) {
                      float sum[values] = {};
                      for (int k = 0; k < faces; ++k) {
                        const Gas& there = gas[next[i * faces + k]];
                        add_flow(gas[i], motion_of(gas[i]), there, motion_of(there),
                                 normals[i * faces + k], sum);
                      }
                      for (int v = 0; v < values; ++v) {
                        const float mine = of_planes ? got_planes[v * cells + i] : got[i].all[v];
                        if (!(std::abs(mine - sum[v]) < 1e-4)) return false;
                      }
                      return true;
                    });
                  }};
  };
  constexpr int blocks = cells / 128;
  return {way("records", false,
              [=] {
                flow_of_records<<<blocks, 128>>>(gas.device(), next.device(), normals.device(),
                                                 out.device());
              }),
          way("planes", true,
              [=] {
                flow_of_planes<<<blocks, 128>>>(planes.device(), next_planes.device(),
                                                normal_planes.device(), out_planes.device());
              }),
          way("planes, motions found before", true, [=] {
            find_motions<<<blocks, 128>>>(planes.device(), motions.device(), sounds.device());
            flow_of_motions<<<blocks, 128>>>(planes.device(), motions.device(), sounds.device(),
                                             next_planes.device(), normal_planes.device(),
                                             out_planes.device());
          })};
}

}  // namespace ladder::energies

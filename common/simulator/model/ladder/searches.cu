// Searches: cross sections looked up by energy, by a search of each grid, one search of all, and
// bins; and queens that do not attack one another, counted by depth first.
#include <algorithm>
#include <tuple>

#include "ladder.h"

namespace ladder::searches {

constexpr int threads = 256;

// Cross sections of materials of eight nuclides, each of which has a grid of energies of its own.
constexpr int nuclides = 16, of_material = 8, grid_points = 256, lookups = 32768, bins = 256;

struct Sections {
  const float* energies;     ///< of each nuclide, in order
  const float4* sections;    ///< at each of these
  const float* all;          ///< the energies of all nuclides in order
  const std::uint8_t* from;  ///< of each of all, of each nuclide: the point at or below it
  const std::uint8_t* bin;   ///< of each of 256 bins, the same of where it begins
};

/// The last of `n` energies that is not above `energy`; the first when there is none.
__host__ __device__ int last_below(const float* energies, int n, float energy) {
  int low = 0, high = n;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (energies[middle] <= energy) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

__host__ __device__ int grid_point(const float* energies, float energy) {
  return last_below(energies, grid_points - 1, energy);
}

/// `find(nuclide)` is the grid point at or below the energy.
#pragma nv_exec_check_disable  // the function is the host's or the device's
template <class Find>
__host__ __device__ float4 sum_of_material(const float* energies, const float4* sections, int i,
                                           float energy, Find find) {
  float4 sum = {0, 0, 0, 0};
  const int material = int(mixed(i + 400000) % nuclides);
  for (int k = 0; k < of_material; ++k) {
    const int nuclide = (material + 3 * k) % nuclides;
    const int at = nuclide * grid_points + find(nuclide);
    const float4 low = sections[at], high = sections[at + 1];
    const float way = (energy - energies[at]) / (energies[at + 1] - energies[at]);
    const float density = 1 + 0.1F * float(k);
    sum.x += density * (low.x + way * (high.x - low.x));
    sum.y += density * (low.y + way * (high.y - low.y));
    sum.z += density * (low.z + way * (high.z - low.z));
    sum.w += density * (low.w + way * (high.w - low.w));
  }
  return sum;
}

__global__ void search_each(Sections s, float4* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const float energy = fraction(i + 300000);
  out[i] = sum_of_material(s.energies, s.sections, i, energy, [=](int nuclide) {
    return grid_point(s.energies + nuclide * grid_points, energy);
  });
}

__global__ void search_once(Sections s, float4* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const float energy = fraction(i + 300000);
  const int at = last_below(s.all, nuclides * grid_points, energy);
  out[i] = sum_of_material(s.energies, s.sections, i, energy,
                           [=](int nuclide) { return int(s.from[at * nuclides + nuclide]); });
}

__global__ void search_from_bins(Sections s, float4* out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const float energy = fraction(i + 300000);
  const int bin = int(energy * bins);
  out[i] = sum_of_material(s.energies, s.sections, i, energy, [=](int nuclide) {
    const float* energies = s.energies + nuclide * grid_points;
    int at = s.bin[bin * nuclides + nuclide];
    while (at < grid_points - 2 && energies[at + 1] <= energy) ++at;
    return at;
  });
}

// Eleven queens, of which the first few stand already.
constexpr int queens = 11, board = (1 << queens) - 1, most_left = 9;

/// x: places still to try in this row; y: columns taken; z, w: places that diagonals reach.
__host__ __device__ uint4 row_of(unsigned taken, unsigned left, unsigned right) {
  return {~(taken | left | right) & board, taken, left, right};
}

/// In how many ways the rows that are left can be filled. `rows(k)` has room for one of them.
#pragma nv_exec_check_disable  // the function is the host's or the device's
template <class Rows>
__host__ __device__ int ways_to_fill(uint4 first, Rows rows) {
  int level = 0, found = 0;
  rows(0) = first;
  while (level >= 0) {
    const uint4 row = rows(level);
    if (row.x == 0) {
      --level;
      continue;
    }
    const unsigned place = row.x & (0U - row.x);
    rows(level).x = row.x ^ place;
    if ((row.y | place) == board) {
      ++found;
    } else {
      rows(++level) = row_of(row.y | place, (row.z | place) << 1, (row.w | place) >> 1);
    }
  }
  return found;
}

__global__ void queens_local(const uint4* begins, int n, int* out) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  uint4 all[most_left];
  if (i < n) out[i] = ways_to_fill(begins[i], [&](int k) -> uint4& { return all[k]; });
}

__global__ void queens_shared(const uint4* begins, int n, int* out) {
  __shared__ uint4 all[most_left][64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  out[i] = ways_to_fill(begins[i], [&](int k) -> uint4& { return all[k][threadIdx.x]; });
}

/// Threads that are done take the next from a counter.
__global__ void queens_drawn(const uint4* begins, int n, int* counter, int* out) {
  __shared__ uint4 all[most_left][64];
  for (int i = atomicAdd(counter, 1); i < n; i = atomicAdd(counter, 1)) {
    out[i] = ways_to_fill(begins[i], [&](int k) -> uint4& { return all[k][threadIdx.x]; });
  }
}

/// All rows with `placed` queens above them.
void add_begins(uint4 row, int placed, std::vector<uint4>& all) {
  if (placed == 0) {
    all.push_back(row);
    return;
  }
  for (; row.x != 0; row.x &= row.x - 1) {
    const unsigned place = row.x & (0U - row.x);
    add_begins(row_of(row.y | place, (row.z | place) << 1, (row.w | place) >> 1), placed - 1, all);
  }
}

Kernels cross_sections() {
  constexpr int n = nuclides * grid_points;
  const Array<float> energies(n, [](std::uint32_t i) {
    const float way = (float(i % grid_points) + 0.9F * fraction(i)) / grid_points;
    return way * way;
  });
  const Array<float4> sections(n, [](std::uint32_t i) {
    return float4{fraction(4 * i), fraction(4 * i + 1), fraction(4 * i + 2), fraction(4 * i + 3)};
  });
  std::vector<float> in_order(n);
  for (int i = 0; i < n; ++i) in_order[i] = energies[i];
  std::sort(in_order.begin(), in_order.end());
  const auto point = [=](std::uint32_t nuclide, float energy) {
    return std::uint8_t(grid_point(&energies[nuclide * grid_points], energy));
  };
  const Array<float> all(in_order);
  const Array<std::uint8_t> from(
      n * nuclides, [=](std::uint32_t i) { return point(i % nuclides, in_order[i / nuclides]); });
  const Array<std::uint8_t> bin(bins * nuclides, [=](std::uint32_t i) {
    return point(i % nuclides, float(i / nuclides) / bins);
  });
  const Array<float4> out(lookups);
  const Sections s = {energies.device(), sections.device(), all.device(), from.device(),
                      bin.device()};
  const auto way = [=](const char* name, auto kernel) {
    return Kernel{name, [=] { out.clear(); },
                  [=] { kernel<<<lookups / threads, threads>>>(s, out.device()); },
                  // Keeps the tables that the kernels are given the addresses of.
                  [=, kept = std::make_tuple(all, from, bin)] {
                    const std::vector<float4> got = out.read();
                    return sampled(lookups, [&](std::size_t i) {
                      const float energy = fraction(std::uint32_t(i) + 300000);
                      const float4 wanted = sum_of_material(
                          &energies[0], &sections[0], int(i), energy,
                          [&](int nuclide) { return int(point(std::uint32_t(nuclide), energy)); });
                      return near(got[i].x, wanted.x, 1e-3) && near(got[i].y, wanted.y, 1e-3) &&
                             near(got[i].z, wanted.z, 1e-3) && near(got[i].w, wanted.w, 1e-3);
                    });
                  }};
  };
  return {way("a search of each grid", search_each), way("one search of all", search_once),
          way("from bins of energies", search_from_bins)};
}

Kernels queens_on_a_board() {
  const auto begins = [](int placed) {
    std::vector<uint4> all;
    add_begins(row_of(0, 0, 0), placed, all);
    return Array<uint4>(all);
  };
  const Array<uint4> three = begins(3), four = begins(4);
  const Array<int> out(four.size()), counter(1);
  const auto way = [=](const char* name, const Array<uint4>& first, std::function<void()> launch) {
    return Kernel{
        name,
        [=] {
          out.clear();
          counter.clear();
        },
        launch,
        [=] {
          const std::vector<int> got = out.read();
          int sum = 0;
          for (std::size_t i = 0; i < first.size(); ++i) {
            uint4 all[most_left];
            if (got[i] != ways_to_fill(first[i], [&](int k) -> uint4& { return all[k]; })) {
              return false;
            }
            sum += got[i];
          }
          return sum == 2680;  // as is known of eleven
        }};
  };
  const int few = int(three.size()), many = int(four.size());
  return {way("three placed, rows in local memory", three,
              [=] { queens_local<<<(few + 63) / 64, 64>>>(three.device(), few, out.device()); }),
          way("four placed, rows in shared memory", four,
              [=] { queens_shared<<<(many + 63) / 64, 64>>>(four.device(), many, out.device()); }),
          way("four placed, drawn from a counter", four, [=] {
            queens_drawn<<<16, 64>>>(four.device(), many, counter.device(), out.device());
          })};
}

}  // namespace ladder::searches

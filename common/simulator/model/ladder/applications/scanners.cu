// From scanners: what each place of a body adds to the samples that were taken (sums of waves), a
// slice made of its projections, and samples between the cells of a grid spread over the cells.
#include <algorithm>
#include <tuple>

#include "ladder.h"

namespace ladder::scanners {

constexpr float turn = 6.2831853F;

// Sums of waves: a wave is three numbers of turns and a weight.
constexpr int voxels = 1 << 16, waves = 256;

__constant__ float4 constant_waves[waves];

struct Place {
  float x, y, z;
  /// Coordinates of one kind lie side by side.
  __device__ Place(const float* all, int i)
      : x(all[i]), y(all[voxels + i]), z(all[2 * voxels + i]) {}
  __device__ float turns(float4 wave) const { return wave.x * x + wave.y * y + wave.z * z; }
};

__global__ void waves_from_memory(const float* places, const float4* all, float2* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const Place place(places, i);
  float2 sum = {0, 0};
  for (int k = 0; k < waves; ++k) {
    const float4 wave = all[k];
    float sine, cosine;
    sincosf(turn * place.turns(wave), &sine, &cosine);
    sum.x += wave.w * cosine;
    sum.y += wave.w * sine;
  }
  out[i] = sum;
}

__global__ void waves_from_constants(const float* places, float2* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const Place place(places, i);
  float2 sum = {0, 0};
  for (int k = 0; k < waves; ++k) {
    const float4 wave = constant_waves[k];
    float sine, cosine;
    sincospif(2 * place.turns(wave), &sine, &cosine);
    sum.x += wave.w * cosine;
    sum.y += wave.w * sine;
  }
  out[i] = sum;
}

/// The GPU's own sine is good for less than a turn.
__global__ void waves_two_places(const float* places, const float4* all, float2* out) {
  __shared__ float4 shared_waves[waves];
  for (int k = threadIdx.x; k < waves; k += 128) shared_waves[k] = all[k];
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  const Place place[2] = {Place(places, i), Place(places, i + 128)};
  float2 sum[2] = {{0, 0}, {0, 0}};
#pragma unroll 4
  for (int k = 0; k < waves; ++k) {
    const float4 wave = shared_waves[k];
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const float turns = place[j].turns(wave);
      float sine, cosine;
      __sincosf(turn * (turns - rintf(turns)), &sine, &cosine);
      sum[j].x += wave.w * cosine;
      sum[j].y += wave.w * sine;
    }
  }
  out[i] = sum[0];
  out[i + 128] = sum[1];
}

// A slice of 512 by 512 from 160 projections: each pixel has what lies on the rays through it.
constexpr int side = 512, views = 160, detectors = 768;
constexpr int tile = 32, views_together = 16, seen_of_tile = 48;

__constant__ float2 view_directions[views];

/// Where on the projection in this direction a pixel is seen.
__host__ __device__ float seen_at(float2 direction, int x, int y) {
  const float right = float(x) - 0.5F * (side - 1), down = float(y) - 0.5F * (side - 1);
  return fmaf(right, direction.x, fmaf(down, direction.y, 0.5F * detectors));
}

__global__ void slice_from_memory(const float* projections, float* out) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < views; ++k) {
    const float at = seen_at(view_directions[k], x, y);
    const int cell = int(at);
    const float a = projections[k * detectors + cell], b = projections[k * detectors + cell + 1];
    sum += a + (at - float(cell)) * (b - a);
  }
  out[y * side + x] = sum * (1.0F / views);
}

__global__ void slice_from_texture(cudaTextureObject_t projections, float* out) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < views; ++k) {
    sum += tex2D<float>(projections, seen_at(view_directions[k], x, y) + 0.5F, float(k) + 0.5F);
  }
  out[y * side + x] = sum * (1.0F / views);
}

/// Four pixels a thread; what a tile needs of 16 projections is in shared memory.
__global__ void slice_by_tiles(const float* projections, float* out) {
  __shared__ float part[views_together][seen_of_tile];
  const int x0 = blockIdx.x * tile, y0 = blockIdx.y * tile;
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  float sum[4] = {0, 0, 0, 0};
  const auto begin_of = [=](int view) {
    return int(seen_at(view_directions[view], x0 + tile / 2, y0 + tile / 2)) - seen_of_tile / 2;
  };
  for (int first = 0; first < views; first += views_together) {
    __syncthreads();
    for (int k = threadIdx.y * tile + threadIdx.x; k < views_together * seen_of_tile; k += 256) {
      const int view = k / seen_of_tile, at = k % seen_of_tile;
      part[view][at] = projections[(first + view) * detectors + begin_of(first + view) + at];
    }
    __syncthreads();
    for (int k = 0; k < views_together; ++k) {
      const float2 direction = view_directions[first + k];
      const int begin = begin_of(first + k);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float at = seen_at(direction, x, y + 8 * j);
        const int cell = int(at);
        const float a = part[k][cell - begin], b = part[k][cell - begin + 1];
        sum[j] += a + (at - float(cell)) * (b - a);
      }
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) out[(y + 8 * j) * side + x] = sum[j] * (1.0F / views);
}

// Samples on spokes through the middle of a grid, each spread over six by six cells.
constexpr int grid_side = 512, spokes = 256, of_spoke = 512, samples = spokes * of_spoke;
constexpr int taps = 6, fine = 64, bin = 16, bins = grid_side / bin, reached = bin + taps - 1;

/// Weights lie by how far behind the cell before it a sample is, and then by cells.
struct Samples {
  const float2 *places, *values;
  const float* weights;
};

/// The first cell that a sample reaches, and where its weights are.
struct Reach {
  int cell, place;
  __host__ __device__ explicit Reach(float at)
      : cell(int(at) - taps / 2 + 1), place(int((at - float(int(at))) * fine) * taps) {}
};

__global__ void spread_by_samples(Samples all, float2* grid) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float2 at = all.places[i], value = all.values[i];
  const Reach x(at.x), y(at.y);
  for (int v = 0; v < taps; ++v) {
    const float down = all.weights[y.place + v];
    for (int u = 0; u < taps; ++u) {
      const float weight = down * all.weights[x.place + u];
      float2& cell = grid[(y.cell + v) * grid_side + x.cell + u];
      atomicAdd(&cell.x, weight * value.x);
      atomicAdd(&cell.y, weight * value.y);
    }
  }
}

/// Twelve lanes have the twelve numbers of six cells in a row.
__global__ void spread_by_twelve(Samples all, float* grid) {
  const int i = blockIdx.x * 16 + threadIdx.x / 12, lane = threadIdx.x % 12;
  const float2 at = all.places[i];
  const Reach x(at.x), y(at.y);
  const float value = reinterpret_cast<const float*>(all.values)[2 * i + lane % 2];
  const float part = value * all.weights[x.place + lane / 2];
#pragma unroll
  for (int v = 0; v < taps; ++v) {
    atomicAdd(grid + 2 * ((y.cell + v) * grid_side + x.cell) + lane,
              part * all.weights[y.place + v]);
  }
}

/// Samples in order of the bins in which they lie; a block a bin, whose cells are in shared memory.
__global__ void spread_by_bins(Samples all, const int* begins, float* grid) {
  __shared__ float own[reached * reached * 2], weights[fine * taps];
  for (int k = threadIdx.x; k < reached * reached * 2; k += 128) own[k] = 0;
  for (int k = threadIdx.x; k < fine * taps; k += 128) weights[k] = all.weights[k];
  __syncthreads();
  const int x0 = int(blockIdx.x % bins) * bin - taps / 2 + 1;
  const int y0 = int(blockIdx.x / bins) * bin - taps / 2 + 1;
  for (int i = begins[blockIdx.x] + threadIdx.x; i < begins[blockIdx.x + 1]; i += 128) {
    const float2 at = all.places[i], value = all.values[i];
    const Reach x(at.x), y(at.y);
    for (int v = 0; v < taps; ++v) {
      const float down = weights[y.place + v];
      float* row = own + 2 * ((y.cell + v - y0) * reached + x.cell - x0);
#pragma unroll
      for (int u = 0; u < taps; ++u) {
        const float weight = down * weights[x.place + u];
        atomicAdd(row + 2 * u, weight * value.x);
        atomicAdd(row + 2 * u + 1, weight * value.y);
      }
    }
  }
  __syncthreads();
  for (int k = threadIdx.x; k < reached * reached * 2; k += 128) {
    const int y = k / 2 / reached, x = k / 2 % reached;
    if (own[k] != 0) atomicAdd(grid + 2 * ((y0 + y) * grid_side + x0 + x) + k % 2, own[k]);
  }
}

Kernels waves_of_scanner() {
  const Array<float> places(3 * voxels, fraction);
  const Array<float4> all(waves, [](std::uint32_t i) {
    const auto drawn = [=](std::uint32_t k) { return fraction(4 * i + k + 900000); };
    return float4{16 * drawn(0) - 8, 16 * drawn(1) - 8, 8 * drawn(2) - 4, drawn(3)};
  });
  std::vector<float4> of_host;
  for (int k = 0; k < waves; ++k) of_host.push_back(all[k]);
  check(cudaMemcpyToSymbol(constant_waves, of_host.data(), sizeof constant_waves));
  const Array<float2> out(voxels);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float2> got = out.read();
                    return sampled(voxels, [&](std::size_t i) {
                      double real = 0, imaginary = 0;
                      for (int k = 0; k < waves; ++k) {
                        const float4 wave = all[k];
                        const double turns = double(wave.x) * places[i] +
                                             double(wave.y) * places[voxels + i] +
                                             double(wave.z) * places[2 * voxels + i];
                        real += wave.w * std::cos(2 * 3.14159265358979 * turns);
                        imaginary += wave.w * std::sin(2 * 3.14159265358979 * turns);
                      }
                      return std::abs(got[i].x - real) <= 5e-3 &&
                             std::abs(got[i].y - imaginary) <= 5e-3;
                    });
                  }};
  };
  return {way("waves in memory, sine of any angle",
              [=] {
                waves_from_memory<<<voxels / 128, 128>>>(places.device(), all.device(),
                                                         out.device());
              }),
          way("waves in constant memory, sine of turns",
              [=] { waves_from_constants<<<voxels / 128, 128>>>(places.device(), out.device()); }),
          way("two places a thread, quick sine", [=] {
            waves_two_places<<<voxels / 256, 128>>>(places.device(), all.device(), out.device());
          })};
}

Kernels slice_of_projections() {
  std::vector<float2> directions;
  for (int k = 0; k < views; ++k) {
    const double angle = k * 3.14159265358979 / views;
    directions.push_back({float(std::cos(angle)), float(std::sin(angle))});
  }
  check(cudaMemcpyToSymbol(view_directions, directions.data(), sizeof view_directions));
  // What rays lose in ten discs.
  const Array<float> projections(views * detectors, [&](std::uint32_t i) {
    const float2 direction = directions[i / detectors];
    double sum = 0;
    for (std::uint32_t k = 0; k < 10; ++k) {
      const double radius = 20 + 60 * fraction(3 * k);
      const double x = 300 * fraction(3 * k + 1) - 150, y = 300 * fraction(3 * k + 2) - 150;
      const double off = x * direction.x + y * direction.y + 0.5 * detectors - i % detectors;
      if (std::abs(off) < radius) sum += std::sqrt(radius * radius - off * off) / 100;
    }
    return float(sum);
  });
  cudaArray_t memory = nullptr;
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  check(cudaMallocArray(&memory, &channel, detectors, views));
  check(cudaMemcpy2DToArray(memory, 0, 0, projections.device(), detectors * sizeof(float),
                            detectors * sizeof(float), views, cudaMemcpyDeviceToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = memory;
  cudaTextureDesc description{};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture = 0;
  check(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  const Array<float> out(side * side);
  const auto way = [=](const char* name, std::function<void()> launch) {
    return Kernel{name, [=] { out.clear(); }, launch,
                  [=] {
                    const std::vector<float> got = out.read();
                    return sampled(side * side, [&](std::size_t i) {
                      double sum = 0;
                      for (int k = 0; k < views; ++k) {
                        const float at = seen_at(directions[k], int(i % side), int(i / side));
                        const int cell = int(at), place = k * detectors + cell;
                        const double part = at - float(cell);
                        sum += projections[place] * (1 - part) + projections[place + 1] * part;
                      }
                      // A texture has places between two texels to one part in 256.
                      return std::abs(got[i] - sum / views) < 2e-3;
                    });
                  }};
  };
  return {way("two loads a view",
              [=] {
                slice_from_memory<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(projections.device(),
                                                                              out.device());
              }),
          way("by a texture",
              [=] {
                slice_from_texture<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(texture,
                                                                                 out.device());
              }),
          way("tiles, parts of projections in shared memory", [=] {
            slice_by_tiles<<<dim3(side / tile, side / tile), dim3(tile, 8)>>>(projections.device(),
                                                                              out.device());
          })};
}

Kernels samples_on_grid() {
  std::vector<float> bells;
  for (int k = 0; k < fine * taps; ++k) {
    const double off = k % taps - (taps / 2 - 1) - (k / taps + 0.5) / fine;
    bells.push_back(float(std::exp(-0.6 * off * off)));
  }
  std::vector<float2> at, value;
  std::vector<int> bin_of;
  for (std::uint32_t i = 0; i < samples; ++i) {
    const double angle = 3.14159265358979 * (i / of_spoke) / spokes;
    const double far = 0.97 * (double(i % of_spoke) - 0.5 * (of_spoke - 1));
    at.push_back({float(grid_side / 2 + far * std::cos(angle)),
                  float(grid_side / 2 + far * std::sin(angle))});
    value.push_back({fraction(2 * i) - 0.5F, fraction(2 * i + 1) - 0.5F});
    bin_of.push_back(int(at[i].y) / bin * bins + int(at[i].x) / bin);
  }
  std::vector<int> order(samples), begin(bins * bins + 1);
  for (int i = 0; i < samples; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return bin_of[a] < bin_of[b]; });
  for (const int b : bin_of) ++begin[b + 1];
  for (int b = 0; b < bins * bins; ++b) begin[b + 1] += begin[b];
  const Array<float> weights(bells);
  const Array<float2> places(at), values(value),
      sorted_places(samples, [&](std::uint32_t i) { return at[order[i]]; }),
      sorted_values(samples, [&](std::uint32_t i) { return value[order[i]]; });
  const Array<int> begins(begin);
  const Array<float2> grid(grid_side * grid_side);
  const auto right = [=] {
    std::vector<double> wanted(grid_side * grid_side), most(wanted.size());
    for (int i = 0; i < samples; ++i) {
      const Reach x(places[i].x), y(places[i].y);
      for (int k = 0; k < taps * taps; ++k) {
        const int u = k % taps, v = k / taps, cell = (y.cell + v) * grid_side + x.cell + u;
        const double weight = double(weights[x.place + u]) * weights[y.place + v];
        wanted[cell] += weight * values[i].x;
        most[cell] += weight * std::abs(values[i].x);
      }
    }
    const std::vector<float2> got = grid.read();
    for (std::size_t k = 0; k < got.size(); ++k) {
      if (!(std::abs(got[k].x - wanted[k]) <= 1e-5 * most[k] + 1e-6)) return false;
    }
    return true;
  };
  const Samples as_taken = {places.device(), values.device(), weights.device()};
  const Samples sorted = {sorted_places.device(), sorted_values.device(), weights.device()};
  const auto way = [=](const char* name, std::function<void()> launch) {
    // `sorted` needs its arrays.
    return Kernel{name, [=] { grid.clear(); },
                  [=, kept = std::make_tuple(sorted_places, sorted_values)] { launch(); }, right};
  };
  auto* numbers = reinterpret_cast<float*>(grid.device());
  return {way("a thread a sample, atomics",
              [=] { spread_by_samples<<<samples / 128, 128>>>(as_taken, grid.device()); }),
          way("twelve lanes a sample, atomics",
              [=] { spread_by_twelve<<<samples / 16, 192>>>(as_taken, numbers); }),
          way("a block a bin, in shared memory",
              [=] { spread_by_bins<<<bins * bins, 128>>>(sorted, begins.device(), numbers); })};
}

}  // namespace ladder::scanners

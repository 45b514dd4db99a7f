// Particles: forces of atoms on those in their lists of neighbours (Lennard-Jones), and photons that
// are drawn their way through a slab, where they lose weight at each turn.
#include <algorithm>

#include "ladder.h"

namespace ladder::particles {

// Atoms near the places of a lattice; the list of one has all within two places each way.
constexpr int edge = 32, atoms = edge * edge * edge, listed = 124;
constexpr float cutoff_square = 4.5F;

/// The force of an atom that is `d` away.
__host__ __device__ float3 force_of(float4 a, float4 b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  const float square = x * x + y * y + z * z;
  if (square >= cutoff_square) return {0, 0, 0};
  const float inverse = 1.0F / square, sixth = inverse * inverse * inverse;
  const float size = 24 * inverse * sixth * (2 * sixth - 1);
  return {size * x, size * y, size * z};
}

__device__ void add(float3& sum, float3 force) {
  sum.x += force.x;
  sum.y += force.y;
  sum.z += force.z;
}

/// The neighbours of one atom lie beside one another.
__global__ void forces_of_rows(const float4* places, const int* lists, float3* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float4 own = places[i];
  float3 sum = {0, 0, 0};
  for (int k = 0; k < listed; ++k) add(sum, force_of(own, places[lists[i * listed + k]]));
  out[i] = sum;
}

/// The k-th neighbours of all atoms lie beside one another.
__global__ void forces_of_columns(const float4* places, const int* lists, float3* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float4 own = places[i];
  float3 sum = {0, 0, 0};
#pragma unroll 4
  for (int k = 0; k < listed; ++k) add(sum, force_of(own, places[lists[k * atoms + i]]));
  out[i] = sum;
}

__global__ void forces_of_warps(const float4* places, const int* lists, float3* out) {
  const int i = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  const float4 own = places[i];
  float3 sum = {0, 0, 0};
  for (int k = lane; k < listed; k += 32) add(sum, force_of(own, places[lists[i * listed + k]]));
  sum = {warp_sum(sum.x), warp_sum(sum.y), warp_sum(sum.z)};
  if (lane == 0) out[i] = sum;
}

// Photons in a slab: what layers of it take in, and what leaves below and above, in parts of a weight.
constexpr int photons = 1 << 16, layers = 64, tallies = layers + 2;
constexpr float thickness = 4, taken = 0.1F, forward = 0.8F, unit = 1 << 12, light = 0.01F;

__host__ __device__ float next_fraction(unsigned& state) {
  state = state * 1664525U + 1013904223U;
  return fraction(state);
}

struct Photon {
  unsigned state;
  float depth, cosine, weight;
};

__host__ __device__ Photon new_photon(unsigned number) { return {mixed(number), 0, 1, 1}; }

#pragma nv_exec_check_disable  // what tallies is the host's or the device's
/// From one turn to the next: whether it goes on. `tally(where, parts)` counts.
template <class Tally>
__host__ __device__ bool goes_on(Photon& photon, Tally tally) {
  photon.depth -= photon.cosine * logf(1 - next_fraction(photon.state));
  if (photon.depth < 0 || photon.depth >= thickness) {
    tally(photon.depth < 0 ? layers + 1 : layers, unsigned(photon.weight * unit));
    return false;
  }
  tally(int(photon.depth * (layers / thickness)), unsigned(photon.weight * taken * unit));
  photon.weight *= 1 - taken;
  if (photon.weight < light) {
    if (next_fraction(photon.state) >= 0.1F) return false;
    photon.weight *= 10;
  }
  // The angle to where it went, as Henyey and Greenstein draw it.
  const float part =
      (1 - forward * forward) / (1 - forward + 2 * forward * next_fraction(photon.state));
  const float turn = (1 + forward * forward - part * part) / (2 * forward);
  const float across = cosf(6.2831853F * next_fraction(photon.state));
  const float sine = sqrtf(fmaxf(0, 1 - turn * turn) * (1 - photon.cosine * photon.cosine));
  photon.cosine = fminf(1, fmaxf(-1, photon.cosine * turn + sine * across));
  return true;
}

__global__ void photon_a_thread(unsigned* tally) {
  Photon photon = new_photon(blockIdx.x * 128 + threadIdx.x);
  while (goes_on(photon, [=](int where, unsigned parts) { atomicAdd(tally + where, parts); })) {
  }
}

/// Who is done takes the next photon; a block has tallies of its own.
__global__ void next_photons(unsigned* tally, unsigned* taken_so_far) {
  __shared__ unsigned own[tallies];
  for (int k = threadIdx.x; k < tallies; k += 128) own[k] = 0;
  __syncthreads();
  unsigned number = atomicAdd(taken_so_far, 1U);
  Photon photon = new_photon(number);
  while (number < photons) {
    if (goes_on(photon, [&](int where, unsigned parts) { atomicAdd(own + where, parts); })) {
      continue;
    }
    number = atomicAdd(taken_so_far, 1U);
    photon = new_photon(number);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < tallies; k += 128) atomicAdd(tally + k, own[k]);
}

Kernels atoms_and_neighbours() {
  const Array<float4> places(atoms, [](std::uint32_t i) {
    const auto near_to = [=](std::uint32_t k, std::uint32_t which) {
      return 1.1F * float(k) + 0.2F * (fraction(3 * i + which) - 0.5F);
    };
    return float4{near_to(i % edge, 0), near_to(i / edge % edge, 1), near_to(i / edge / edge, 2),
                  0};
  });
  const auto neighbour = [](int i, int k) {
    if (k >= listed / 2) ++k;  // none is its own
    const int x = i % edge + k % 5 - 2, y = i / edge % edge + k / 5 % 5 - 2;
    const int z = i / edge / edge + k / 25 - 2;
    return (x & (edge - 1)) + edge * ((y & (edge - 1)) + edge * (z & (edge - 1)));
  };
  const Array<int> by_rows(
      atoms * listed, [=](std::uint32_t i) { return neighbour(int(i / listed), int(i % listed)); }),
      by_columns(atoms * listed,
                 [=](std::uint32_t i) { return neighbour(int(i % atoms), int(i / atoms)); });
  const Array<float3> out(atoms);
  const auto way = [=](const char* name, auto kernel, int blocks, const Array<int>& lists) {
    return Kernel{name, [=] { out.clear(); },
                  [=] { kernel<<<blocks, 128>>>(places.device(), lists.device(), out.device()); },
                  [=] {
                    const std::vector<float3> got = out.read();
                    return sampled(atoms, [&](std::size_t i) {
                      double x = 0, y = 0, z = 0, all = 0;
                      for (int k = 0; k < listed; ++k) {
                        const float3 f = force_of(places[i], places[neighbour(int(i), k)]);
                        x += f.x;
                        y += f.y;
                        z += f.z;
                        all += std::abs(f.x) + std::abs(f.y) + std::abs(f.z);
                      }
                      const double part = 1e-5 * (all + 1);
                      return std::abs(got[i].x - x) < part && std::abs(got[i].y - y) < part &&
                             std::abs(got[i].z - z) < part;
                    });
                  }};
  };
  return {way("a thread an atom, lists as rows", forces_of_rows, atoms / 128, by_rows),
          way("a thread an atom, lists as columns", forces_of_columns, atoms / 128, by_columns),
          way("a warp an atom", forces_of_warps, atoms / 4, by_rows)};
}

Kernels photons_in_slab() {
  const Array<unsigned> tally(tallies), count(1);
  // The host's logarithms differ in the last bit, and so a photon's way may in the end.
  const auto right = [=] {
    std::vector<double> wanted(tallies);
    for (unsigned i = 0; i < photons; ++i) {
      Photon photon = new_photon(i);
      while (goes_on(photon, [&](int where, unsigned parts) { wanted[where] += parts; })) {
      }
    }
    const std::vector<unsigned> got = tally.read();
    for (int k = 0; k < tallies; ++k) {
      if (std::abs(got[k] - wanted[k]) > 0.01 * wanted[k] + 8 * unit) return false;
    }
    return true;
  };
  const auto clear = [=] {
    tally.clear();
    count.clear();
  };
  return {{"a photon a thread", clear,
           [=] { photon_a_thread<<<photons / 128, 128>>>(tally.device()); }, right},
          {"the next photon, tallies of a block", clear,
           [=] { next_photons<<<132, 128>>>(tally.device(), count.device()); }, right}};
}

}  // namespace ladder::particles

// Coalescing: what a warp's 32 addresses cost together. One warp, one load, one store each.
//   ./lab explain docs/foundations/coalescing.cu
#include "common/example.h"

/// Lane i reads element first + i * step.
template <int Step, int First = 0>
__global__ void apart(const float* in, float* out) {
  out[threadIdx.x] = in[First + threadIdx.x * Step];
}

/// The lanes in any order: the same 32 elements.
__global__ void shuffled(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x * 13 % 32];
}

/// All lanes read one element.
__global__ void all_one(const float* in, float* out) { out[threadIdx.x] = in[7]; }

/// 16 bytes a lane: 512 bytes with one instruction.
__global__ void four_each(const float4* in, float4* out) { out[threadIdx.x] = in[threadIdx.x]; }

/// One byte a lane.
__global__ void bytes(const unsigned char* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }

struct Body {
  float x, y, z, mass;
};

/// An array of structures: the lanes' masses are 16 bytes apart.
__global__ void structures(const Body* in, float* out) { out[threadIdx.x] = in[threadIdx.x].mass; }

/// A structure of arrays: they lie side by side.
__global__ void arrays(const float* masses, float* out) { out[threadIdx.x] = masses[threadIdx.x]; }

int main() {
  DeviceArray<float> in(4096), out(128);
  apart<1><<<1, 32>>>(in.data(), out.data());
  apart<1, 1><<<1, 32>>>(in.data(), out.data());
  apart<1, 8><<<1, 32>>>(in.data(), out.data());
  apart<2><<<1, 32>>>(in.data(), out.data());
  apart<4><<<1, 32>>>(in.data(), out.data());
  apart<8><<<1, 32>>>(in.data(), out.data());
  apart<100><<<1, 32>>>(in.data(), out.data());
  shuffled<<<1, 32>>>(in.data(), out.data());
  all_one<<<1, 32>>>(in.data(), out.data());
  four_each<<<1, 32>>>(reinterpret_cast<const float4*>(in.data()),
                       reinterpret_cast<float4*>(out.data()));
  bytes<<<1, 32>>>(reinterpret_cast<const unsigned char*>(in.data()), out.data());
  structures<<<1, 32>>>(reinterpret_cast<const Body*>(in.data()), out.data());
  arrays<<<1, 32>>>(in.data(), out.data());
  return finish();
}

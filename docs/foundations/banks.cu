// Banks: what a warp's 32 addresses in shared memory cost together. One warp writes a pattern and
// reads it again.
//   ./lab explain docs/foundations/banks.cu
#include "common/example.h"

/// Lane i takes element i * Step of an array of T.
template <typename T, int Step>
__global__ void apart(float* out) {
  __shared__ T elements[32 * Step];
  elements[threadIdx.x * Step] = static_cast<T>(threadIdx.x);
  __syncwarp();
  out[threadIdx.x] = elements[threadIdx.x * Step];
}

/// All lanes read the word that lane 0 wrote: one bank, but one word.
__global__ void broadcast(float* out) {
  __shared__ float words[32];
  if (threadIdx.x == 0) words[3] = out[0];
  __syncwarp();
  out[threadIdx.x] = words[3];
}

/// A tile of 32 x 32, one warp, each lane down its own row: a column of the tile is read at a time.
template <int Width>
__global__ void column_of_32(float* out) {
  __shared__ float tile[32][Width];
  tile[threadIdx.x][5] = threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = tile[threadIdx.x][5];
}

/// A tile of 16 x 16 and blocks of 16 x 16 threads: a warp is two rows of the block, and by columns
/// it takes two columns of the tile.
template <int Width>
__global__ void columns_of_16(float* out) {
  __shared__ float tile[16][Width];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  tile[x][y] = threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = tile[x][y];
}

int main() {
  DeviceArray<float> out(32);
  apart<float, 1><<<1, 32>>>(out.data());
  apart<float, 2><<<1, 32>>>(out.data());
  apart<float, 3><<<1, 32>>>(out.data());
  apart<float, 4><<<1, 32>>>(out.data());
  apart<float, 8><<<1, 32>>>(out.data());
  apart<float, 16><<<1, 32>>>(out.data());
  apart<float, 32><<<1, 32>>>(out.data());
  apart<float, 33><<<1, 32>>>(out.data());
  apart<char, 1><<<1, 32>>>(out.data());
  apart<char, 4><<<1, 32>>>(out.data());
  apart<char, 8><<<1, 32>>>(out.data());
  apart<short, 1><<<1, 32>>>(out.data());
  apart<short, 2><<<1, 32>>>(out.data());
  apart<short, 4><<<1, 32>>>(out.data());
  apart<double, 1><<<1, 32>>>(out.data());
  apart<double, 2><<<1, 32>>>(out.data());
  broadcast<<<1, 32>>>(out.data());
  column_of_32<32><<<1, 32>>>(out.data());
  column_of_32<33><<<1, 32>>>(out.data());
  columns_of_16<16><<<1, 32>>>(out.data());
  columns_of_16<17><<<1, 32>>>(out.data());
  return finish();
}

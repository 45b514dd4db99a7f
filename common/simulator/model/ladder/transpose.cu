// A matrix of floats transposed: straight, through tiles of shared memory, and with blocks that go
// along diagonals.
#include "ladder.h"

namespace ladder::transpose {

constexpr int side = 4096, tile = 32, rows = 8;

__global__ void reads_in_order(const float* in, float* out) {
  const int x = blockIdx.x * tile + threadIdx.x;
  for (int k = threadIdx.y; k < tile; k += rows) {
    const int y = blockIdx.y * tile + k;
    out[x * side + y] = in[y * side + x];
  }
}

__global__ void writes_in_order(const float* in, float* out) {
  const int x = blockIdx.x * tile + threadIdx.x;
  for (int k = threadIdx.y; k < tile; k += rows) {
    const int y = blockIdx.y * tile + k;
    out[y * side + x] = in[x * side + y];
  }
}

template <int pad, bool diagonal>
__global__ void through_tile(const float* in, float* out) {
  __shared__ float part[tile][tile + pad];
  const int column = diagonal ? (blockIdx.x + blockIdx.y) % gridDim.x : blockIdx.x;
  const int row = diagonal ? blockIdx.x : blockIdx.y;
  for (int k = threadIdx.y; k < tile; k += rows) {
    part[k][threadIdx.x] = in[(row * tile + k) * side + column * tile + threadIdx.x];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < tile; k += rows) {
    out[(column * tile + k) * side + row * tile + threadIdx.x] = part[threadIdx.x][k];
  }
}

Kernels transpose() {
  const Array<float> in(side * side, fraction), out(side * side);
  const dim3 grid(side / tile, side / tile), block(tile, rows);
  const auto way = [=](const char* name, void (*kernel)(const float*, float*)) {
    return Kernel{
        name, [=] { out.clear(); }, [=] { kernel<<<grid, block>>>(in.device(), out.device()); },
        [=] {
          const std::vector<float> got = out.read();
          return sampled(got.size(),
                         [&](std::size_t i) { return got[i] == in[i % side * side + i / side]; });
        }};
  };
  return {way("reads in order", reads_in_order), way("writes in order", writes_in_order),
          way("tile", through_tile<0, false>), way("padded tile", through_tile<1, false>),
          way("diagonal", through_tile<1, true>)};
}

}  // namespace ladder::transpose

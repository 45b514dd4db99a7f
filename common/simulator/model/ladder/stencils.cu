// Stencils of floats in two and three dimensions: straight from memory, from tiles of shared memory,
// and marching along an axis with neighbours in registers.
#include "ladder.h"

namespace ladder::stencils {

constexpr int side = 4096;  ///< of the square
constexpr int edge = 256;   ///< of the cube
constexpr int down = 16;    ///< rows that a marching thread takes
constexpr int tile_x = 32, tile_y = 8;

__device__ float mean5(float here, float left, float right, float up, float below) {
  return 0.5F * here + 0.125F * (left + right + up + below);
}

__global__ void square_straight(const float* in, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x == side - 1 || y == side - 1) return;
  const int at = y * side + x;
  out[at] = mean5(in[at], in[at - 1], in[at + 1], in[at - side], in[at + side]);
}

__global__ void square_tile(const float* in, float* out) {
  __shared__ float part[tile_y + 2][tile_x + 2];
  const int x = blockIdx.x * tile_x + threadIdx.x, y = blockIdx.y * tile_y + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1, at = y * side + x;
  part[ty][tx] = in[at];
  if (tx == 1 && x > 0) part[ty][0] = in[at - 1];
  if (tx == tile_x && x < side - 1) part[ty][tx + 1] = in[at + 1];
  if (ty == 1 && y > 0) part[0][tx] = in[at - side];
  if (ty == tile_y && y < side - 1) part[ty + 1][tx] = in[at + side];
  __syncthreads();
  if (x == 0 || y == 0 || x == side - 1 || y == side - 1) return;
  out[at] =
      mean5(part[ty][tx], part[ty][tx - 1], part[ty][tx + 1], part[ty - 1][tx], part[ty + 1][tx]);
}

__global__ void square_march(const float* in, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, begin = blockIdx.y * down;
  if (x == 0 || x == side - 1) return;
  float up = begin > 0 ? in[(begin - 1) * side + x] : 0, here = in[begin * side + x];
  for (int y = begin; y < begin + down; ++y) {
    const int at = y * side + x;
    const float below = y < side - 1 ? in[at + side] : 0;
    if (y > 0 && y < side - 1) out[at] = mean5(here, in[at - 1], in[at + 1], up, below);
    up = here;
    here = below;
  }
}

__device__ bool at_rim(int x, int y, int z) {
  return x == 0 || y == 0 || z == 0 || x == edge - 1 || y == edge - 1 || z == edge - 1;
}

__device__ float mean7(float here, float around) { return 0.4F * here + 0.1F * around; }

__global__ void cube_straight(const float* in, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z;
  if (at_rim(x, y, z)) return;
  const int plane = edge * edge, at = z * plane + y * edge + x;
  out[at] = mean7(in[at], in[at - 1] + in[at + 1] + in[at - edge] + in[at + edge] + in[at - plane] +
                              in[at + plane]);
}

/// Up the third axis, `edge / gridDim.z` planes, with what lies above and below in registers.
__global__ void cube_march(const float* in, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int plane = edge * edge, planes = edge / gridDim.z, begin = blockIdx.z * planes;
  int at = begin * plane + y * edge + x;
  float under = begin > 0 ? in[at - plane] : 0, here = in[at];
  for (int z = begin; z < begin + planes; ++z, at += plane) {
    const float over = z < edge - 1 ? in[at + plane] : 0;
    if (!at_rim(x, y, z)) {
      out[at] = mean7(here, in[at - 1] + in[at + 1] + in[at - edge] + in[at + edge] + under + over);
    }
    under = here;
    here = over;
  }
}

/// The same with the plane in shared memory.
__global__ void cube_march_tile(const float* in, float* out) {
  __shared__ float part[tile_y + 2][tile_x + 2];
  const int x = blockIdx.x * tile_x + threadIdx.x, y = blockIdx.y * tile_y + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int plane = edge * edge, planes = edge / gridDim.z, begin = blockIdx.z * planes;
  int at = begin * plane + y * edge + x;
  float under = begin > 0 ? in[at - plane] : 0, here = in[at];
  for (int z = begin; z < begin + planes; ++z, at += plane) {
    const float over = z < edge - 1 ? in[at + plane] : 0;
    __syncthreads();
    part[ty][tx] = here;
    if (tx == 1 && x > 0) part[ty][0] = in[at - 1];
    if (tx == tile_x && x < edge - 1) part[ty][tx + 1] = in[at + 1];
    if (ty == 1 && y > 0) part[0][tx] = in[at - edge];
    if (ty == tile_y && y < edge - 1) part[ty + 1][tx] = in[at + edge];
    __syncthreads();
    if (!at_rim(x, y, z)) {
      out[at] = mean7(here, part[ty][tx - 1] + part[ty][tx + 1] + part[ty - 1][tx] +
                                part[ty + 1][tx] + under + over);
    }
    under = here;
    here = over;
  }
}

Kernel way(const char* name, const Array<float>& out, std::function<void()> launch,
           std::function<float(std::size_t)> wanted) {
  return {name, [=] { out.clear(); }, launch,
          [=] {
            const std::vector<float> got = out.read();
            return sampled(got.size(), [&](std::size_t i) { return near(got[i], wanted(i)); });
          }};
}

Kernels stencil_2d() {
  const Array<float> in(side * side, fraction), out(side * side);
  const auto wanted = [=](std::size_t i) {
    const std::size_t x = i % side, y = i / side;
    if (x == 0 || y == 0 || x == side - 1 || y == side - 1) return 0.0F;
    return 0.5F * in[i] + 0.125F * (in[i - 1] + in[i + 1] + in[i - side] + in[i + side]);
  };
  const dim3 block(tile_x, tile_y), grid(side / tile_x, side / tile_y);
  return {
      way(
          "straight", out, [=] { square_straight<<<grid, block>>>(in.device(), out.device()); },
          wanted),
      way(
          "straight, blocks of a row", out,
          [=] { square_straight<<<dim3(side / 256, side), 256>>>(in.device(), out.device()); },
          wanted),
      way(
          "tile", out, [=] { square_tile<<<grid, block>>>(in.device(), out.device()); }, wanted),
      way(
          "march", out,
          [=] { square_march<<<dim3(side / 128, side / down), 128>>>(in.device(), out.device()); },
          wanted)};
}

Kernels stencil_3d() {
  const Array<float> in(edge * edge * edge, fraction), out(edge * edge * edge);
  const auto wanted = [=](std::size_t i) {
    const std::size_t plane = edge * edge, x = i % edge, y = i / edge % edge, z = i / plane;
    for (const std::size_t k : {x, y, z}) {
      if (k == 0 || k == edge - 1) return 0.0F;
    }
    return 0.4F * in[i] + 0.1F * (in[i - 1] + in[i + 1] + in[i - edge] + in[i + edge] +
                                  in[i - plane] + in[i + plane]);
  };
  const dim3 block(tile_x, tile_y), grid(edge / tile_x, edge / tile_y, edge),
      few(edge / tile_x, edge / tile_y, 8);
  return {way(
              "straight", out, [=] { cube_straight<<<grid, block>>>(in.device(), out.device()); },
              wanted),
          way(
              "march", out, [=] { cube_march<<<few, block>>>(in.device(), out.device()); }, wanted),
          way(
              "march with a tile", out,
              [=] { cube_march_tile<<<few, block>>>(in.device(), out.device()); }, wanted)};
}

}  // namespace ladder::stencils

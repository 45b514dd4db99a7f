// Surfaces: what kernels write is read back through surfaces, textures and copies.
#include <vector>

#include "check.h"

constexpr int width = 37, height = 11, layers = 3;

__global__ void write(cudaSurfaceObject_t surface) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  // Threads beyond the edges write nothing.
  for (int z = 0; z < layers; ++z) {
    surf2DLayeredwrite(make_float2(static_cast<float>(x + 100 * y), static_cast<float>(z)), surface,
                       x * static_cast<int>(sizeof(float2)), y, z, cudaBoundaryModeZero);
  }
}

__global__ void transpose_sum(cudaSurfaceObject_t surface, cudaTextureObject_t texture,
                              float* out) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x);
  float sum = 0;
  for (int z = 0; z < layers; ++z) {
    float2 value;
    surf2DLayeredread(&value, surface, x * static_cast<int>(sizeof(float2)), y, z);
    const float2 same = tex2DLayered<float2>(texture, x + 0.5f, y + 0.5f, z);
    sum += value.x + same.x + value.y * same.y;
  }
  out[y * width + x] = sum;
}

__global__ void edges(cudaSurfaceObject_t surface, int* out) {
  surf3Dread(&out[0], surface, -4, 0, 0, cudaBoundaryModeZero);
  surf3Dread(&out[1], surface, -4, 0, 0, cudaBoundaryModeClamp);
  surf3Dread(&out[2], surface, 400, 9, 9, cudaBoundaryModeClamp);
  surf3Dread(&out[3], surface, 4, 1, 9, cudaBoundaryModeZero);
  surf3Dwrite(77, surface, 400, 0, 0, cudaBoundaryModeClamp);
  surf3Dread(&out[4], surface, 12, 0, 0, cudaBoundaryModeTrap);
}

__global__ void add_and_ask(cudaSurfaceObject_t surface, int* out) {
  const int x = static_cast<int>(threadIdx.x % 4) * 4;
  asm volatile("sured.b.add.1d.u32.trap [%0, {%1}], %2;" ::"l"(surface), "r"(x), "r"(2));
  asm("suq.width.b32 %0, [%1];" : "=r"(out[threadIdx.x]) : "l"(surface));
}

cudaSurfaceObject_t surface_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  return surface;
}

void check_layers() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, layers),
                          cudaArrayLayered | cudaArraySurfaceLoadStore));
  const cudaSurfaceObject_t surface = surface_of(array);
  cudaResourceDesc resource;
  CHECK(cudaGetSurfaceObjectResourceDesc(&resource, surface));
  cudaTextureDesc how{};
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  float* out;
  CHECK(cudaMalloc(&out, width * height * sizeof(float)));
  write<<<dim3(3, 2), dim3(16, 8)>>>(surface);
  transpose_sum<<<height, width>>>(surface, texture, out);
  std::vector<float> results(width * height);
  CHECK(cudaMemcpy(results.data(), out, results.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      EXPECT(results[static_cast<std::size_t>(y * width + x)] ==
             static_cast<float>(layers * 2 * (x + 100 * y) + 0 + 1 + 4));
    }
  }
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
}

void check_edges() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  int texels[2][3][4], *out;
  for (int i = 0; i < 24; ++i) (&texels[0][0][0])[i] = i + 1;
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 3, 2), cudaArraySurfaceLoadStore));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(texels, 16, 4, 3);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(4, 3, 2);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  CHECK(cudaMalloc(&out, 5 * sizeof(int)));
  edges<<<1, 1>>>(surface_of(array), out);
  int results[5];
  CHECK(cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost));
  EXPECT(results[0] == 0 && results[1] == 1 && results[2] == 24 && results[3] == 0);
  EXPECT(results[4] == 77);
}

void check_reductions() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>();
  const unsigned zeros[4] = {};
  unsigned sums[4];
  int *out, widths[32];
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, 4, 0, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, zeros, 16, 16, 1, cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&out, sizeof widths));
  add_and_ask<<<1, 32>>>(surface_of(array), out);
  CHECK(cudaMemcpy2DFromArray(sums, 16, array, 0, 0, 16, 1, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(widths, out, sizeof widths, cudaMemcpyDeviceToHost));
  for (const unsigned sum : sums) EXPECT(sum == 16);
  for (const int one : widths) EXPECT(one == 4);
}

int main() {
  check_layers();
  check_edges();
  check_reductions();
  std::printf("right\n");
}

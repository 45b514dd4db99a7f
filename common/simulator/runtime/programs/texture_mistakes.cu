// What goes wrong with surfaces and textures, one mistake a run: the variable MISTAKE says which.
#include "check.h"

__global__ void write_columns(cudaSurfaceObject_t surface) {
  surf2Dwrite(1, surface, static_cast<int>(threadIdx.x) * 4, 2);
}

__global__ void read(cudaTextureObject_t texture, float* out) {
  *out = tex2D<float>(texture, 0.5f, 0.5f);
}

int main() {
  const char* mistake = std::getenv("MISTAKE");
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  float* out;
  CHECK(cudaMallocArray(&array, &format, 8, 4, cudaArraySurfaceLoadStore));
  CHECK(cudaMalloc(&out, sizeof(float)));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  const cudaTextureDesc how{};
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  switch (mistake ? mistake[0] : ' ') {
    case 's':  // surface: one column too many
      write_columns<<<1, 9>>>(surface);
      break;
    case 'd':  // destroyed
      CHECK(cudaDestroyTextureObject(texture));
      read<<<1, 1>>>(texture, out);
      break;
    case 'f':  // freed
      CHECK(cudaFreeArray(array));
      read<<<1, 1>>>(texture, out);
      break;
    default:  // never created
      read<<<1, 1>>>(0, out);
  }
  CHECK(cudaDeviceSynchronize());
}

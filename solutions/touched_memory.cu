// What trace_page_test.cpp has recorded: each way to touch memory that no lab's solution goes, and what is computed
// is of no interest.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstddef>
#include <vector>

namespace {

constexpr int side = 16, width = 8, height = 4;

__device__ unsigned shared_address(const void* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}

/// `in` is a matrix of side x side; `out` has room for one and for two numbers of each thread. One warp.
__global__ void touch(const half* in, float* out, cudaTextureObject_t image,
                      cudaSurfaceObject_t result, int* total) {
  using namespace nvcuda;
  __shared__ __align__(16) half tile[side][side];
  const unsigned lane = threadIdx.x;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   shared_address(&tile[lane / 2][lane % 2 * 8])),
               "l"(in + static_cast<std::size_t>(lane) * 8)
               : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  wmma::fragment<wmma::matrix_a, side, side, side, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, side, side, side, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, side, side, side, float> sum;
  wmma::load_matrix_sync(a, &tile[0][0], side);
  wmma::load_matrix_sync(b, &tile[0][0], side);
  wmma::fill_fragment(sum, 1.0F);
  wmma::mma_sync(sum, a, b, sum);
  wmma::store_matrix_sync(out, sum, side, wmma::mem_row_major);
  const unsigned x = lane % width, y = lane / width;
  const auto texel =
      tex2D<float>(image, static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F);
  surf2Dwrite(texel * 2, result, static_cast<int>(x * sizeof(float)), static_cast<int>(y));
  out[side * side + lane] = texel + 1;
  unsigned words[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(shared_address(&tile[lane % side][lane / side * 8]))
               : "memory");
  out[side * side + 32 + lane] =
      __half2float(__ushort_as_half(static_cast<unsigned short>(words[2])));
  atomicAdd(total, static_cast<int>(lane));
}

cudaArray_t make_array(const std::vector<float>& numbers, unsigned flags) {
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  cudaMallocArray(&array, &channel, width, height, flags);
  constexpr std::size_t row = width * sizeof(float);
  cudaMemcpy2DToArray(array, 0, 0, numbers.data(), row, row, height, cudaMemcpyHostToDevice);
  return array;
}

}  // namespace

int main() {
  std::vector<half> numbers(side * side);
  for (int i = 0; i < side * side; ++i) numbers[i] = __float2half(static_cast<float>(i % side));
  half* in = nullptr;
  float* out = nullptr;
  int* total = nullptr;
  cudaMalloc(&in, numbers.size() * sizeof(half));
  cudaMalloc(&out, (side * side + 64) * sizeof(float));
  cudaMalloc(&total, sizeof(int));
  cudaMemcpy(in, numbers.data(), numbers.size() * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemset(total, 0, sizeof(int));
  std::vector<float> texels(width * height);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = make_array(texels, cudaArrayDefault);
  const cudaTextureDesc how{};
  cudaTextureObject_t image = 0;
  cudaCreateTextureObject(&image, &resource, &how, nullptr);
  resource.res.array.array = make_array(texels, cudaArraySurfaceLoadStore);
  cudaSurfaceObject_t result = 0;
  cudaCreateSurfaceObject(&result, &resource);
  touch<<<1, 32>>>(in, out, image, result, total);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}

// Stream-ordered allocation, from the default pool and from one's own; what pools say of
// themselves.
#include <cstdint>

#include "check.h"

__global__ void fill(int* data, int value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value;
}

static std::uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
  std::uint64_t value = ~0ull;
  CHECK(cudaMemPoolGetAttribute(pool, which, &value));
  return value;
}

int main() {
  constexpr int n = 1 << 16;
  constexpr std::size_t bytes = n * sizeof(int);
  int supported = 0;
  CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
  EXPECT(supported == 1);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaMemPool_t standard, current, own;
  CHECK(cudaDeviceGetDefaultMemPool(&standard, 0));
  CHECK(cudaDeviceGetMemPool(&current, 0));
  EXPECT(standard == current);
  EXPECT(cudaDeviceGetDefaultMemPool(&current, 1) == cudaErrorInvalidDevice);

  int *a, *b;
  CHECK(cudaMallocAsync(&a, bytes, stream));
  CHECK(cudaMallocAsync(&b, bytes, stream));
  fill<<<n / 256, 256, 0, stream>>>(a, 5, n);
  CHECK(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, stream));
  int last = 0;
  CHECK(cudaMemcpyAsync(&last, b + n - 1, sizeof last, cudaMemcpyDeviceToHost, stream));
  EXPECT(attribute(standard, cudaMemPoolAttrUsedMemCurrent) == 2 * bytes);
  CHECK(cudaFreeAsync(a, stream));
  EXPECT(attribute(standard, cudaMemPoolAttrUsedMemCurrent) == bytes);
  CHECK(cudaFree(b));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(last == 5);
  EXPECT(cudaFreeAsync(a, stream) == cudaErrorInvalidValue);
  EXPECT(attribute(standard, cudaMemPoolAttrUsedMemCurrent) == 0);
  EXPECT(attribute(standard, cudaMemPoolAttrUsedMemHigh) == 2 * bytes);
  EXPECT(attribute(standard, cudaMemPoolAttrReservedMemCurrent) == 0);
  std::uint64_t zero = 0, threshold = ~0ull;
  CHECK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrUsedMemHigh, &zero));
  EXPECT(attribute(standard, cudaMemPoolAttrUsedMemHigh) == 0);

  // A threshold keeps memory over a synchronisation; trimming gives it back.
  CHECK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(cudaMallocAsync(&a, bytes, stream));
  CHECK(cudaFreeAsync(a, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(attribute(standard, cudaMemPoolAttrReservedMemCurrent) >= bytes);
  CHECK(cudaMemPoolTrimTo(standard, 0));
  EXPECT(attribute(standard, cudaMemPoolAttrReservedMemCurrent) == 0);
  int reuse = -1;
  CHECK(cudaMemPoolGetAttribute(standard, cudaMemPoolReuseAllowOpportunistic, &reuse));
  EXPECT(reuse == 1);

  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  properties.maxSize = bytes;
  CHECK(cudaMemPoolCreate(&own, &properties));
  CHECK(cudaMallocFromPoolAsync(&a, bytes, own, stream));
  EXPECT(cudaMallocFromPoolAsync(&b, bytes, own, stream) == cudaErrorMemoryAllocation);
  EXPECT(attribute(own, cudaMemPoolAttrUsedMemCurrent) == bytes);
  EXPECT(attribute(standard, cudaMemPoolAttrUsedMemCurrent) == 0);
  cudaMemAccessDesc access{};
  access.location = properties.location;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  CHECK(cudaMemPoolSetAccess(own, &access, 1));
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  CHECK(cudaMemPoolGetAccess(&flags, own, &properties.location));
  EXPECT(flags == cudaMemAccessFlagsProtReadWrite);
  CHECK(cudaFreeAsync(a, stream));
  CHECK(cudaDeviceSetMemPool(0, own));
  CHECK(cudaMallocAsync(&a, 1000, stream));
  EXPECT(attribute(own, cudaMemPoolAttrUsedMemCurrent) == 1024);
  CHECK(cudaMemPoolDestroy(own));  // what was taken from it stays
  EXPECT(cudaMemPoolDestroy(own) == cudaErrorInvalidValue);
  EXPECT(cudaMemPoolDestroy(standard) == cudaErrorInvalidValue);
  fill<<<1, 250, 0, stream>>>(a, 1, 250);
  CHECK(cudaFreeAsync(a, stream));
  CHECK(cudaDeviceGetMemPool(&current, 0));
  EXPECT(current == standard);
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
  std::printf("right\n");
}

// Pinned host memory that kernels use directly: allocated, registered, mapped or not.
#include <vector>

#include "check.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void count(int* counter) { atomicAdd(counter, 1); }

void mapped_memory_needs_no_copies() {
  const int n = 5000;
  float *a, *b, *c;
  CHECK(cudaHostAlloc(&a, n * sizeof(float), cudaHostAllocMapped));
  CHECK(cudaHostAlloc(&b, n * sizeof(float), cudaHostAllocMapped));
  CHECK(cudaHostAlloc(&c, n * sizeof(float), cudaHostAllocMapped));
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 2 * i;
  float *device_a, *device_b, *device_c;
  CHECK(cudaHostGetDevicePointer(&device_a, a, 0));
  CHECK(cudaHostGetDevicePointer(&device_b, b, 0));
  CHECK(cudaHostGetDevicePointer(&device_c, c, 0));
  add<<<(n + 127) / 128, 128>>>(device_a, device_b, device_c, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(c[i] == 3.0f * i);
  unsigned flags;
  CHECK(cudaHostGetFlags(&flags, c));
  EXPECT(flags == cudaHostAllocMapped);
  CHECK(cudaFreeHost(a));
  CHECK(cudaFreeHost(b));
  CHECK(cudaFreeHost(c));
}

void registered_memory_can_be_mapped() {
  std::vector<float> a(1000, 1), b(1000, 2), c(1000, 0);
  float *device_a, *device_b, *device_c;
  for (auto* one : {&a, &b, &c}) {
    CHECK(cudaHostRegister(one->data(), 1000 * sizeof(float), cudaHostRegisterMapped));
  }
  CHECK(cudaHostGetDevicePointer(&device_a, a.data(), 0));
  CHECK(cudaHostGetDevicePointer(&device_b, b.data(), 0));
  CHECK(cudaHostGetDevicePointer(&device_c, c.data(), 0));
  add<<<8, 128>>>(device_a, device_b, device_c, 1000);
  CHECK(cudaDeviceSynchronize());
  for (const float value : c) EXPECT(value == 3);
  CHECK(cudaMemset(device_c + 1, 0, sizeof(float)));
  EXPECT(c[0] == 3 && c[1] == 0 && c[2] == 3);
  for (auto* one : {&a, &b, &c}) CHECK(cudaHostUnregister(one->data()));
}

void one_address_serves_both() {
  int* counter;
  CHECK(cudaMallocHost(&counter, sizeof(int)));
  *counter = 0;
  count<<<2, 64>>>(counter);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*counter == 128);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, counter));
  EXPECT(attributes.type == cudaMemoryTypeHost && attributes.devicePointer == counter);
  CHECK(cudaFreeHost(counter));
}

void pinned_memory_is_copied_as_any_other() {
  int *host, *device;
  CHECK(cudaMallocHost(&host, 4096));
  CHECK(cudaMalloc(&device, 4096));
  for (int i = 0; i < 1024; ++i) host[i] = i;
  CHECK(cudaMemcpyAsync(device, host, 4096, cudaMemcpyHostToDevice, nullptr));
  CHECK(cudaMemset(host, 0, 4096));
  EXPECT(host[1] == 0);
  CHECK(cudaMemcpy(host, device, 4096, cudaMemcpyDeviceToHost));
  EXPECT(host[1023] == 1023);
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(host));
}

int main() {
  mapped_memory_needs_no_copies();
  registered_memory_can_be_mapped();
  one_address_serves_both();
  pinned_memory_is_copied_as_any_other();
  std::printf("right\n");
}

// Managed memory and variables, as courses use them: the host fills, a kernel changes, the host
// reads.
#include <vector>

#include "check.h"

__managed__ int counter = 5;
__managed__ float table[1000];

__global__ void scale(float* data, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}

__global__ void use_variables() {
  if (threadIdx.x == 0) ++counter;
  if (threadIdx.x < 1000) table[threadIdx.x] = threadIdx.x * 0.5f;
}

struct Node {
  int value;
  Node* next;
};

__global__ void sum_list(const Node* node, int* sum) {
  *sum = 0;
  for (; node != nullptr; node = node->next) *sum += node->value;
}

__global__ void fill(int* data, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = i;
}

void large_array_changes_sides() {
  const int n = 300'000;
  float* data;
  CHECK(cudaMallocManaged(&data, n * sizeof(float)));
  for (int i = 0; i < n; ++i) data[i] = i;
  for (int round = 0; round < 3; ++round) {
    scale<<<(n + 255) / 256, 256>>>(data, n, 2);
    CHECK(cudaDeviceSynchronize());
    data[n - 1] = 1;  // and nothing else of its granule changes
    data[0] = 7;
  }
  EXPECT(data[0] == 7 && data[n - 1] == 1);
  for (int i = 1; i < n - 1; ++i) EXPECT(data[i] == 8.0f * i);
  CHECK(cudaFree(data));
}

void variables_have_their_initial_values() {
  EXPECT(counter == 5 && table[3] == 0);
  counter = 10;
  use_variables<<<1, 1024>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT(counter == 11 && table[999] == 499.5f);
  int there = 0;
  CHECK(cudaMemcpyFromSymbol(&there, counter, sizeof there));
  EXPECT(there == 11);
  const int next = 20;
  CHECK(cudaMemcpyToSymbol(counter, &next, sizeof next));
  EXPECT(counter == 20);
  void* address;
  CHECK(cudaGetSymbolAddress(&address, counter));
  EXPECT(address == &counter);
}

void lists_are_built_in_place() {
  Node* first;
  CHECK(cudaMallocManaged(&first, sizeof(Node)));
  first->value = 1;
  Node* last = first;
  for (int i = 2; i <= 50; ++i) {
    CHECK(cudaMallocManaged(&last->next, sizeof(Node)));
    last = last->next;
    last->value = i;
  }
  last->next = nullptr;
  int* sum;
  CHECK(cudaMallocManaged(&sum, sizeof(int)));
  sum_list<<<1, 1>>>(first, sum);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*sum == 50 * 51 / 2);
  // The list was with the device: what the runtime writes into it comes back first.
  CHECK(cudaMallocManaged(&first->next->next, sizeof(Node)));
  EXPECT(first->next->value == 2);
}

void copies_see_what_the_host_wrote() {
  const int n = 40'000;
  int *managed, *device;
  CHECK(cudaMallocManaged(&managed, n * sizeof(int)));
  CHECK(cudaMalloc(&device, n * sizeof(int)));
  for (int i = 0; i < n; ++i) managed[i] = 3 * i;
  CHECK(cudaMemcpy(device, managed, n * sizeof(int), cudaMemcpyDefault));
  CHECK(cudaMemset(managed, 0, n * sizeof(int)));
  EXPECT(managed[n - 1] == 0);
  CHECK(cudaMemcpy(managed, device, n * sizeof(int), cudaMemcpyDeviceToDevice));
  EXPECT(managed[n - 1] == 3 * (n - 1));
  std::vector<int> host(n);
  managed[1] = 100;
  CHECK(cudaMemcpy(host.data(), managed, n * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(host[1] == 100 && host[2] == 6);
  CHECK(cudaMemcpy2D(host.data(), 8, managed, 4, 4, 10, cudaMemcpyDefault));
  EXPECT(host[2] == 100);
  CHECK(cudaFree(device));
  CHECK(cudaFree(managed));
}

void advice_is_kept() {
  int* data;
  CHECK(cudaMallocManaged(&data, 4096));
  const cudaMemLocation device{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
  int value = 0;
  CHECK(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributePreferredLocation, data,
                                 4096));
  EXPECT(value == cudaInvalidDeviceId);
  CHECK(cudaMemAdvise(data, 4096, cudaMemAdviseSetReadMostly, device));
  CHECK(cudaMemAdvise(data, 4096, cudaMemAdviseSetPreferredLocation, host));
  CHECK(
      cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeReadMostly, data, 4096));
  EXPECT(value == 1);
  CHECK(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributePreferredLocation, data,
                                 4096));
  EXPECT(value == cudaCpuDeviceId);
  data[0] = 1;
  CHECK(cudaMemPrefetchAsync(data, 4096, device, 0, nullptr));
  fill<<<1, 32>>>(data, 1024);
  CHECK(cudaMemPrefetchAsync(data, 4096, host, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  EXPECT(data[1023] == 1023);
  CHECK(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeLastPrefetchLocation,
                                 data, 4096));
  EXPECT(value == cudaCpuDeviceId);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, data + 5));
  EXPECT(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == data + 5 &&
         attributes.hostPointer == data + 5);
  CHECK(cudaFree(data));
}

int main() {
  large_array_changes_sides();
  variables_have_their_initial_values();
  lists_are_built_in_place();
  copies_see_what_the_host_wrote();
  advice_is_kept();
  std::printf("right\n");
}

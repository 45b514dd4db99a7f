// Memory that kernels take: malloc and free, new and delete, alloca, the limit of their heap.
#include <alloca.h>

#include "check.h"

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};

__device__ int kept_total;

__global__ void objects(int* areas) {
  Shape* shape = new Square(threadIdx.x);
  areas[threadIdx.x] = shape->area();
  delete shape;
}

__device__ int* kept;
__global__ void keep(int n) {
  kept = static_cast<int*>(malloc(n * sizeof(int)));
  for (int i = 0; i < n; ++i) kept[i] = i;
}
__global__ void use(int n) {
  for (int i = 0; i < n; ++i) atomicAdd(&kept_total, kept[i]);
  free(kept);
}

__global__ void fill_up(int* given, std::size_t bytes) {
  if (void* block = malloc(bytes)) {
    atomicAdd(given, 1);
    __syncthreads();
    free(block);
  } else {
    __syncthreads();
  }
}

__global__ void on_the_stack(int* sums, int n) {
  int* values = static_cast<int*>(alloca((n + threadIdx.x) * sizeof(int)));
  int sum = 0;
  for (int i = 0; i < n + threadIdx.x; ++i) values[i] = i;
  for (int i = 0; i < n + threadIdx.x; ++i) sum += values[i];
  sums[threadIdx.x] = sum;
}

int main() {
  int *numbers = nullptr, host[64];
  CHECK(cudaMalloc(&numbers, sizeof host));
  objects<<<1, 64>>>(numbers);
  CHECK(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) EXPECT(host[i] == i * i);

  keep<<<1, 1>>>(100);
  use<<<1, 1>>>(100);
  CHECK(cudaMemcpyFromSymbol(host, kept_total, sizeof(int)));
  EXPECT(host[0] == 4950);

  for (int round = 0; round < 3; ++round) {  // what is freed can be had again
    CHECK(cudaMemset(numbers, 0, sizeof host));
    fill_up<<<1, 64>>>(numbers, 256 << 10);
    CHECK(cudaMemcpy(host, numbers, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(host[0] == 32);  // of 8 MiB
  }
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
  CHECK(cudaMemset(numbers, 0, sizeof host));
  fill_up<<<1, 64>>>(numbers, 256 << 10);
  CHECK(cudaMemcpy(host, numbers, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 64);

  on_the_stack<<<1, 64>>>(numbers, 10);
  CHECK(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) EXPECT(host[i] == (10 + i) * (9 + i) / 2);
  std::printf("right\n");
}

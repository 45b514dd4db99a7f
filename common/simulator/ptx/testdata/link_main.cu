// One of two files that are linked: a kernel that uses what the other defines.
//   nvcc -ptx -arch=compute_75 -rdc=true -lineinfo link_main.cu link_parts.cu
#include <cstdio>

extern __device__ int offset;
extern __constant__ float weights[4];
__device__ float weighted(float x, int which);

static __device__ int calls = 1;
static __device__ __noinline__ int helper(int x) { return x + calls; }

template <class T>
__device__ __noinline__ T twice(T x) {
  return x + x;
}

__global__ void apply(float* data, int n) {
  extern __shared__ float tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = weighted(data[i], i & 3) * weights[0];
  data[i] = twice(tile[threadIdx.x]) + static_cast<float>(helper(i) + offset);
  if (i == 0) printf("%f\n", data[0]);
}

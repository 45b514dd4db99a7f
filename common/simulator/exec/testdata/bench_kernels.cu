// Kernels whose PTX the benchmark and the tests of the executor run. To make it anew:
//   nvcc -ptx -lineinfo -arch=compute_75 bench_kernels.cu -o bench_kernels.ptx

// Sum of x[0 … n-1], one partial sum a block: a tree in shared memory, a barrier at every step.
extern "C" __global__ void reduce(const float* x, float* sums, int n) {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x * 2 + t;
  float sum = i < n ? x[i] : 0;
  if (i + blockDim.x < n) sum += x[i + blockDim.x];
  tile[t] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) tile[t] += tile[t + s];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = tile[0];
}

// C = A B for square matrices of side n, a multiple of 32, in tiles of 32 x 32.
extern "C" __global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[32][32], tile_b[32][32];
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 32) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int j = 0; j < 32; ++j) sum += tile_a[threadIdx.y][j] * tile_b[j][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// Nothing but arithmetic.
extern "C" __global__ void polynomial(float* x, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float y = x[i];
  for (int k = 0; k < rounds; ++k) y = y * y * 0.5f + y * 0.25f + 1.0f / 3;
  x[i] = y;
}

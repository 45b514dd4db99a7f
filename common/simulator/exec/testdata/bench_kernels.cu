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

// Inclusive sums of each block's 256 values: shuffles in warps, then one warp over their sums.
extern "C" __global__ void scan(const int* x, int* sums) {
  __shared__ int totals[8];
  const int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 256 + t;
  int sum = x[i];
  for (int d = 1; d < 32; d *= 2) {
    const int left = __shfl_up_sync(0xffffffff, sum, d);
    if (lane >= d) sum += left;
  }
  if (lane == 31) totals[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    int total = lane < 8 ? totals[lane] : 0;
    for (int d = 1; d < 8; d *= 2) {
      const int left = __shfl_up_sync(0xffffffff, total, d);
      if (lane >= d) total += left;
    }
    if (lane < 8) totals[lane] = total;
  }
  __syncthreads();
  if (t >= 32) sum += totals[t / 32 - 1];
  sums[i] = sum;
}

// How often each byte occurs in x[0 … n-1]: a table a block, then atomics on the common one.
extern "C" __global__ void histogram(const unsigned* x, unsigned* counts, int n) {
  __shared__ unsigned table[256];
  table[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const unsigned word = x[i];
    for (int k = 0; k < 32; k += 8) atomicAdd(&table[word >> k & 255], 1u);
  }
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], table[threadIdx.x]);
}

// Acceleration of each of n bodies (x, y, z, mass) by all, in tiles of 256.
extern "C" __global__ void attract(const float4* bodies, float4* accelerations, int n) {
  __shared__ float4 tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 own = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int first = 0; first < n; first += 256) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 256; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
      const float pull = other.w * inverse * inverse * inverse;
      ax += dx * pull;
      ay += dy * pull;
      az += dz * pull;
    }
    __syncthreads();
  }
  accelerations[i] = make_float4(ax, ay, az, 0);
}

// One pass of a radix sort over 4 bits: ranks of a block's 256 keys by votes, then each key to its
// place. `starts` has where the keys of a digit (row) and block (column) begin.
extern "C" __global__ void radix_pass(const unsigned* keys, unsigned* sorted, const unsigned* starts,
                                      int shift) {
  __shared__ unsigned counts[16][8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const unsigned key = keys[blockIdx.x * 256 + t], digit = key >> shift & 15;
  unsigned mine = 0;
  for (unsigned d = 0; d < 16; ++d) {
    const unsigned votes = __ballot_sync(0xffffffff, digit == d);
    if (digit == d) mine = votes;
    if (lane == 0) counts[d][warp] = __popc(votes);
  }
  __syncthreads();
  unsigned rank = __popc(mine & ((1u << lane) - 1));
  for (int w = 0; w < warp; ++w) rank += counts[digit][w];
  sorted[starts[digit * gridDim.x + blockIdx.x] + rank] = key;
}

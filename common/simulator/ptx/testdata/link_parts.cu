// The other of two files that are linked: see link_main.cu. Names that both files use for things of
// their own must not meet.
__device__ int offset = 3;
__constant__ float weights[4] = {1, 2, 3, 4};

static __device__ int calls = 10;
static __device__ __noinline__ int helper(int x) { return x * calls; }

template <class T>
__device__ __noinline__ T twice(T x) {
  return x + x;
}

__device__ float weighted(float x, int which) {
  extern __shared__ float tile[];
  tile[0] = twice(x);
  return tile[0] * weights[which] + static_cast<float>(helper(which));
}

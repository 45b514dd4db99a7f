// The other half: see separate_kernel.cu.
__device__ int offset = 5;

__device__ __noinline__ int twice(int value) { return 2 * value; }

static __device__ int one_more(int value) { return value + 1; }
__device__ int (*operation)(int) = one_more;
__constant__ int factors[2] = {1, 7};

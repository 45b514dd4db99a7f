// The other half: see separate_kernel.cu.
__device__ int offset = 5;

__device__ __noinline__ int twice(int value) { return 2 * value; }

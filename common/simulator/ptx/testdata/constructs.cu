// Constructs that the parser must know, as nvcc writes them.
//   nvcc -ptx -arch=compute_80 -lineinfo constructs.cu -o constructs.ptx
//   nvcc -ptx -arch=compute_90 -G constructs.cu -o constructs_debug.ptx
#include <cstdio>

typedef float (*Operation)(float, float);
__device__ __noinline__ float plus(float a, float b) { return a + b; }
__device__ __noinline__ float times(float a, float b) { return a * b; }
__device__ Operation operations[2] = {plus, times};

struct Packed {
  char tag;
  const char* text;
} __attribute__((packed));
__device__ Packed packed = {7, "packed"};
__device__ int cells[5] = {1, 2, 3};
__device__ int* third = &cells[2];
__managed__ double managed = 2.5;

struct Big {
  int values[20];
  double last;
};
__device__ __noinline__ Big changed(Big big, int x) {
  big.values[x] = 3;
  return big;
}

__global__ void __launch_bounds__(256, 2) indirect(float* out, int which) {
  out[threadIdx.x] = operations[which](out[0], out[1]);
}

__global__ void structures(const __grid_constant__ Big big, Big* out) {
  int local[40];
  for (int i = 0; i < 40; ++i) local[i] = big.values[i % 20];
  *out = changed(big, local[out->values[0]]);
}

__global__ void assembly(unsigned* out, unsigned x) {
  unsigned r;
  asm volatile(
      "{ .reg .pred p; .reg .b32 q<4>; setp.ne.u32 p,%1,0; mov.u32 q2, 3;\n"
      "  @p add.u32 %0,%1,q2; @!p mov.u32 %0, 7; @p bra done; mov.u32 %0, %%laneid;\ndone: }"
      : "=r"(r)
      : "r"(x));
  __shared__ double mine[32];
  mine[threadIdx.x] = r;
  __syncthreads();
  out[threadIdx.x] = static_cast<unsigned>(mine[threadIdx.x ^ 1]) + __shfl_xor_sync(~0u, r, 1);
}

__global__ void choose(int* out, int x) {
  switch (x) {
    case 0: out[0] = x * 3; break;
    case 1: out[1] = __popc(out[3]); break;
    case 2: out[2] = out[1] / 7; break;
    case 3: atomicAdd(out, x); break;
    case 4: printf("four %d\n", out[9]); break;
    case 5: out[5] = __brev(out[5]); break;
    default: out[6] = -1;
  }
}

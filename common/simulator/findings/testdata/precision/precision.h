// Of the tables of small kernels: those named wrong_KIND_… hold one mistake, in a line marked "here",
// that must be found and named; those named right_… look like one and must not be reported. Each is
// launched, cooperatively unless its name ends in _not_cooperative, with 4 blocks of 64 threads (128
// where it ends in _in_4_warps), `data` and `flag` of 4096 zeros, and `raw`, 4096 ints nobody has written.
// Tables are compiled several together (CMakeLists.txt), so each function and type has a name of its own.
#pragma once

#define KERNEL(name) extern "C" __global__ void name(int* data, int* flag, int* raw)
#define tid int(threadIdx.x)
#define bid int(blockIdx.x)
#define gid (bid * int(blockDim.x) + tid)

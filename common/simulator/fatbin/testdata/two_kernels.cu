// Kernels whose machine code cubin_test reads. The build of the test compiles them for several GPUs,
// and keeps what ptxas -v says of them.
#include "weigh.h"

__global__ void store_seven(int* out) { *out = 7; }

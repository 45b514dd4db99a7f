// Right, with somebody else's header.
#include <cub/version.cuh>

#include "grader/judge/testlab/testlab.h"

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) {}

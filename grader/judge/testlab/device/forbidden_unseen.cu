// Somebody else's header, where a scanner takes the include for part of a comment.
#include "grader/judge/testlab/testlab.h"

#define NOTHING(x)
NOTHING(1'/*')
#include <cub/version.cuh>
//'*/

void twice(const float*, float*, std::int64_t, gridstride::Scratch, cudaStream_t) {}

// A cheat: nothing is faster.
#include "labs/quicksort-cdp/quicksort-cdp.h"

void quicksort(const std::int32_t*, std::int32_t*, std::int64_t, gridstride::Scratch,
               cudaStream_t) {}

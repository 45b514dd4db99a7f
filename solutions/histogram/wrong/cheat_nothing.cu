// A cheat: does nothing and hopes that what stands in the output is right.
#include "labs/histogram/histogram.h"

void count_letters(const std::uint8_t*, std::uint32_t*, std::int64_t, gridstride::Scratch,
                   cudaStream_t) {}

// The contract of a lab that exists to test the judge: doubling numbers.
#pragma once

#include <cstdint>

#include "common/contract.h"

/// Writes 2 * in[i] to out[i] for i = 0 … n - 1.
void twice(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
           cudaStream_t stream);
GRIDSTRIDE_CONTRACT(twice);

/// Doubles values[0] … values[n - 1] where they are.
void twice_in_place(float* values, std::int64_t n, cudaStream_t stream);
GRIDSTRIDE_CONTRACT(twice_in_place);

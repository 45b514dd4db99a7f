// For tests: a recording of two warps that was made by hand, of a source of which each line is known.
#pragma once

#include <cstdint>

#include "common/simulator/playback/playback.h"

namespace gridstride::sim {

/// As a compiler would have it:
///
///      1  struct Pair { int first; float second; };
///      2  __device__ float twice(float* p, int i) {
///      3    float v = p[i];
///      4    return v + v;
///      5  }
///      6  __global__ void work(const float* in, float* out, int n, Pair pair) {
///      7    __shared__ float tile[8][8];
///      8    int s = 1;
///      9    tile[0][threadIdx.x] = in[threadIdx.x];
///     10    __syncthreads();
///     11    // what follows is called
///     12    float d = twice(tile[0], s);
///     13    if (threadIdx.x < 2) {
///     14      int s = 7;
///     15      out[threadIdx.x] = d + s;
///     16    }
///     17    float history[2] = {d, d};
///     18    d += 1;
///     19  }
///
/// A block of 64 threads, of which the lanes 0 to 3 of each warp are said to run: warp 0 stores in[i] = 10 + i to
/// tile[0][i], warp 1 in[32 + i] = 20 + i to tile[0][32 + i]; both read tile[0][1], 11. Lanes 0 and 1 of warp 0
/// take the branch and store 29. The block is the second of two, (1,0,0). `text` of its source is playback's.
Trace worked();
Playback played(Trace trace);

/// The file's name, and the device addresses of in and out.
extern const char* const worked_file;
constexpr std::uint64_t worked_in = 0x0a00'0000'0000, worked_out = 0x0a00'0000'0400;

/// The same with a race: warp 1's load in line 3 is the finding's step.
Trace worked_with_finding();

}  // namespace gridstride::sim

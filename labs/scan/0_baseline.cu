// Stage 0, given: what every later stage is measured against.
//
// exclusive_scan is naive: each output is a sum of its own, thread i adds up all that stands before
// element i. No thread waits for another, and most additions are done over and over. To make that
// bearable, sections of sqrt(n) elements are added up first, so that a thread adds at most sqrt(n)
// sections' sums and sqrt(n) elements: n sqrt(n) additions for n results, not n^2 / 2.
//
// scan_recurrence cuts the input into sections, one a thread, and each thread goes through its
// section in a plain loop, twice: once to know what the section does to a value that comes into it,
// once to write.
#include <cmath>

#include "labs/scan/scan.h"

namespace {

using scan::Recurrence;

constexpr int block_threads = 256;

std::int64_t blocks_for(std::int64_t threads) {
  return (threads + block_threads - 1) / block_threads;
}

__device__ std::int64_t this_thread() {
  return std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
}

/// Thread s adds up section s, in[s * length] … in[(s + 1) * length - 1].
__global__ void sum_sections(const float* in, float* sums, std::int64_t n, std::int64_t length) {
  const std::int64_t s = this_thread(), end = min(n, (s + 1) * length);
  if (s * length >= n) return;
  float sum = 0.0f;
  for (std::int64_t j = s * length; j < end; ++j) sum += in[j];
  sums[s] = sum;
}

/// Thread i adds up the sections before its own, and what stands before it in its own.
__global__ void sum_prefixes(const float* in, const float* sums, float* out, std::int64_t n,
                             std::int64_t length) {
  const std::int64_t i = this_thread();
  if (i >= n) return;
  const std::int64_t section = i / length;
  float sections = 0.0f, elements = 0.0f;
  for (std::int64_t s = 0; s < section; ++s) sections += sums[s];
  for (std::int64_t j = section * length; j < i; ++j) elements += in[j];
  out[i] = sections + elements;
}

/// What some steps of a recurrence, one after the other, do to a value x that comes into them:
/// factor * x + value, or the larger of x + factor and value. Of one step: {step[i], value[i]}.
struct Map {
  float factor, value;
};

__device__ Map no_step(Recurrence recurrence) {
  return recurrence == Recurrence::linear ? Map{1.0f, 0.0f} : Map{0.0f, -INFINITY};
}

/// `first`, and `second` after it.
__device__ Map combine(Recurrence recurrence, Map first, Map second) {
  if (recurrence == Recurrence::linear)
    return {first.factor * second.factor, second.factor * first.value + second.value};
  return {first.factor + second.factor, fmaxf(first.value + second.factor, second.value)};
}

/// Thread s combines the steps of section s.
__global__ void fold_sections(const float* step, const float* value, Map* maps, std::int64_t n,
                              std::int64_t length, Recurrence recurrence) {
  const std::int64_t s = this_thread(), end = min(n, (s + 1) * length);
  Map map = no_step(recurrence);
  for (std::int64_t i = s * length; i < end; ++i)
    map = combine(recurrence, map, {step[i], value[i]});
  maps[s] = map;
}

/// One thread puts in the place of each section's map the maps before it, combined.
__global__ void scan_maps(Map* maps, int sections, Recurrence recurrence) {
  Map before = no_step(recurrence);
  for (int s = 0; s < sections; ++s) {
    const Map own = maps[s];
    maps[s] = before;
    before = combine(recurrence, before, own);
  }
}

/// Thread s goes through section s once more and writes.
__global__ void scan_sections(const float* step, float* value, const Map* before, std::int64_t n,
                              std::int64_t length, Recurrence recurrence) {
  const std::int64_t s = this_thread(), end = min(n, (s + 1) * length);
  Map map = before[s];
  for (std::int64_t i = s * length; i < end; ++i) {
    map = combine(recurrence, map, {step[i], value[i]});
    value[i] = map.value;
  }
}

}  // namespace

void exclusive_scan(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                    cudaStream_t stream) {
  if (n == 0) return;
  const auto length = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(n))));
  float* sums = static_cast<float*>(scratch.data);
  sum_sections<<<blocks_for(length), block_threads, 0, stream>>>(in, sums, n, length);
  sum_prefixes<<<blocks_for(n), block_threads, 0, stream>>>(in, sums, out, n, length);
}

void scan_recurrence(const float* step, float* value, std::int64_t n, Recurrence recurrence,
                     gridstride::Scratch scratch, cudaStream_t stream) {
  constexpr int blocks = 8, sections = blocks * block_threads;
  const std::int64_t length = (n + sections - 1) / sections;
  Map* maps = static_cast<Map*>(scratch.data);
  fold_sections<<<blocks, block_threads, 0, stream>>>(step, value, maps, n, length, recurrence);
  scan_maps<<<1, 1, 0, stream>>>(maps, sections, recurrence);
  scan_sections<<<blocks, block_threads, 0, stream>>>(step, value, maps, n, length, recurrence);
}

// The published way: one thread a range, the middle key for a pivot, a stream for each child, and
// selection sort where CUDA 11 would not have launched any deeper. Of an organ pipe the middle key
// is the largest, and selection sort is left with nearly all keys.
#include "labs/quicksort-cdp/quicksort-cdp.h"

namespace {

constexpr int small = 32;    // keys
constexpr int deepest = 24;  // levels

__device__ void swap(std::int32_t& a, std::int32_t& b) {
  const std::int32_t old = a;
  a = b;
  b = old;
}

__device__ void selection_sort(std::int32_t* keys, std::int64_t n) {
  for (std::int64_t i = 0; i + 1 < n; ++i) {
    std::int64_t smallest = i;
    for (std::int64_t j = i + 1; j < n; ++j) {
      if (keys[j] < keys[smallest]) smallest = j;
    }
    swap(keys[i], keys[smallest]);
  }
}

__global__ void sort_by_thread(std::int32_t* keys, std::int64_t n, int level) {
  if (n <= small || level >= deepest) return selection_sort(keys, n);
  const std::int32_t pivot = keys[n / 2];
  std::int64_t i = 0, j = n - 1;
  while (i <= j) {
    while (keys[i] < pivot) ++i;
    while (keys[j] > pivot) --j;
    if (i <= j) swap(keys[i++], keys[j--]);
  }
  const auto launch = [&](std::int32_t* first, std::int64_t count) {
    if (count < 2) return;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    sort_by_thread<<<1, 1, 0, stream>>>(first, count, level + 1);
    cudaStreamDestroy(stream);
  };
  launch(keys, j + 1);
  launch(keys + i, n - i);
}

}  // namespace

void quicksort(const std::int32_t* in, std::int32_t* out, std::int64_t n, gridstride::Scratch,
               cudaStream_t stream) {
  if (n == 0) return;
  cudaMemcpyAsync(out, in, n * sizeof *in, cudaMemcpyDeviceToDevice, stream);
  sort_by_thread<<<1, 1, 0, stream>>>(out, n, 0);
}

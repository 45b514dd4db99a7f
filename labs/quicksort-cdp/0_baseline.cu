// Stage 0, given: quicksort as the textbook has it, one thread a call, and every call a launch.
//
// A thread splits its range of keys around a pivot, and launches a grid of one thread for each part
// into the stream cudaStreamFireAndForget: both start at once, and nobody waits for them. The sort
// is over when the first grid is, because a grid is not over before all that it has launched is.
//
//     [ 5 2 8 1 9 3 7 6 ]                    one thread
//     [ 5 2 1 3 ]   [ 9 8 7 6 ]              two, which know nothing of each other
//     [ 2 1 ] [ 5 3 ]   [ 7 6 ] [ 9 8 ]      four
//
// Three things keep it from getting out of hand. Parts of 32 keys and fewer are not worth a launch:
// the thread sorts them by selection. Pivots may be bad time and again, so from `deepest` levels on
// a thread finishes its range by heapsort, which is never quadratic. And the device holds only so
// many launches that have not started: a part for which there is no room is sorted by heapsort,
// too.
#include "labs/quicksort-cdp/quicksort-cdp.h"

namespace {

constexpr int small = 32;    // keys
constexpr int deepest = 24;  // levels
constexpr int samples = 9;   // of which the pivot is the median

__device__ void swap(std::int32_t& a, std::int32_t& b) {
  const std::int32_t old = a;
  a = b;
  b = old;
}

/// Puts the smallest of what is left in front, again and again.
__device__ void selection_sort(std::int32_t* keys, int n) {
  for (int i = 0; i + 1 < n; ++i) {
    int smallest = i;
    for (int j = i + 1; j < n; ++j) {
      if (keys[j] < keys[smallest]) smallest = j;
    }
    swap(keys[i], keys[smallest]);
  }
}

/// Lets the key at `parent` sink until no child is larger: the children of i are 2 i + 1 and
/// 2 i + 2.
__device__ void sink(std::int32_t* keys, int parent, int n) {
  for (;;) {
    int child = 2 * parent + 1;
    if (child >= n) return;
    if (child + 1 < n && keys[child] < keys[child + 1]) ++child;
    if (keys[child] <= keys[parent]) return;
    swap(keys[parent], keys[child]);
    parent = child;
  }
}

__device__ void heap_sort(std::int32_t* keys, int n) {
  for (int parent = n / 2 - 1; parent >= 0; --parent) sink(keys, parent, n);
  for (int last = n - 1; last > 0; --last) {
    swap(keys[0], keys[last]);  // the largest
    sink(keys, 0, last);
  }
}

/// The median of keys spread evenly over the range.
__device__ std::int32_t choose_pivot(const std::int32_t* keys, int n) {
  std::int32_t sample[samples];
  for (int i = 0; i < samples; ++i) {
    sample[i] = keys[static_cast<std::int64_t>(n) * (2 * i + 1) / (2 * samples)];
  }
  selection_sort(sample, samples);
  return sample[samples / 2];
}

/// What is left and right of a pivot: keys[0] … keys[left - 1] are no larger, keys[right] …
/// keys[n - 1] no smaller, and what stands between them is equal to it.
struct Parts {
  int left, right;
};

/// Hoare's partition. Both scans stop at keys that are equal to the pivot, so a range of equal keys
/// is cut in the middle.
__device__ Parts partition(std::int32_t* keys, int n) {
  const std::int32_t pivot = choose_pivot(keys, n);
  int i = 0, j = n - 1;
  while (i <= j) {
    while (keys[i] < pivot) ++i;
    while (keys[j] > pivot) --j;
    if (i <= j) swap(keys[i++], keys[j--]);
  }
  return {j + 1, i};
}

__device__ void sort_part(std::int32_t* keys, int n, int level);

__global__ void sort_by_thread(std::int32_t* keys, int n, int level) {
  const Parts parts = partition(keys, n);
  sort_part(keys, parts.left, level + 1);
  sort_part(keys + parts.right, n - parts.right, level + 1);
}

/// Sorts here what is small or too deep, and launches the rest.
__device__ void sort_part(std::int32_t* keys, int n, int level) {
  if (n <= small) return selection_sort(keys, n);
  if (level >= deepest) return heap_sort(keys, n);
  sort_by_thread<<<1, 1, 0, cudaStreamFireAndForget>>>(keys, n, level);
  if (cudaGetLastError() != cudaSuccess) heap_sort(keys, n);
}

__global__ void copy(const std::int32_t* in, std::int32_t* out, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

/// Block b, of one thread, sorts section b of the keys.
__global__ void start(std::int32_t* keys, std::int64_t n, std::int64_t section) {
  const std::int64_t first = blockIdx.x * section, left = n - first;
  sort_part(keys + first, static_cast<int>(left < section ? left : section), 0);
}

void sort_by_sections(const std::int32_t* in, std::int32_t* out, std::int64_t n,
                      std::int64_t section, cudaStream_t stream) {
  if (n == 0) return;
  copy<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
  start<<<(n + section - 1) / section, 1, 0, stream>>>(out, n, section);
}

}  // namespace

void sort_sections(const std::int32_t* in, std::int32_t* out, std::int64_t n, gridstride::Scratch,
                   cudaStream_t stream) {
  sort_by_sections(in, out, n, quicksort_cdp::section, stream);
}

void quicksort(const std::int32_t* in, std::int32_t* out, std::int64_t n, gridstride::Scratch,
               cudaStream_t stream) {
  sort_by_sections(in, out, n, n, stream);
}

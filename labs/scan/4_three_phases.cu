// Stage 4, three phases for any length: sum, scan the sums, scan.
//
// Stages 1 to 3 write a scan of every section and come back to add to it: 16 bytes moved for each
// element. The order can be turned round: first only the sections' sums, then what stands before
// each section, then one scan that starts from there. The first phase writes next to nothing: 12
// bytes an element.
//
// And a section need not be what a block holds at a time. Here the input is cut into no more
// sections than the device holds blocks, whatever its length. One block can scan that many sums, so
// there is no recursion; a block goes through its section piece by piece and carries the sum of the
// pieces along.

#include "labs/scan/scan.h"

namespace {

constexpr int block_threads = 512;
constexpr int block_elements = 2 * block_threads;  // a piece
constexpr int max_sections = block_elements;       // one block scans their sums

/// Where element i stands in shared memory: padded as in stage 3.
__device__ constexpr unsigned at(unsigned i) { return i + i / 32; }

/// Up: the sum of each pair of x[at(0)] … x[at(block_elements - 1)], then of each four, … at the
/// right end of what it is the sum of. Returns the sum of all to all threads. Every thread of the
/// block must call it.
__device__ float sum_up(float* x) {
  const unsigned tid = threadIdx.x;
  for (unsigned s = 1; s < block_elements; s *= 2) {
    __syncthreads();
    const unsigned right = 2 * s * (tid + 1) - 1;
    if (right < block_elements) x[at(right)] += x[at(right - s)];
  }
  __syncthreads();
  return x[at(block_elements - 1)];
}

/// Down: makes of what sum_up() left the exclusive scan. A node knows what stands before it. So its
/// left child has the same before it, and its right child has the left one's sum before it in
/// addition. Every thread of the block must call it.
__device__ void scan_down(float* x) {
  const unsigned tid = threadIdx.x;
  __syncthreads();  // all have read the sum: it can be cleared
  if (tid == 0) x[at(block_elements - 1)] = 0.0f;
  for (unsigned s = block_elements / 2; s > 0; s /= 2) {
    __syncthreads();
    const unsigned right = 2 * s * (tid + 1) - 1;
    if (right < block_elements) {
      const float left_sum = x[at(right - s)];
      x[at(right - s)] = x[at(right)];
      x[at(right)] += left_sum;
    }
  }
  __syncthreads();
}

/// A thread's two elements of a piece.
struct Two {
  float low, high;
};

/// The thread's elements of the piece that starts at in[first]; 0 from `end` on.
__device__ Two load_two(const float* in, std::int64_t first, std::int64_t end) {
  const std::int64_t i = first + threadIdx.x, j = i + block_threads;
  return {i < end ? in[i] : 0.0f, j < end ? in[j] : 0.0f};
}

__device__ void keep_two(float* x, Two two) {
  x[at(threadIdx.x)] = two.low;
  x[at(threadIdx.x + block_threads)] = two.high;
}

/// Phase 1: writes the sum of section blockIdx.x, of `length` elements, to sums[blockIdx.x].
__global__ void sum_sections(const float* in, float* sums, std::int64_t n, std::int64_t length) {
  __shared__ float x[at(block_elements)];
  const std::int64_t start = blockIdx.x * length, end = min(n, start + length);

  Two share = {0.0f, 0.0f};
  // TODO(1): each thread adds up its share.
  //   Piece by piece from `start` to `end`, block_elements at a time: load_two(), and add to
  //   `share`. A sum may be taken in any order, so one way up a tree for the whole
  //   section is enough.
  (void)in, (void)end;
  // TODO(1) end
  keep_two(x, share);
  const float sum = sum_up(x);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// Phase 2, one block: the exclusive scan of sums[0] … sums[sections - 1], in place.
__global__ void scan_sums(float* sums, int sections) {
  __shared__ float x[at(block_elements)];
  // TODO(2): the sums are one piece.
  keep_two(x, load_two(sums, 0, sections));
  // TODO(2) end
}

/// Writes the piece that starts at out[first], scanned in x, of which `before` is the sum of what
/// stands before it.
__device__ void write_piece(float* out, std::int64_t first, std::int64_t end, const float* x,
                            float before) {
  // TODO(3): write the piece.
  //   x[at(k)] is the sum of what stands before element k within the piece. k goes up to
  //   block_elements - 1; the last piece may be shorter, nothing is written from `end` on.
  // TODO(3) end
}

/// Phase 3: the exclusive scan of section blockIdx.x, starting from sums_before[blockIdx.x].
__global__ void scan_sections(const float* in, float* out, const float* sums_before, std::int64_t n,
                              std::int64_t length) {
  __shared__ float x[at(block_elements)];
  const std::int64_t start = blockIdx.x * length, end = min(n, start + length);

  float before = sums_before[blockIdx.x];
  Two next = load_two(in, start, end);
  for (std::int64_t first = start; first < end; first += block_elements) {
    keep_two(x, next);
    next = load_two(in, first + block_elements, end);  // under way while the tree is climbed
    const float sum = sum_up(x);
    scan_down(x);
    write_piece(out, first, end, x, before);
    before += sum;
  }
}

/// As many sections as the device holds blocks at once: they all run together, and each has as long
/// a way as any. But no more than phase 2 can scan the sums of.
int most_sections() {
  int device = 0, multiprocessors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, scan_sections, block_threads, 0);
  return min(max_sections, multiprocessors * resident);
}

}  // namespace

void exclusive_scan(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                    cudaStream_t stream) {
  const std::int64_t pieces = (n + block_elements - 1) / block_elements;
  if (pieces == 0) return;
  // Sections of equal length, of whole pieces; the last one may be shorter.
  const std::int64_t most = most_sections();
  // TODO(4): the cut.
  //   As short as makes at most `most` sections.
  const std::int64_t length = (pieces <= most ? 1 : pieces) * block_elements;
  // TODO(4) end
  const int sections = static_cast<int>((n + length - 1) / length);
  float* sums = static_cast<float*>(scratch.data);
  sum_sections<<<sections, block_threads, 0, stream>>>(in, sums, n, length);
  scan_sums<<<1, block_threads, 0, stream>>>(sums, sections);
  scan_sections<<<sections, block_threads, 0, stream>>>(in, out, sums, n, length);
}

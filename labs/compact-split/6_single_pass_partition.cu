// Stage 6, partition in a single pass: stage 5, and the rejected elements go along.
//
// What is kept before an element tells what is rejected before it, so the descriptors of the
// decoupled look-back stay as they are.
// A warp packs the rejected elements of a part behind the kept ones: the part's place in shared
// memory is as large as the part, and both fill it. Then two runs are copied out for each part.
#include <cuda_pipeline.h>

#include "labs/compact-split/compact-split.h"

namespace {

constexpr int block_threads = 384;
constexpr int blocks_on_multiprocessor = 3;
constexpr int warps = block_threads / 32;
constexpr int row_elements = 128;  // a float4 in each lane of a warp
constexpr int part_rows = 4;       // rows that a warp packs at a time: one byte of a word for each
constexpr int part_elements = part_rows * row_elements;
constexpr unsigned full_warp = 0xffffffff;

/// A tile is `parts` parts for each warp: the first arrives in registers, the others in shared
/// memory, where all are packed.
template <int parts>
constexpr int tile_elements = (warps * part_elements) * parts;
template <int parts>
constexpr int tile_bytes = tile_elements<parts> * sizeof(float);

__device__ bool is_kept(float value) { return value > 0.0f; }

// --- Descriptors ---------------------------------------------------------------------------------

/// A count in the low 62 bits and what it is a count of in the high two; 0: not there yet.
using Descriptor = unsigned long long;
constexpr Descriptor of_tile = 1ull << 62;       ///< kept elements of the tile alone
constexpr Descriptor through_tile = 2ull << 62;  ///< kept elements of this tile and all before it
constexpr Descriptor count_bits = (1ull << 62) - 1;

/// Other blocks read a descriptor while it is written: it must be atomic, and nothing else need be
/// ordered by it, for it says all in one word.
__device__ void publish(Descriptor* descriptor, Descriptor kind, std::int64_t count) {
  __nv_atomic_store_n(descriptor, kind | static_cast<Descriptor>(count), __NV_ATOMIC_RELAXED,
                      __NV_THREAD_SCOPE_DEVICE);
}

__device__ Descriptor look_at(Descriptor* descriptor) {
  return __nv_atomic_load_n(descriptor, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

/// The sum of the warp's values, in every lane.
template <typename Number>
__device__ Number sum_warp(Number sum) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(full_warp, sum, offset);
  return sum;
}

/// How many elements are kept before `tile`. One warp calls it, and looks at 32 earlier tiles at a
/// time, the nearest in lane 0.
__device__ std::int64_t look_back(Descriptor* descriptors, std::int64_t tile) {
  const int lane = threadIdx.x % 32;
  std::int64_t before = 0;
  for (std::int64_t nearest = tile - 1; nearest >= 0; nearest -= 32) {
    const std::int64_t mine = nearest - lane;
    // Before the first tile: 0.
    Descriptor seen = mine >= 0 ? look_at(descriptors + mine) : through_tile;
    while (seen == 0) seen = look_at(descriptors + mine);

    // The nearest count through a tile ends it. Lanes beyond count what it contains already.
    const unsigned through = __ballot_sync(full_warp, seen >= through_tile);
    const int last = through != 0 ? __ffs(through) - 1 : 31;
    before += sum_warp(lane <= last ? static_cast<std::int64_t>(seen & count_bits) : 0);
    if (through != 0) break;
  }
  return before;
}

// --- Packing -------------------------------------------------------------------------------------

/// Four rows of a warp, of which a lane has four neighbouring elements each.
struct Part {
  float4 rows[part_rows];
};

__device__ unsigned count_kept(float4 v) {
  return is_kept(v.x) + is_kept(v.y) + is_kept(v.z) + is_kept(v.w);
}

/// Puts the kept elements of a part to packed[0] …, in order, and the others behind them. Returns
/// how many are kept. `packed` may be where the part was read from, once the whole warp has read
/// it.
__device__ int pack(float* packed, const Part& part) {
  const unsigned lane = threadIdx.x % 32;

  // Four scans for the price of one: row r counts in byte r. A row has 128 elements, so no byte
  // overflows into the next.
  unsigned own = 0;
#pragma unroll
  for (int r = 0; r < part_rows; ++r) own += count_kept(part.rows[r]) << (8 * r);
  unsigned through = own;
#pragma unroll
  for (unsigned s = 1; s < 32; s *= 2) {
    const unsigned earlier = __shfl_up_sync(full_warp, through, s);
    if (lane >= s) through += earlier;
  }
  const unsigned before = through - own;                         // in each row before this lane
  const unsigned of_rows = __shfl_sync(full_warp, through, 31);  // in each row
  const int kept = (of_rows & 255) + (of_rows >> 8 & 255) + (of_rows >> 16 & 255) + (of_rows >> 24);
  int row_start = 0;  // kept in the rows before
#pragma unroll
  for (int r = 0; r < part_rows; ++r) {
    // Of the elements before the lane's first, `rank` are kept.
    int rank = row_start + (before >> (8 * r) & 255);
    const float4 v = part.rows[r];
    // TODO(1): write the others, too.
    //   How many of the elements before the lane's first are there, how many of them are rejected,
    //   and behind what do they stand?
    if (is_kept(v.x)) packed[rank++] = v.x;
    // TODO(1) end
    row_start += of_rows >> (8 * r) & 255;
  }
  return kept;
}

/// A warp copies from[0] … from[count - 1] to out. It starts early enough, with some lanes idle,
/// that each of its stores fills 128 aligned bytes: whole sectors, but for the two ends.
__device__ void copy_out(float* out, const float* from, int count) {
  const int past = reinterpret_cast<std::uintptr_t>(out) / sizeof(float) % 32;
  for (int i = static_cast<int>(threadIdx.x % 32) - past; i < count; i += 32)
    if (i >= 0) out[i] = from[i];
}

// --- The kernel ----------------------------------------------------------------------------------

__device__ bool is_vector_aligned(const float* p) {
  return reinterpret_cast<std::uintptr_t>(p) % sizeof(float4) == 0;
}

/// in[i] … in[i + 3] one by one, with 0, which is not kept, from n on.
__device__ float4 load_singly(const float* in, std::int64_t i, std::int64_t n) {
  return {i < n ? in[i] : 0.0f, i + 1 < n ? in[i + 1] : 0.0f, i + 2 < n ? in[i + 2] : 0.0f,
          i + 3 < n ? in[i + 3] : 0.0f};
}

template <int parts>
__global__ void __launch_bounds__(block_threads, blocks_on_multiprocessor)
    part_tiles(const float* in, float* kept, float* rejected, std::int64_t* count, std::int64_t n,
               Descriptor* ticket, Descriptor* descriptors) {
  extern __shared__ float4 shared_rows[];
  __shared__ int warp_counts[warps];
  __shared__ std::int64_t drawn, kept_before;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  if (threadIdx.x == 0) drawn = static_cast<std::int64_t>(atomicAdd(ticket, 1ull));
  __syncthreads();
  const std::int64_t tile = drawn;
  const std::int64_t warp_first =
      tile * tile_elements<parts> + warp * static_cast<std::int64_t>(parts * part_elements);
  const std::int64_t first = warp_first + 4 * lane;

  // Load. A lane reads back only what it has copied itself: no barrier.
  float4* const warp_rows = shared_rows + warp * (parts * part_rows * 32);
  float4* const slots = warp_rows + lane;  // the lane's place in row r is slots[32 * r]
  Part part;
  if ((tile + 1) * tile_elements<parts> <= n && is_vector_aligned(in)) {
#pragma unroll
    for (int r = part_rows; r < parts * part_rows; ++r)
      __pipeline_memcpy_async(slots + r * 32, in + first + r * row_elements, sizeof(float4));
    __pipeline_commit();
#pragma unroll
    for (int r = 0; r < part_rows; ++r)
      part.rows[r] = __ldcs(reinterpret_cast<const float4*>(in + first + r * row_elements));
    __pipeline_wait_prior(0);
  } else {
#pragma unroll
    for (int r = part_rows; r < parts * part_rows; ++r)
      slots[r * 32] = load_singly(in, first + r * row_elements, n);
#pragma unroll
    for (int r = 0; r < part_rows; ++r) part.rows[r] = load_singly(in, first + r * row_elements, n);
  }

  // Count, and say so: the sooner others see it, the less they wait.
  int own = 0;
#pragma unroll
  for (int r = 0; r < part_rows; ++r) own += count_kept(part.rows[r]);
#pragma unroll
  for (int r = part_rows; r < parts * part_rows; ++r) own += count_kept(slots[r * 32]);
  own = sum_warp(own);
  if (lane == 0) warp_counts[warp] = own;
  __syncthreads();
  int before = 0, tile_count = 0;  // kept in the tile's warps before this one, in all of them
#pragma unroll
  for (unsigned w = 0; w < warps; ++w) {
    if (w == warp) before = tile_count;
    tile_count += warp_counts[w];
  }
  if (threadIdx.x == 0) publish(descriptors + tile, of_tile, tile_count);

  // Pack, each warp its own, part by part and in place: no barrier between warps.
  int part_counts[parts];
#pragma unroll
  for (int p = 0; p < parts; ++p) {
    if (p > 0) {
#pragma unroll
      for (int r = 0; r < part_rows; ++r) part.rows[r] = slots[(p * part_rows + r) * 32];
      __syncwarp();  // all lanes have read the part before anyone writes over it
    }
    part_counts[p] = pack(reinterpret_cast<float*>(warp_rows + p * part_rows * 32), part);
  }

  if (warp == 0) {
    const std::int64_t result = look_back(descriptors, tile);
    if (lane == 0) {
      publish(descriptors + tile, through_tile, result + tile_count);
      kept_before = result;
    }
  }
  __syncthreads();

  // TODO(2): *count, and both runs of each part.
  //   The kept ones as in stage 5. Part p of the warp holds in[part_first] … with part_first =
  //   warp_first + p * part_elements: how many elements are rejected before it? In the last tile
  //   a part may reach past n. What was loaded there is 0, stands behind all other rejected
  //   elements, and must not be copied.
  const std::int64_t kept_at = kept_before + before;
  (void)copy_out, (void)kept, (void)kept_at, (void)warp_rows, (void)part_counts;
  // TODO(2) end
}

template <int parts>
void part_all(const float* in, float* kept, float* rejected, std::int64_t* count, std::int64_t n,
              gridstride::Scratch scratch, cudaStream_t stream) {
  const std::int64_t tiles = (n + tile_elements<parts> - 1) / tile_elements<parts>;
  Descriptor* const ticket = static_cast<Descriptor*>(scratch.data);
  cudaMemsetAsync(ticket, 0, (1 + tiles) * sizeof(Descriptor), stream);
  // More than 48 KB of shared memory a block has to be asked for.
  cudaFuncSetAttribute(part_tiles<parts>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       tile_bytes<parts>);
  part_tiles<parts><<<tiles, block_threads, tile_bytes<parts>, stream>>>(
      in, kept, rejected, count, n, ticket, ticket + 1);
}

/// Shared memory that a block of this device can have when it asks.
int most_shared_bytes() {
  int device = 0, bytes = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return bytes;
}

}  // namespace

void partition(const float* in, float* kept, float* rejected, std::int64_t* count, std::int64_t n,
               gridstride::Scratch scratch, cudaStream_t stream) {
  if (n == 0)
    cudaMemsetAsync(count, 0, sizeof(*count), stream);
  else if (most_shared_bytes() > tile_bytes<3>)
    part_all<3>(in, kept, rejected, count, n, scratch, stream);
  else  // Turing has 64 KB, and 3 parts need 72 KB
    part_all<2>(in, kept, rejected, count, n, scratch, stream);
}

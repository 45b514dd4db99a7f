// Stage 6, single pass: every element is read once and written once, 8 bytes instead of 12.
//
// Decoupled look-back: a block takes a tile, adds it up, and leaves the tile's sum in a descriptor
// in global memory. It keeps the tile meanwhile. What stands before the tile it puts together from
// the descriptors of the earlier tiles, waiting for those that are not there yet: it looks back.
// Then it writes the scan.
//
// Three things must be right:
//
//   - Nobody may wait for a block that cannot start. Blocks start in no promised order, so a block
//     does not take tile blockIdx.x: it draws a ticket when it runs. Then all earlier tiles belong
//     to blocks that run already, and the earliest of them waits for nobody.
//   - A descriptor is complete or not there: the value and the mark that it is there are one 64-bit
//     word, written by one store. No fence is needed, for nothing else is handed over.
//   - Equal calls give equal bits. Which descriptors are there when a block looks depends on
//     timing, and floating-point sums depend on how they are associated. So it is fixed what is
//     added to what (see look_back), and timing decides only how long it takes.
//
// The rest is bandwidth. A tile stays on its multiprocessor from the first load to the last store,
// much of the time waiting for descriptors, so throughput = bytes held / time held, and the way to
// more of it is to hold more. Registers alone do not suffice beside what else they are for, nor
// does shared memory: a tile is held in both. On an H200, with three blocks on a multiprocessor:
//
//     in registers        108 KB a multiprocessor    2900 GB/s read + write
//     in shared memory    216 KB                     3430 GB/s
//     in both             324 KB                     3750 GB/s    (a plain copy: 4240)
#include <cuda_pipeline.h>

#include "labs/scan/scan.h"

namespace {

constexpr int block_threads = 384;
constexpr int blocks_on_multiprocessor = 3;
constexpr int warps = block_threads / 32;
constexpr int row_elements = 128;  // a float4 in each lane of a warp
constexpr int part_rows = 6;       // rows that a warp has in its registers at a time
constexpr int part_elements = part_rows * row_elements;
constexpr unsigned full_warp = 0xffffffff;

/// A block's tile: of each warp one part in registers and `shared_parts` in shared memory.
template <int shared_parts>
struct Tile {
  static constexpr int warp_elements = (1 + shared_parts) * part_elements;
  static constexpr int elements = warps * warp_elements;
  static constexpr int shared_bytes = shared_parts * part_rows * block_threads * sizeof(float4);
};

// --- Descriptors ---------------------------------------------------------------------------------

/// Bit 32 set: the low half is a float that is valid. All bits clear: not there yet.
using Descriptor = unsigned long long;

__device__ void publish(Descriptor* descriptor, float value) {
  __nv_atomic_store_n(descriptor, 1ull << 32 | __float_as_uint(value), __NV_ATOMIC_RELAXED,
                      __NV_THREAD_SCOPE_DEVICE);
}

__device__ Descriptor look_at(Descriptor* descriptor) {
  return __nv_atomic_load_n(descriptor, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

/// The value of a descriptor last seen as `seen`, once it is there.
__device__ float wait_for(Descriptor* descriptor, Descriptor seen) {
  while (seen >> 32 == 0) seen = look_at(descriptor);
  return __uint_as_float(static_cast<unsigned>(seen));
}

/// A descriptor that is there from the start, for a lane with nothing to add.
constexpr Descriptor zero_descriptor = 1ull << 32;

/// The status of all tiles. 32 tiles make a group, 32 groups a supergroup.
struct TileStatus {
  Descriptor* ticket;              ///< the next tile to be drawn
  Descriptor* tile_sums;           ///< of each tile
  Descriptor* group_sums;          ///< of each group
  Descriptor* supergroups_before;  ///< the sum of all supergroups before each
};

/// Bytes of the status of `tiles` tiles that starts at `start`, in `status` where it stands.
std::size_t lay_out(TileStatus& status, void* start, std::int64_t tiles) {
  const std::int64_t groups = tiles / 32 + 1, supergroups = groups / 32 + 2;
  status.ticket = static_cast<Descriptor*>(start);
  status.tile_sums = status.ticket + 1;
  status.group_sums = status.tile_sums + tiles;
  status.supergroups_before = status.group_sums + groups;
  return (1 + tiles + groups + supergroups) * sizeof(Descriptor);
}

/// The tile that the block is to scan, the same in all threads. Every thread must call it.
__device__ std::int64_t draw_tile(TileStatus status) {
  __shared__ std::int64_t drawn;
  if (threadIdx.x == 0) drawn = static_cast<std::int64_t>(atomicAdd(status.ticket, 1ull));
  __syncthreads();
  return drawn;
}

/// The sum of the warp's 32 values, in all lanes, always associated in the same way.
__device__ float sum_warp(float sum) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(full_warp, sum, offset);
  return sum;
}

/// The sum of all tiles before `tile`, whose own sum is `own`. One warp calls it.
///
///     supergroups before  +  groups before, in the supergroup  +  tiles before, in the group
///
/// One lane looks at one descriptor of each kind, so 1024 tiles are looked back over with two loads
/// a lane. The last tile of a group knows the group's sum and publishes it, the last tile of a
/// supergroup what stands before the next.
__device__ float look_back(TileStatus status, std::int64_t tile, float own) {
  const unsigned lane = threadIdx.x % 32;
  const std::int64_t group = tile / 32, supergroup = group / 32;
  const bool has_tile = lane < tile % 32;
  const bool has_group = lane < group % 32;
  const bool has_supergroup = supergroup > 0;
  Descriptor* const tile_sum = status.tile_sums + group * 32 + lane;
  Descriptor* const group_sum = status.group_sums + supergroup * 32 + lane;
  Descriptor* const before = status.supergroups_before + supergroup;

  // A first look at all three, so that the loads are under way together.
  const Descriptor seen_tile = has_tile ? look_at(tile_sum) : zero_descriptor;
  const Descriptor seen_group = has_group ? look_at(group_sum) : zero_descriptor;
  const Descriptor seen_before = has_supergroup ? look_at(before) : zero_descriptor;

  const float tiles = sum_warp(wait_for(tile_sum, seen_tile));
  const bool ends_group = tile % 32 == 31, ends_supergroup = ends_group && group % 32 == 31;
  if (ends_group && lane == 0) publish(status.group_sums + group, tiles + own);
  const float groups = wait_for(before, seen_before) + sum_warp(wait_for(group_sum, seen_group));
  if (ends_supergroup && lane == 0)
    publish(status.supergroups_before + supergroup + 1, groups + (tiles + own));
  return groups + tiles;
}

// --- Tiles ---------------------------------------------------------------------------------------

/// Part of a tile: six rows of a warp, of which a lane has four neighbouring elements each.
struct Part {
  float4 rows[part_rows];
};

__device__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }

/// Floats by which p is past an address that a float4 may have: 0 … 3.
__host__ __device__ int past_alignment(const float* p) {
  return reinterpret_cast<std::uintptr_t>(p) / sizeof(float) % 4;
}

/// 0 <= i < n, in one comparison: a negative i is huge as an unsigned number.
__device__ bool is_within(std::int64_t i, std::int64_t n) {
  return static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(n);
}

/// in[i] … in[i + 3] one by one, with 0 outside of in[0] … in[n - 1].
__device__ float4 load_singly(const float* in, std::int64_t i, std::int64_t n) {
  return {is_within(i, n) ? in[i] : 0.0f, is_within(i + 1, n) ? in[i + 1] : 0.0f,
          is_within(i + 2, n) ? in[i + 2] : 0.0f, is_within(i + 3, n) ? in[i + 3] : 0.0f};
}

__device__ void store_singly(float* out, std::int64_t i, std::int64_t n, float4 v) {
  if (is_within(i, n)) out[i] = v.x;
  if (is_within(i + 1, n)) out[i + 1] = v.y;
  if (is_within(i + 2, n)) out[i + 2] = v.z;
  if (is_within(i + 3, n)) out[i + 3] = v.w;
}

/// Loads the lane's elements of a tile: the first part of its warp is returned, the others go to
/// slots[0], slots[32], … in shared memory. `first` is the index of the lane's first element. A
/// lane reads back only what it has copied itself, so its own wait is enough: no barrier.
template <int shared_parts>
__device__ Part load_tile(const float* in, std::int64_t first, std::int64_t n, bool in_vectors,
                          float4* slots) {
  constexpr int shared_rows = shared_parts * part_rows;
  const std::int64_t behind = first + part_elements;
  Part part;
  if (in_vectors) {
    // From global to shared memory without a stop in registers, where the hardware can (from
    // compute capability 8.0 on; elsewhere this is a load and a store).
#pragma unroll
    for (int r = 0; r < shared_rows; ++r)
      __pipeline_memcpy_async(slots + r * 32, in + behind + r * row_elements, sizeof(float4));
    __pipeline_commit();
    // Streaming loads and stores: nobody needs these again soon, so they need not push other data
    // out of the cache.
#pragma unroll
    for (int r = 0; r < part_rows; ++r)
      part.rows[r] = __ldcs(reinterpret_cast<const float4*>(in + first + r * row_elements));
    __pipeline_wait_prior(0);
  } else {
#pragma unroll
    for (int r = 0; r < shared_rows; ++r)
      slots[r * 32] = load_singly(in, behind + r * row_elements, n);
#pragma unroll
    for (int r = 0; r < part_rows; ++r) part.rows[r] = load_singly(in, first + r * row_elements, n);
  }
  return part;
}

/// The sum of the lane's elements. Only the sum: the sooner others see it, the less they wait.
template <int shared_parts>
__device__ float sum_tile(const Part& part, const float4* slots) {
  float sum = 0.0f;
#pragma unroll
  for (int r = 0; r < part_rows; ++r) sum += sum_of(part.rows[r]);
#pragma unroll
  for (int r = 0; r < shared_parts * part_rows; ++r) sum += sum_of(slots[r * 32]);
  return sum;
}

/// The sum of the values of the warps before this one, and of all of them. `value` is the same in
/// all lanes of a warp. Every thread of the block must call it, once.
struct BlockSums {
  float before, all;
};
__device__ BlockSums sum_warps(float value) {
  __shared__ float values[warps];
  const unsigned warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) values[warp] = value;
  __syncthreads();
  BlockSums sums = {0.0f, 0.0f};
#pragma unroll
  for (unsigned w = 0; w < warps; ++w) {
    if (w == warp) sums.before = sums.all;
    sums.all += values[w];
  }
  return sums;
}

/// Publishes the tile's sum and returns what stands before the tile, to all threads.
__device__ float exchange_sums(TileStatus status, std::int64_t tile, float own) {
  __shared__ float before;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) publish(status.tile_sums + tile, own);  // first: others wait for it
    const float result = look_back(status, tile, own);
    if (threadIdx.x == 0) before = result;
  }
  __syncthreads();
  return before;
}

/// Scans a part and writes it to out[first + …]; `first` is the index of the lane's first element,
/// `before` the sum of what stands before the part. Returns the sum through its end.
__device__ float write_scan(float* out, std::int64_t first, std::int64_t n, bool in_vectors,
                            const Part& part, float before) {
  const unsigned lane = threadIdx.x % 32;
  float through[part_rows];  // the sum through this lane, row by row
#pragma unroll
  for (int r = 0; r < part_rows; ++r) through[r] = sum_of(part.rows[r]);
    // The loop over rows is inside the loop over steps: so the six shuffles of a step do not wait
    // for each other.
#pragma unroll
  for (unsigned s = 1; s < 32; s *= 2) {
#pragma unroll
    for (int r = 0; r < part_rows; ++r) {
      const float earlier = __shfl_up_sync(full_warp, through[r], s);
      if (lane >= s) through[r] += earlier;
    }
  }
#pragma unroll
  for (int r = 0; r < part_rows; ++r) {
    const float earlier = __shfl_up_sync(full_warp, through[r], 1);
    float4 y;
    y.x = before + (lane == 0 ? 0.0f : earlier);
    y.y = y.x + part.rows[r].x;
    y.z = y.y + part.rows[r].y;
    y.w = y.z + part.rows[r].z;
    before += __shfl_sync(full_warp, through[r], 31);

    const std::int64_t i = first + r * row_elements;
    if (in_vectors)
      __stcs(reinterpret_cast<float4*>(out + i), y);
    else
      store_singly(out, i, n, y);
  }
  return before;
}

// --- The kernel ----------------------------------------------------------------------------------

template <int shared_parts>
__global__ void __launch_bounds__(block_threads, blocks_on_multiprocessor)
    scan_tiles(const float* in, float* out, std::int64_t n, TileStatus status) {
  extern __shared__ float4 shared_rows[];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float4* const slots = shared_rows + warp * (shared_parts * part_rows * 32) + lane;

  const std::int64_t tile = draw_tile(status);
  // The tiles are cut where `out` is aligned, the first one up to three elements before its start:
  // so a whole tile is always stored in vectors. It is loaded in vectors if `in` is aligned there.
  const std::int64_t start = tile * Tile<shared_parts>::elements - past_alignment(out);
  const std::int64_t first = start + warp * Tile<shared_parts>::warp_elements + 4 * lane;
  const bool is_whole = start >= 0 && start + Tile<shared_parts>::elements <= n;
  const bool loads_vectors = is_whole && past_alignment(in) == past_alignment(out);

  Part part = load_tile<shared_parts>(in, first, n, loads_vectors, slots);
  const BlockSums sums = sum_warps(sum_warp(sum_tile<shared_parts>(part, slots)));
  float before = exchange_sums(status, tile, sums.all) + sums.before;

  before = write_scan(out, first, n, is_whole, part, before);
#pragma unroll
  for (int p = 0; p < shared_parts; ++p) {
#pragma unroll
    for (int r = 0; r < part_rows; ++r) part.rows[r] = slots[(p * part_rows + r) * 32];
    before = write_scan(out, first + (p + 1) * part_elements, n, is_whole, part, before);
  }
}

template <int shared_parts>
void scan_in_tiles(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                   cudaStream_t stream) {
  constexpr int elements = Tile<shared_parts>::elements, bytes = Tile<shared_parts>::shared_bytes;
  const std::int64_t tiles = (past_alignment(out) + n + elements - 1) / elements;
  TileStatus status;
  // No descriptor there, and ticket 0 is next.
  cudaMemsetAsync(scratch.data, 0, lay_out(status, scratch.data, tiles), stream);
  // More than 48 KB of shared memory a block has to be asked for.
  cudaFuncSetAttribute(scan_tiles<shared_parts>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       bytes);
  scan_tiles<shared_parts><<<tiles, block_threads, bytes, stream>>>(in, out, n, status);
}

/// The most shared memory that a block may ask for: 227 KB on Hopper, 64 KB on Turing.
int most_shared_bytes() {
  int device = 0, bytes = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return bytes;
}

}  // namespace

void exclusive_scan(const float* in, float* out, std::int64_t n, gridstride::Scratch scratch,
                    cudaStream_t stream) {
  if (n == 0) return;
  constexpr int beside = 1024;  // of a block's shared memory: the variables in the functions above
  if (most_shared_bytes() >= Tile<2>::shared_bytes + beside)
    scan_in_tiles<2>(in, out, n, scratch, stream);
  else
    scan_in_tiles<1>(in, out, n, scratch, stream);
}

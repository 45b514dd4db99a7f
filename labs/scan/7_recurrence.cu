// Stage 7, any operation that is associative: a recurrence, scanned in place.
//
// What x[i] = step[i] * x[i - 1] + value[i] does to an x that comes into it is a map, x -> a x + b.
// One map after another is such a map again: that is an operation on pairs (a, b), associative like
// every "one after the other", and a scan of the pairs gives all x at once. It is not commutative:
// first doubling and then adding one is not first adding one and then doubling. So whatever the
// earlier stages reordered, phase 1 above all, has to keep its order here.
//
// The three phases of stage 5, but a section belongs to a warp, not to a block: then one row after
// another is in order by itself, and neither phase 1 nor phase 3 needs shared memory or a barrier.
// A descriptor of stage 6 has no room for a pair and a mark in 64 bits, so this is no single pass.
#include <cmath>

#include "labs/scan/scan.h"

namespace {

using scan::Recurrence;

constexpr int block_threads = 128;
constexpr int warps = block_threads / 32;
constexpr int rows = 4;            // that a warp loads together
constexpr int row_elements = 128;  // a float4 in each lane, of steps and of values
constexpr int round_elements = rows * row_elements;
constexpr int scan_threads = 1024;  // of phase 2
constexpr int maps_of_thread = 4;   // in phase 2
constexpr int max_sections = scan_threads * maps_of_thread;
constexpr unsigned full_warp = 0xffffffff;

/// What some steps, one after the other, do to an x that comes into them. An operation says how:
/// apply(map, x) is what comes out; combine(first, second) is the map that does first `first` and
/// then `second`; identity() does nothing. Before the first element stands an x that has no effect:
/// what comes out of a map then is its `value`.
struct Map {
  float factor, value;
};

/// x -> factor * x + value
struct Linear {
  // TODO(1): the operation of Recurrence::linear.
  //   second(first(x)) = factor_2 * (factor_1 * x + value_1) + value_2: multiply it out.
  static __device__ Map identity() { return {0.0f, 0.0f}; }
  static __device__ Map combine(Map, Map second) { return second; }
  // TODO(1) end
};

/// x -> the larger of x + factor and value
struct Highest {
  // TODO(2): the operation of Recurrence::highest.
  //   The same with + for * and the maximum for +: put it in and sort it out again. The identity's
  //   value must be smaller than any.
  static __device__ Map identity() { return {0.0f, 0.0f}; }
  static __device__ Map combine(Map, Map second) { return second; }
  // TODO(2) end
};

__device__ bool is_vector_aligned(const float* p) {
  return reinterpret_cast<std::uintptr_t>(p) % sizeof(float4) == 0;
}

/// p[i] … p[i + 3], with `filler` from `end` on.
__device__ float4 load_four(const float* p, std::int64_t i, std::int64_t end, float filler) {
  if (i + 4 <= end && is_vector_aligned(p + i)) return *reinterpret_cast<const float4*>(p + i);
  return {i < end ? p[i] : filler, i + 1 < end ? p[i + 1] : filler, i + 2 < end ? p[i + 2] : filler,
          i + 3 < end ? p[i + 3] : filler};
}

/// Writes v to p[i] … p[i + 3], but nothing from `end` on.
__device__ void store_four(float* p, std::int64_t i, std::int64_t end, float4 v) {
  if (i + 4 <= end && is_vector_aligned(p + i)) {
    // A plain store, by its own name: in `*vector = v` nvcc 13 may split it into four.
    __stwb(reinterpret_cast<float4*>(p + i), v);
    return;
  }
  if (i < end) p[i] = v.x;
  if (i + 1 < end) p[i + 1] = v.y;
  if (i + 2 < end) p[i + 2] = v.z;
  if (i + 3 < end) p[i + 3] = v.w;
}

/// Four neighbouring steps of a lane.
struct Four {
  Map maps[4];
};

template <class Op>
__device__ Four load_maps(const float* step, const float* value, std::int64_t i, std::int64_t end) {
  const float4 f = load_four(step, i, end, Op::identity().factor);
  const float4 v = load_four(value, i, end, Op::identity().value);
  return {{{f.x, v.x}, {f.y, v.y}, {f.z, v.z}, {f.w, v.w}}};
}

template <class Op>
__device__ Map combine_four(const Four& x) {
  return Op::combine(Op::combine(x.maps[0], x.maps[1]), Op::combine(x.maps[2], x.maps[3]));
}

__device__ Map shuffle_up(Map map, unsigned lanes) {
  return {__shfl_up_sync(full_warp, map.factor, lanes),
          __shfl_up_sync(full_warp, map.value, lanes)};
}

__device__ Map shuffle(Map map, unsigned lane) {
  return {__shfl_sync(full_warp, map.factor, lane), __shfl_sync(full_warp, map.value, lane)};
}

/// The inclusive scan of the warp's 32 maps. Every lane must call it.
template <class Op>
__device__ Map scan_warp(Map map) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned s = 1; s < 32; s *= 2) {
    const Map earlier = shuffle_up(map, s);
    // TODO(3): which of the two comes first?
    if (lane < s) map = earlier;
    // TODO(3) end
  }
  return map;
}

/// What the lanes before have, combined, where `through` is the inclusive scan.
template <class Op>
__device__ Map before_lane(Map through) {
  const Map earlier = shuffle_up(through, 1);
  return threadIdx.x % 32 == 0 ? Op::identity() : earlier;
}

/// The warp's section, of `length` elements.
struct Section {
  std::int64_t index, start, end;
};
__device__ Section section_of_warp(std::int64_t n, std::int64_t length) {
  const std::int64_t index = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / 32;
  return {index, min(n, index * length), min(n, (index + 1) * length)};
}

/// Phase 1: combines the steps of each section into maps[section].
template <class Op>
__global__ void __launch_bounds__(block_threads)
    fold_sections(const float* step, const float* value, Map* maps, std::int64_t n,
                  std::int64_t length) {
  const Section section = section_of_warp(n, length);
  const unsigned lane = threadIdx.x % 32;
  Map folded = Op::identity();
  for (std::int64_t first = section.start; first < section.end; first += round_elements) {
    Four x[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r)
      x[r] = load_maps<Op>(step, value, first + r * row_elements + 4 * lane, section.end);
    // TODO(4): the rows, one after the other.
    //   Not lane by lane over all rows and the lanes at the end, as a sum may: between two rows
    //   of a lane stand those of all other lanes. What does a whole row do, and which lane of
    //   scan_warp<Op>() knows it?
    folded = combine_four<Op>(x[0]);
    // TODO(4) end
  }
  if (lane == 0 && section.start < n) maps[section.index] = folded;
}

/// Phase 2, one block: puts in the place of each section's map the maps before it, combined.
template <class Op>
__global__ void __launch_bounds__(scan_threads) scan_maps(Map* maps, int sections) {
  __shared__ Map warp_maps[scan_threads / 32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int first = threadIdx.x * maps_of_thread;
  Map own[maps_of_thread], folded = Op::identity();
  for (int k = 0; k < maps_of_thread; ++k) {
    own[k] = first + k < sections ? maps[first + k] : Op::identity();
    folded = Op::combine(folded, own[k]);
  }
  const Map through = scan_warp<Op>(folded);
  if (lane == 31) warp_maps[warp] = through;
  __syncthreads();
  const Map through_warps = scan_warp<Op>(warp_maps[lane]);
  const Map before_warp = shuffle(before_lane<Op>(through_warps), warp);
  Map before = Op::combine(before_warp, before_lane<Op>(through));
  for (int k = 0; k < maps_of_thread && first + k < sections; ++k) {
    maps[first + k] = before;
    before = Op::combine(before, own[k]);
  }
}

/// Phase 3: scans each section, starting from maps_before[section].
template <class Op>
__global__ void __launch_bounds__(block_threads)
    scan_sections(const float* step, float* value, const Map* maps_before, std::int64_t n,
                  std::int64_t length) {
  const Section section = section_of_warp(n, length);
  const unsigned lane = threadIdx.x % 32;
  if (section.start >= n) return;
  Map before = maps_before[section.index];
  for (std::int64_t first = section.start; first < section.end; first += round_elements) {
    const std::int64_t mine = first + 4 * lane;
    Four x[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r)
      x[r] = load_maps<Op>(step, value, mine + r * row_elements, section.end);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      // TODO(5): scan a row and write it.
      //   `through`: the scan of what the lanes' four do. Before the lane's first stand `before`
      //   and the lanes before, before_lane<Op>(through). The four results are the values of the
      //   maps that come out one after the other. Then the row belongs to `before`.
      store_four(value, mine, 0, {before.value, x[r].maps[0].value, 0, 0});
      (void)before_lane<Op>;
      // TODO(5) end
    }
  }
}

/// As many sections as the device holds warps at once, but no more than phase 2 can scan the maps
/// of.
template <class Op>
int most_sections() {
  int device = 0, multiprocessors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, scan_sections<Op>, block_threads, 0);
  return min(max_sections, multiprocessors * resident * warps);
}

template <class Op>
void scan_maps_of(const float* step, float* value, std::int64_t n, gridstride::Scratch scratch,
                  cudaStream_t stream) {
  const std::int64_t rounds = (n + round_elements - 1) / round_elements;
  if (rounds == 0) return;
  const std::int64_t most = most_sections<Op>();
  const std::int64_t length = (rounds + most - 1) / most * round_elements;
  const int sections = static_cast<int>((n + length - 1) / length);
  const int blocks = (sections + warps - 1) / warps;
  Map* maps = static_cast<Map*>(scratch.data);
  fold_sections<Op><<<blocks, block_threads, 0, stream>>>(step, value, maps, n, length);
  scan_maps<Op><<<1, scan_threads, 0, stream>>>(maps, sections);
  scan_sections<Op><<<blocks, block_threads, 0, stream>>>(step, value, maps, n, length);
}

}  // namespace

void scan_recurrence(const float* step, float* value, std::int64_t n, Recurrence recurrence,
                     gridstride::Scratch scratch, cudaStream_t stream) {
  switch (recurrence) {
    case Recurrence::linear:
      return scan_maps_of<Linear>(step, value, n, scratch, stream);
    case Recurrence::highest:
      return scan_maps_of<Highest>(step, value, n, scratch, stream);
  }
}

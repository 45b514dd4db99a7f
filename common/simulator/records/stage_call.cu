// See stage_call.cuh. Inputs are drawn on the device, element by element, by a hash of the index.
#include <dlfcn.h>

#include <stdexcept>

#include "common/simulator/records/stage_call.cuh"
#include "grader/runner/contract_entry.h"
#include "labs/atomics/atomics.h"
#include "labs/compact-split/compact-split.h"
#include "labs/histogram/histogram.h"
#include "labs/radix-sort/radix-sort.h"
#include "labs/reduction/reduction.h"
#include "labs/scan/scan.h"

namespace records {
namespace {

using gridstride::Scratch;

__device__ std::uint32_t random_bits(std::uint64_t index) {
  std::uint32_t hash = static_cast<std::uint32_t>(index ^ index >> 32) * 2654435761u + 5;
  hash = (hash ^ hash >> 16) * 0x7feb352du;
  hash = (hash ^ hash >> 15) * 0x846ca68bu;
  return hash ^ hash >> 16;
}

// One struct for each kind of input: element i of it.
struct Uniform {  // -1 to 1
  __device__ float operator()(std::uint64_t i) const {
    return static_cast<float>(random_bits(i) >> 8) * 0x1p-23f - 1;
  }
};
struct WholeNumbers {  // -8 to 8: sums are exact in any order
  __device__ float operator()(std::uint64_t i) const {
    return static_cast<float>(random_bits(i) % 17) - 8;
  }
};
struct Signs {  // -1 or 1
  __device__ float operator()(std::uint64_t i) const { return random_bits(i) % 2 ? 1.0f : -1.0f; }
};
struct Bits {
  __device__ std::uint32_t operator()(std::uint64_t i) const { return random_bits(i); }
};
struct Amounts {
  __device__ std::int32_t operator()(std::uint64_t i) const {
    return static_cast<std::int32_t>(random_bits(i));
  }
};
struct Below64 {
  __device__ std::uint32_t operator()(std::uint64_t i) const { return random_bits(i) % 64; }
};
struct Letters {
  __device__ std::uint8_t operator()(std::uint64_t i) const {
    constexpr char sample[] =
        "It was the best of times, it was the worst of times, it was the age of wisdom, it was the "
        "age of foolishness; quite a mix of zeal and joy. 1859, C. D.";
    return sample[random_bits(i) % (sizeof(sample) - 1)];
  }
};

template <class T, class Make>
__global__ void fill(T* values, std::uint64_t n, Make make) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    values[i] = make(i);
}

template <class Function>
Function* find(const std::string& file, const char* name) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  const auto* entry = static_cast<const gridstride::ContractEntry*>(
      dlsym(library, (std::string("gridstride_contract_") + name).c_str()));
  if (!entry || !entry->function) throw std::runtime_error(file + " does not define " + name);
  return reinterpret_cast<Function*>(entry->function);
}

/// Collects what a call needs.
class Arguments {
 public:
  explicit Arguments(StageCall& call) : call_(call) {}

  template <class T>
  T* output(std::int64_t n) {
    call_.memory.emplace_back(static_cast<std::size_t>(n) * sizeof(T));
    return static_cast<T*>(call_.memory.back().get());
  }
  template <class T, class Make>
  T* input(std::int64_t n, Make make) {
    T* values = output<T>(n);
    fill<<<1024, 256>>>(values, static_cast<std::uint64_t>(n), make);
    return values;
  }
  /// Points are filled as the four floats that they are.
  template <class Point>
  Point* points(std::int64_t n) {
    return reinterpret_cast<Point*>(input<float>(4 * n, Uniform{}));
  }
  Scratch scratch(std::size_t bytes) { return {output<std::byte>(bytes), bytes}; }

 private:
  StageCall& call_;
};

/// True, and `call` is complete, when `function` is `name`.
struct Maker {
  const std::string& file;
  const std::string& function;
  std::int64_t elements;

  template <class Function, class Make>
  bool operator()(const char* name, StageCall& call, Make make) const {
    if (function != name) return false;
    make(find<Function>(file, name), Arguments(call), elements);
    return true;
  }
};

bool make_reduction(const Maker& maker, StageCall& call) {
  return maker.operator()<decltype(reduce_sum)>(
             "reduce_sum", call,
             [&](auto* f, Arguments a, std::int64_t n) {
               const float* in = a.input<float>(n, WholeNumbers{});
               float* out = a.output<float>(1);
               const Scratch scratch = a.scratch(reduction::scratch_bytes(n, sizeof(float)));
               call.launch = [=] { f(in, out, n, scratch, nullptr); };
             }) ||
         maker.operator()<decltype(reduce_points)>(
             "reduce_points", call, [&](auto* f, Arguments a, std::int64_t floats) {
               using reduction::Point;
               const std::int64_t n = floats / 4;
               const Point* in = a.points<Point>(n);
               Point* out = a.output<Point>(1);
               const Scratch scratch = a.scratch(reduction::scratch_bytes(n, sizeof(Point)));
               call.launch = [=] {
                 f(in, out, n, reduction::Operation::farthest, scratch, nullptr);
               };
             });
}

bool make_scan(const Maker& maker, StageCall& call) {
  return maker.operator()<decltype(exclusive_scan)>(
             "exclusive_scan", call,
             [&](auto* f, Arguments a, std::int64_t n) {
               const float* in = a.input<float>(n, WholeNumbers{});
               float* out = a.output<float>(n);
               const Scratch scratch = a.scratch(scan::scratch_bytes(n));
               call.launch = [=] { f(in, out, n, scratch, nullptr); };
             }) ||
         maker.operator()<decltype(scan_recurrence)>(
             "scan_recurrence", call, [&](auto* f, Arguments a, std::int64_t n) {
               const float* step = a.input<float>(n, Signs{});
               float* value = a.input<float>(n, WholeNumbers{});
               const Scratch scratch = a.scratch(scan::scratch_bytes(n));
               call.prepare = [=] {
                 fill<<<1024, 256>>>(value, static_cast<std::uint64_t>(n), WholeNumbers{});
               };
               call.launch = [=] { f(step, value, n, scan::Recurrence::linear, scratch, nullptr); };
             });
}

template <class Value, class Make>
bool make_counts(const Maker& maker, StageCall& call, const char* name, int bins, Make make) {
  using Function = void(const Value*, std::uint32_t*, std::int64_t, Scratch, cudaStream_t);
  return maker.operator()<Function>(name, call, [&](auto* f, Arguments a, std::int64_t bytes) {
    const std::int64_t n = bytes / static_cast<std::int64_t>(sizeof(Value));
    const Value* in = a.input<Value>(n, make);
    std::uint32_t* counts = a.output<std::uint32_t>(bins);
    const Scratch scratch = a.scratch(histogram::scratch_bytes());
    call.launch = [=] { f(in, counts, n, scratch, nullptr); };
  });
}

bool make_histogram(const Maker& maker, StageCall& call) {
  using namespace histogram;
  return make_counts<std::uint8_t>(maker, call, "count_letters", letter_bins, Letters{}) ||
         make_counts<std::uint8_t>(maker, call, "count_bytes", byte_bins, Bits{}) ||
         make_counts<std::uint16_t>(maker, call, "count_words", wide_bins, Bits{});
}

bool make_atomics(const Maker& maker, StageCall& call) {
  const std::size_t bytes = atomics::scratch_bytes();
  return maker.operator()<decltype(book)>(
             "book", call,
             [&](auto* f, Arguments a, std::int64_t n) {
               const std::int32_t* in = a.input<std::int32_t>(n, Amounts{});
               std::int64_t* total = a.output<std::int64_t>(1);
               const Scratch scratch = a.scratch(bytes);
               call.launch = [=] { f(in, total, n, scratch, nullptr); };
             }) ||
         maker.operator()<decltype(largest)>("largest", call,
                                             [&](auto* f, Arguments a, std::int64_t n) {
                                               const float* in = a.input<float>(n, Uniform{});
                                               float* out = a.output<float>(1);
                                               const Scratch scratch = a.scratch(bytes);
                                               call.launch = [=] {
                                                 f(in, out, n, scratch, nullptr);
                                               };
                                             }) ||
         maker.operator()<decltype(keep_positive)>(
             "keep_positive", call,
             [&](auto* f, Arguments a, std::int64_t n) {
               const float* in = a.input<float>(n, Uniform{});
               float* out = a.output<float>(n);
               std::int64_t* count = a.output<std::int64_t>(1);
               const Scratch scratch = a.scratch(bytes);
               call.launch = [=] { f(in, out, count, n, scratch, nullptr); };
             }) ||
         maker.operator()<decltype(index_of_largest)>(
             "index_of_largest", call,
             [&](auto* f, Arguments a, std::int64_t n) {
               const float* in = a.input<float>(n, Uniform{});
               std::int64_t* index = a.output<std::int64_t>(1);
               const Scratch scratch = a.scratch(bytes);
               call.launch = [=] { f(in, index, n, scratch, nullptr); };
             }) ||
         maker.operator()<decltype(farthest_in_buckets)>(
             "farthest_in_buckets", call, [&](auto* f, Arguments a, std::int64_t floats) {
               using atomics::Point;
               constexpr std::int32_t buckets = 64;
               const std::int64_t n = floats / 4;
               const Point* points = a.points<Point>(n);
               const std::uint32_t* bucket = a.input<std::uint32_t>(n, Below64{});
               Point* farthest = a.output<Point>(buckets);
               const Scratch scratch = a.scratch(bytes);
               call.launch = [=] { f(points, bucket, farthest, n, buckets, scratch, nullptr); };
             });
}

bool make_compact(const Maker& maker, StageCall& call) {
  return maker.operator()<decltype(compact)>(
             "compact", call,
             [&](auto* f, Arguments a, std::int64_t n) {
               const float* in = a.input<float>(n, Uniform{});
               float* out = a.output<float>(n);
               std::int64_t* count = a.output<std::int64_t>(1);
               const Scratch scratch = a.scratch(compact_split::scratch_bytes(n));
               call.launch = [=] { f(in, out, count, n, scratch, nullptr); };
             }) ||
         maker.operator()<decltype(split_back)>(
             "split_back", call,
             [&](auto* f, Arguments a, std::int64_t n) {
               const float* in = a.input<float>(n, Uniform{});
               const float* packed = a.input<float>(n, Uniform{});
               float* out = a.output<float>(n);
               const Scratch scratch = a.scratch(compact_split::scratch_bytes(n));
               call.launch = [=] { f(in, packed, out, n, scratch, nullptr); };
             }) ||
         maker.operator()<decltype(partition)>(
             "partition", call, [&](auto* f, Arguments a, std::int64_t n) {
               const float* in = a.input<float>(n, Uniform{});
               float *kept = a.output<float>(n), *rejected = a.output<float>(n);
               std::int64_t* count = a.output<std::int64_t>(1);
               const Scratch scratch = a.scratch(compact_split::scratch_bytes(n));
               call.launch = [=] { f(in, kept, rejected, count, n, scratch, nullptr); };
             });
}

bool make_sort(const Maker& maker, StageCall& call) {
  const auto keys = [&](auto* f, Arguments a, std::int64_t n) {
    const std::uint32_t* in = a.input<std::uint32_t>(n, Bits{});
    std::uint32_t* out = a.output<std::uint32_t>(n);
    const Scratch scratch = a.scratch(radix_sort::scratch_bytes(n, 4));
    call.launch = [=] { f(in, out, n, scratch, nullptr); };
  };
  return maker.operator()<decltype(sort_warp_sections)>("sort_warp_sections", call, keys) ||
         maker.operator()<decltype(sort_block_sections)>("sort_block_sections", call, keys) ||
         maker.operator()<decltype(sort_keys)>("sort_keys", call, keys) ||
         maker.operator()<decltype(sort_pairs)>(
             "sort_pairs", call, [&](auto* f, Arguments a, std::int64_t n) {
               const std::uint32_t* in = a.input<std::uint32_t>(n, Bits{});
               const std::uint32_t* values = a.input<std::uint32_t>(n, Bits{});
               std::uint32_t* out = a.output<std::uint32_t>(n);
               std::uint32_t* values_out = a.output<std::uint32_t>(n);
               const Scratch scratch = a.scratch(radix_sort::scratch_bytes(n, 8));
               call.launch = [=] {
                 f(in, values, out, values_out, n, radix_sort::KeyType::unsigned_integer, scratch,
                   nullptr);
               };
             });
}

}  // namespace

void check(cudaError_t status, const std::string& what) {
  if (status != cudaSuccess) throw std::runtime_error(what + ": " + cudaGetErrorString(status));
}

Memory::Memory(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "memory for a stage");
  memory_.reset(memory);
}

StageCall stage_call(const std::string& file, const std::string& function, std::int64_t elements) {
  StageCall call;
  const Maker maker{file, function, elements};
  for (const auto make :
       {make_reduction, make_scan, make_histogram, make_atomics, make_compact, make_sort}) {
    if (make(maker, call)) return call;
  }
  throw std::runtime_error("no input is known for " + function);
}

}  // namespace records

// Every solution beside the library a user would otherwise pick: cub::DeviceReduce and
// cub::DeviceSelect. For the lock CUB has nothing.
//
// Runs on a real GPU (`./lab bench atomics`); grader/bench/bench.h says how it is timed.
// cub::DeviceSelect keeps the elements' order, which the filter of stage 3 does not: it has the
// harder job.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>
#include <string>

#include "grader/bench/bench.h"
#include "labs/atomics/atomics.h"

namespace {

using atomics::Point;
using gridstride::Bench;
using gridstride::BenchRow;
using gridstride::check_cuda;
using gridstride::Scratch;
using gridstride::Traffic;
using Count = std::int64_t;

/// A call of CUB's with the temporary storage that it asks for; `call` takes both.
template <class Call>
auto with_temporary(Bench& bench, Call call) {
  std::size_t bytes = 0;
  check_cuda(call(nullptr, bytes), "cub");
  void* temporary = bench.scratch(bytes).data;
  return [=] {
    std::size_t given = bytes;
    check_cuda(call(temporary, given), "cub");
  };
}

/// Adds a stage and the library's call for the same job; `library` has been run once, so that
/// `expected` stands in the row's results.
template <class Stage, class Library>
void add_pair(Bench& bench, BenchRow row, const std::string& size, const std::string& stage,
              Stage launch, const std::string& name, Library library) {
  row.name = size + stage;
  row.launch = launch;
  bench.add(row);
  row.results.clear();  // the library writes where its result is expected
  row.name = size + name;
  row.launch = library;
  bench.add(row);
}

struct ToWide {
  __host__ __device__ Count operator()(std::int32_t amount) const { return amount; }
};
struct IsKept {
  __host__ __device__ bool operator()(float value) const { return value > 0.0f; }
};

void add_largest(Bench& bench, const std::string& size, const float* in, Count n) {
  const cudaStream_t stream = bench.stream();
  const Scratch scratch = bench.scratch(atomics::scratch_bytes());
  float *out = bench.allocate<float>(1), *expected = bench.allocate<float>(1);
  const auto library = with_temporary(bench, [=](void* temporary, std::size_t& bytes) {
    return cub::DeviceReduce::Max(temporary, bytes, in, expected, n, stream);
  });
  library();
  auto* largest_of = bench.stage<decltype(largest)>("1_cas_loop", "largest");
  add_pair(
      bench,
      {.bytes = n * 4.0, .traffic = Traffic::reads, .results = {{out, expected, sizeof(*out)}}},
      size, "1_cas_loop", [=] { largest_of(in, out, n, scratch, stream); },
      "cub::DeviceReduce::Max", library);
}

void add_book(Bench& bench, const std::string& size, const std::int32_t* amounts, Count n) {
  const cudaStream_t stream = bench.stream();
  const Scratch scratch = bench.scratch(atomics::scratch_bytes());
  Count *total = bench.allocate<Count>(1), *expected = bench.allocate<Count>(1);
  const auto library = with_temporary(bench, [=](void* temporary, std::size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(temporary, bytes, amounts, expected, n,
                                              cuda::std::plus<>{}, ToWide{}, Count{0}, stream);
  });
  library();
  auto* book_all = bench.stage<decltype(book)>("2_shared_totals", "book");
  add_pair(
      bench,
      {.bytes = n * 4.0, .traffic = Traffic::reads, .results = {{total, expected, sizeof(*total)}}},
      size, "2_shared_totals", [=] { book_all(amounts, total, n, scratch, stream); },
      "cub::DeviceReduce::TransformReduce", library);
}

/// Only the number is looked at: the order of the kept elements is the stage's own.
void add_keep(Bench& bench, const std::string& size, const float* in, float* out, Count n) {
  const cudaStream_t stream = bench.stream();
  const Scratch scratch = bench.scratch(atomics::scratch_bytes());
  Count *count = bench.allocate<Count>(1), *expected = bench.allocate<Count>(1);
  const auto library = with_temporary(bench, [=](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::If(temporary, bytes, in, out, expected, n, IsKept{}, stream);
  });
  library();
  Count kept = 0;
  check_cuda(cudaMemcpyAsync(&kept, expected, sizeof(kept), cudaMemcpyDeviceToHost, stream),
             "count");
  check_cuda(cudaStreamSynchronize(stream), "count");
  auto* keep = bench.stage<decltype(keep_positive)>("3_warp_aggregated", "keep_positive");
  add_pair(
      bench,
      {.bytes = (n + kept) * 4.0,
       .traffic = Traffic::copies,
       .results = {{count, expected, sizeof(*count)}}},
      size, "3_warp_aggregated", [=] { keep(in, out, count, n, scratch, stream); },
      "cub::DeviceSelect::If (keeps the order)", library);
}

void add_argmax(Bench& bench, const std::string& size, const float* in, Count n) {
  const cudaStream_t stream = bench.stream();
  const Scratch scratch = bench.scratch(atomics::scratch_bytes());
  float* value = bench.allocate<float>(1);
  Count *index = bench.allocate<Count>(1), *expected = bench.allocate<Count>(1);
  const auto library = with_temporary(bench, [=](void* temporary, std::size_t& bytes) {
    return cub::DeviceReduce::ArgMax(temporary, bytes, in, value, expected, n, stream);
  });
  library();
  auto* find = bench.stage<decltype(index_of_largest)>("4_packed_argmax", "index_of_largest");
  add_pair(
      bench,
      {.bytes = n * 4.0, .traffic = Traffic::reads, .results = {{index, expected, sizeof(*index)}}},
      size, "4_packed_argmax", [=] { find(in, index, n, scratch, stream); },
      "cub::DeviceReduce::ArgMax", library);
}

__device__ std::uint32_t mixed(std::uint32_t i) {
  std::uint32_t hash = i * 2654435761u + 5;
  hash = (hash ^ hash >> 16) * 0x7feb352du;
  hash = (hash ^ hash >> 15) * 0x846ca68bu;
  return hash ^ hash >> 16;
}

/// A cloud from -1 to 1, dealt to the buckets at random.
__global__ void deal(float* members, std::uint32_t* bucket, Count n, std::uint32_t buckets) {
  const Count i = Count{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (Count k = 4 * i; k < 4 * i + 4; ++k)
    members[k] = static_cast<float>(mixed(static_cast<std::uint32_t>(k)) >> 8) * 0x1p-23f - 1;
  bucket[i] = mixed(static_cast<std::uint32_t>(i) ^ 0x5bd1e995u) % buckets;
}

/// The baseline is the only other one that knows this job.
void add_lock(Bench& bench, std::int32_t buckets) {
  constexpr Count n = Count{1} << 22;
  const cudaStream_t stream = bench.stream();
  const Scratch scratch = bench.scratch(atomics::scratch_bytes());
  auto* points = bench.allocate<Point>(n);
  auto* bucket = bench.allocate<std::uint32_t>(n);
  deal<<<n / 256, 256, 0, stream>>>(&points->x, bucket, n, buckets);
  auto *out = bench.allocate<Point>(buckets), *expected = bench.allocate<Point>(buckets);
  using Function = decltype(farthest_in_buckets);
  auto* given = bench.stage<Function>("0_baseline", "farthest_in_buckets");
  auto* locked = bench.stage<Function>("5_lock", "farthest_in_buckets");
  const auto baseline = [=] { given(points, bucket, expected, n, buckets, scratch, stream); };
  baseline();
  add_pair(
      bench,
      {.bytes = n * 20.0,
       .traffic = Traffic::reads,
       .results = {{out, expected, buckets * sizeof(Point)}}},
      "2^22 points, " + std::to_string(buckets) + " buckets/", "5_lock",
      [=] { locked(points, bucket, out, n, buckets, scratch, stream); }, "0_baseline", baseline);
}

void add_rows(Bench& bench) {
  constexpr Count largest_size = Count{1} << 28;
  float* in = bench.allocate<float>(largest_size);
  float* out = bench.allocate<float>(largest_size);
  gridstride::fill_with_whole_numbers(in, largest_size, bench.stream());
  for (const int power : {24, 28}) {
    const Count n = Count{1} << power;
    const std::string size = "2^" + std::to_string(power) + " elements/";
    add_largest(bench, size, in, n);
    // Any 32 bits are an amount.
    add_book(bench, size, reinterpret_cast<const std::int32_t*>(in), n);
    add_keep(bench, size, in, out, n);
    add_argmax(bench, size, in, n);
  }
  for (const std::int32_t buckets : {1, 64, 1024}) add_lock(bench, buckets);
}

}  // namespace

int main(int argc, char** argv) { return gridstride::run_bench("atomics", argc, argv, add_rows); }

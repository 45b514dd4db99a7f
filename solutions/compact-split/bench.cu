// Every solution beside the library a user would otherwise pick: cub::DeviceSelect and
// cub::DevicePartition.
//
// Runs on a real GPU (`./lab bench compact-split`); grader/bench/bench.h says how it is timed. Half
// of the elements are kept, in random order. CUB's partition is not quite the same job: it fills
// one array and leaves the rejected elements in reverse order. For split_back CUB has nothing.
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>
#include <string>

#include "grader/bench/bench.h"
#include "labs/compact-split/compact-split.h"

namespace {

using gridstride::Bench;
using gridstride::BenchRow;
using gridstride::check_cuda;
using gridstride::Scratch;
using Count = std::int64_t;

struct IsKept {
  __host__ __device__ bool operator()(float value) const { return value > 0.0f; }
};
struct IsRejected {
  __host__ __device__ bool operator()(float value) const { return !(value > 0.0f); }
};

/// Uniform from -1 to 1 and well mixed.
__global__ void fill(float* values, Count n) {
  const Count stride = Count{gridDim.x} * blockDim.x;
  for (Count i = Count{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned hash = static_cast<unsigned>(i) * 2654435761u + 5;
    hash = (hash ^ hash >> 16) * 0x7feb352du;
    hash = (hash ^ hash >> 15) * 0x846ca68bu;
    values[i] = static_cast<float>((hash ^ hash >> 16) >> 8) * 0x1p-23f - 1;
  }
}

/// An input, and what CUB makes of it: what all must.
struct Job {
  Count n = 0, kept_count = 0;
  std::string size;
  const float* in = nullptr;
  float *kept = nullptr, *rejected = nullptr;
  Count* count = nullptr;

  std::size_t kept_bytes() const { return kept_count * sizeof(float); }
  std::size_t rejected_bytes() const { return (n - kept_count) * sizeof(float); }
};

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

template <class Predicate>
auto select(Bench& bench, const Job& job, float* out, Count* count, Predicate predicate) {
  return with_temporary(bench, [=, stream = bench.stream()](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::If(temporary, bytes, job.in, out, count, job.n, predicate, stream);
  });
}

Job make_job(Bench& bench, const float* in, int power) {
  Job job{.n = Count{1} << power, .size = "2^" + std::to_string(power) + " floats/", .in = in};
  job.kept = bench.allocate<float>(job.n);
  job.rejected = bench.allocate<float>(job.n);
  job.count = bench.allocate<Count>(1);
  select(bench, job, job.rejected, job.count, IsRejected{})();
  select(bench, job, job.kept, job.count, IsKept{})();
  check_cuda(cudaMemcpyAsync(&job.kept_count, job.count, sizeof(Count), cudaMemcpyDeviceToHost,
                             bench.stream()),
             "count");
  check_cuda(cudaStreamSynchronize(bench.stream()), "count");
  return job;
}

void add_compact(Bench& bench, const Job& job, Scratch scratch) {
  float* out = bench.allocate<float>(job.n);
  Count* count = bench.allocate<Count>(1);
  BenchRow row{.bytes = static_cast<double>(job.n * sizeof(float) + job.kept_bytes())};
  const auto add = [&](const std::string& stage) {
    auto* compact_with = bench.stage<decltype(compact)>(stage, "compact");
    row.name = job.size + stage;
    row.launch = [=, stream = bench.stream()] {
      compact_with(job.in, out, count, job.n, scratch, stream);
    };
    bench.add(row);
  };
  row.results = {{count, job.count, sizeof(Count)}};
  add("0_baseline");  // in any order
  row.results.push_back({out, job.kept, job.kept_bytes()});
  if (job.n <= Count{1} << 24) add("1_one_block");  // some 0.4 s for 2^28
  add("2_any_length");
  add("5_single_pass");
  row.name = job.size + "cub::DeviceSelect::If";
  row.library = true;
  row.launch = select(bench, job, out, count, IsKept{});
  bench.add(row);
}

void add_split_back(Bench& bench, const Job& job, Scratch scratch) {
  float* out = bench.allocate<float>(job.n);
  float* expected = bench.allocate<float>(job.n);
  BenchRow row{.bytes = static_cast<double>(2 * job.n * sizeof(float) + job.kept_bytes()),
               .results = {{out, expected, job.n * sizeof(float)}}};
  auto* baseline = bench.stage<decltype(split_back)>("0_baseline", "split_back");
  baseline(job.in, job.kept, expected, job.n, scratch, bench.stream());
  for (const char* stage : {"0_baseline", "3_split_back"}) {
    auto* split_back_with = bench.stage<decltype(split_back)>(stage, "split_back");
    row.name = job.size + stage + " (split_back)";
    row.launch = [=, stream = bench.stream()] {
      split_back_with(job.in, job.kept, out, job.n, scratch, stream);
    };
    bench.add(row);
  }
}

void add_partition(Bench& bench, const Job& job, Scratch scratch) {
  float *kept = bench.allocate<float>(job.n), *rejected = bench.allocate<float>(job.n);
  Count* count = bench.allocate<Count>(1);
  BenchRow row{.bytes = static_cast<double>(2 * job.n * sizeof(float))};
  const auto add = [&](const std::string& stage) {
    auto* partition_with = bench.stage<decltype(partition)>(stage, "partition");
    row.name = job.size + stage + " (partition)";
    row.launch = [=, stream = bench.stream()] {
      partition_with(job.in, kept, rejected, count, job.n, scratch, stream);
    };
    bench.add(row);
  };
  row.results = {{count, job.count, sizeof(Count)}};
  add("0_baseline");  // in any order
  row.results.push_back({kept, job.kept, job.kept_bytes()});
  row.results.push_back({rejected, job.rejected, job.rejected_bytes()});
  add("4_stable_partition");
  add("6_single_pass_partition");
  row.results.pop_back();  // CUB's stand in reverse order behind the kept ones
  row.name = job.size + "cub::DevicePartition::If";
  row.library = true;
  row.launch = with_temporary(bench, [=, stream = bench.stream()](void* temporary,
                                                                  std::size_t& bytes) {
    return cub::DevicePartition::If(temporary, bytes, job.in, kept, count, job.n, IsKept{}, stream);
  });
  bench.add(row);
}

void add_rows(Bench& bench) {
  constexpr int largest = 28;
  float* in = bench.allocate<float>(Count{1} << largest);
  fill<<<1024, 256, 0, bench.stream()>>>(in, Count{1} << largest);
  const Scratch scratch = bench.scratch(compact_split::scratch_bytes(Count{1} << largest));
  for (const int power : {24, largest}) {
    const Job job = make_job(bench, in, power);
    add_compact(bench, job, scratch);
    add_split_back(bench, job, scratch);
    add_partition(bench, job, scratch);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return gridstride::run_bench("compact-split", argc, argv, add_rows);
}

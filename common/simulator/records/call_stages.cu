// Calls stages one after the other on whatever device it finds, for a profiler or the simulator to
// count, or to be timed.
//
//     call-stages [--repetitions N] < JOBS
//
// A job is a line "LIBRARY FUNCTION ELEMENTS". Job k (from 0) begins with a launch of the empty
// kernel job_begins with k + 1 blocks and ends with one of job_ends, so that what is recorded in
// between can be told apart. With --repetitions it prints "k seconds seconds …" for each job
// instead: calls on a cold L2, by events, after one call that is not timed.
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "common/simulator/records/stage_call.cuh"

namespace records {

__global__ void job_begins() {}
__global__ void job_ends() {}

__global__ void read_all(const float4* values, int n, float* sum) {
  float all = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 v = values[i];
    all += v.x + v.y + v.z + v.w;
  }
  if (all == 1) *sum = all;
}

/// Fills the L2 with clean lines of something else: reads twice its size.
class ColdCache {
 public:
  ColdCache() : bytes_(size()), memory_(bytes_ + sizeof(float)) {
    check(cudaMemset(memory_.get(), 0, bytes_ + sizeof(float)), "memset");
  }
  void make() const {
    const auto* values = static_cast<const float4*>(memory_.get());
    read_all<<<1024, 256>>>(values, static_cast<int>(bytes_ / sizeof(float4)),
                            static_cast<float*>(memory_.get()) + bytes_ / sizeof(float));
  }

 private:
  static std::size_t size() {
    int bytes = 0;
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0), "size of the L2");
    return std::size_t{2} * static_cast<std::size_t>(bytes) / 128 * 128;
  }
  std::size_t bytes_;
  Memory memory_;
};

class Stopwatch {
 public:
  Stopwatch() {
    check(cudaEventCreate(&start_), "event");
    check(cudaEventCreate(&stop_), "event");
  }
  ~Stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  double seconds(const StageCall& call, const ColdCache& cold) const {
    if (call.prepare) call.prepare();
    cold.make();
    cudaEventRecord(start_);
    call.launch();
    cudaEventRecord(stop_);
    check(cudaEventSynchronize(stop_), "a stage");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_), "time");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

void time(const StageCall& call, int job, int repetitions) {
  const ColdCache cold;
  const Stopwatch watch;
  if (repetitions > 1) watch.seconds(call, cold);
  std::printf("%d", job);
  for (int i = 0; i < repetitions; ++i) std::printf(" %.9f", watch.seconds(call, cold));
  std::printf("\n");
}

void record(const StageCall& call, int job) {
  job_begins<<<job + 1, 32>>>();
  call.launch();
  job_ends<<<job + 1, 32>>>();
  check(cudaDeviceSynchronize(), "a stage");
}

int run(int repetitions) {
  int job = 0;
  for (std::string line; std::getline(std::cin, line); ++job) {
    std::istringstream words(line);
    std::string library, function;
    std::int64_t elements = 0;
    if (!(words >> library >> function >> elements)) {
      throw std::runtime_error("a job is LIBRARY FUNCTION ELEMENTS, not: " + line);
    }
    const StageCall call = stage_call(library, function, elements);
    if (repetitions > 0) {
      time(call, job, repetitions);
    } else {
      record(call, job);
    }
  }
  return 0;
}

}  // namespace records

int main(int argc, char** argv) {
  try {
    const bool timed = argc == 3 && std::string(argv[1]) == "--repetitions";
    if (argc != 1 && !timed) throw std::runtime_error("usage: call-stages [--repetitions N]");
    return records::run(timed ? std::stoi(argv[2]) : 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "call-stages: %s\n", error.what());
    return 1;
  }
}

// Calls stages one after the other on whatever device it finds, for a profiler or the simulator to
// count, or to be timed.
//
//     call-stages [--repetitions N [--dirty] [--pause MILLISECONDS]] < JOBS
//
// A job is a line: LIBRARY, FUNCTION and CALL with tabs between; CALL is a file that a grader's --save-calls wrote. Job k
// (from 0) begins with a launch of the empty kernel job_begins with k + 1 blocks and ends with one
// of job_ends, so that what is recorded in between can be told apart. With --repetitions it prints
// "k seconds seconds …" for each job instead: calls on a cold L2, by events, after one call that is
// not timed. With --dirty what is in the L2 has been written and not yet gone to memory, as when a
// GPU grades and in a lab's bench; without it has been read. With --pause the process sleeps before
// each call, as long as a grader that draws inputs and checks answers: a host that has just woken
// takes longer to hear from its GPU and to go on.
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "grader/records/arguments_on_device.h"
#include "grader/runner/cuda_call.h"
#include "grader/runner/saved_call.h"
#include "grader/runner/stage_library.h"

namespace records {

using Milliseconds = std::chrono::milliseconds;
using gridstride::ArgumentKind;
using gridstride::SavedArgument;
using gridstride::SavedCall;
using gridstride::runner::ArgumentsOnDevice;
using gridstride::runner::check;
using gridstride::runner::StageLibrary;

struct Free {
  void operator()(float4* memory) const { cudaFree(memory); }
};
struct Destroy {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};

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

/// Fills the L2 with lines of something else: reads twice its size, or writes four times it.
class ColdCache {
 public:
  explicit ColdCache(bool dirty) : dirty_(dirty) {
    int bytes = 0;
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
    elements_ = bytes / static_cast<int>(sizeof(float4)) * 4;
    const std::size_t size = (static_cast<std::size_t>(elements_) + 1) * sizeof(float4);
    float4* memory = nullptr;
    check(cudaMalloc(&memory, size));
    memory_.reset(memory);
    check(cudaMemset(memory, 0, size));
  }
  void make(cudaStream_t stream) const {
    if (dirty_) {
      check(cudaMemsetAsync(memory_.get(), 0, elements_ * sizeof(float4), stream));
    } else {
      read_all<<<1024, 256, 0, stream>>>(memory_.get(), elements_ / 2, &memory_.get()[elements_].x);
    }
  }

 private:
  bool dirty_;
  int elements_ = 0;
  std::unique_ptr<float4, Free> memory_;
};

/// A stage's function with the arguments of a saved call.
class StageCall {
 public:
  StageCall(const std::string& library, const std::string& function, const std::string& file)
      : library_(library, function),
        saved_(gridstride::load_call(file)),
        arguments_(allocations(saved_), stream()) {
    for (std::uint32_t i = 0; i < saved_.arguments.size(); ++i) {
      const gridstride::Allocation& allocation = saved_.arguments[i].allocation;
      if (allocation.total() != 0) arguments_.fill(i, 0);
      if (allocation.kind == ArgumentKind::input) write(i);
    }
    renew();
  }

  static cudaStream_t stream() { return cudaStreamPerThread; }
  /// Contents that the last call has overwritten.
  void renew() {
    for (std::uint32_t i = 0; i < saved_.arguments.size(); ++i) {
      if (saved_.arguments[i].allocation.kind == ArgumentKind::output) write(i);
    }
  }
  void launch() { library_.call(arguments_.slots()); }

 private:
  static std::vector<gridstride::Allocation> allocations(const SavedCall& call) {
    std::vector<gridstride::Allocation> all;
    for (const SavedArgument& argument : call.arguments) all.push_back(argument.allocation);
    return all;
  }
  void write(std::uint32_t i) {
    const SavedArgument& argument = saved_.arguments[i];
    if (argument.data.empty()) return;
    arguments_.write(i, argument.allocation.data_begin(), argument.data);
  }

  StageLibrary library_;
  SavedCall saved_;
  ArgumentsOnDevice arguments_;
};

class Stopwatch {
 public:
  double seconds(StageCall& call, const ColdCache& cold, Milliseconds pause) const {
    call.renew();
    check(cudaDeviceSynchronize());
    std::this_thread::sleep_for(pause);
    cold.make(call.stream());
    check(cudaEventRecord(start_.get(), call.stream()));
    call.launch();
    check(cudaEventRecord(stop_.get(), call.stream()));
    check(cudaEventSynchronize(stop_.get()));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()));
    return milliseconds * 1e-3;
  }

 private:
  using Event = std::unique_ptr<CUevent_st, Destroy>;
  static Event event() {
    cudaEvent_t made = nullptr;
    check(cudaEventCreate(&made));
    return Event(made);
  }
  Event start_ = event(), stop_ = event();
};

/// How calls are timed.
struct Timing {
  int repetitions = 0;  ///< none: they are not timed
  bool dirty = false;
  Milliseconds pause{0};
};

void time(StageCall& call, int job, const Timing& timing) {
  const ColdCache cold(timing.dirty);
  const Stopwatch watch;
  if (timing.repetitions > 1) watch.seconds(call, cold, Milliseconds(0));
  std::printf("%d", job);
  std::fflush(stdout);  // whoever waits for a first call to be over
  for (int i = 0; i < timing.repetitions; ++i) {
    std::printf(" %.9f", watch.seconds(call, cold, timing.pause));
  }
  std::printf("\n");
}

void record(StageCall& call, int job) {
  const auto number = static_cast<unsigned>(job) + 1;
  job_begins<<<number, 32, 0, call.stream()>>>();
  call.launch();
  job_ends<<<number, 32, 0, call.stream()>>>();
  check(cudaDeviceSynchronize());
}

int run(const Timing& timing) {
  int job = 0;
  for (std::string line; std::getline(std::cin, line); ++job) {
    std::istringstream fields(line);
    std::string library, function, file;
    std::getline(fields, library, '\t');
    std::getline(fields, function, '\t');
    if (!std::getline(fields, file, '\t')) {
      throw std::runtime_error("a job is LIBRARY, FUNCTION, CALL with tabs between, not: " + line);
    }
    StageCall call(library, function, file);
    if (timing.repetitions > 0) {
      time(call, job, timing);
    } else {
      record(call, job);
    }
  }
  return 0;
}

Timing timing_of(const std::vector<std::string>& words) {
  Timing timing;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--dirty") {
      timing.dirty = true;
    } else if (words[i] == "--repetitions" && i + 1 < words.size()) {
      timing.repetitions = std::stoi(words[++i]);
    } else if (words[i] == "--pause" && i + 1 < words.size()) {
      timing.pause = Milliseconds(std::stoi(words[++i]));
    } else {
      throw std::runtime_error(
          "usage: call-stages [--repetitions N [--dirty] [--pause MILLISECONDS]]");
    }
  }
  return timing;
}

}  // namespace records

int main(int argc, char** argv) {
  try {
    return records::run(records::timing_of({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "call-stages: %s\n", error.what());
    return 1;
  }
}

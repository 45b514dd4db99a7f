// What a lab's bench.cu is written with: every solution beside the library a user would otherwise
// pick, on a real GPU.
//
//     void add_rows(gridstride::Bench& bench) {
//       float* in = bench.allocate<float>(n);
//       …
//       auto* sum = bench.stage<decltype(reduce_sum)>("6_vectorized", "reduce_sum");
//       bench.add({.name = "2^28 floats/6_vectorized", .bytes = 4.0 * n, .traffic = Traffic::reads,
//                  .launch = [=] { sum(in, out, n, scratch, stream); },
//                  .results = {{out, expected, sizeof(float)}}});
//     }
//     int main(int argc, char** argv) {
//       return gridstride::run_bench("reduction", argc, argv, add_rows);
//     }
//
// One repetition is one launch on a cold L2; what is printed is the median, the rate at which the
// row's bytes were moved, and that rate's share of what a kernel reaches that does nothing else,
// measured first; of floating-point operations the share of two a clock and lane. Repetitions of all rows are shuffled, so that clocks and neighbours disturb all
// alike. Google Benchmark's own options hold: --benchmark_filter=2^28, --benchmark_out=FILE,
// --benchmark_format=json …
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/contract.h"

namespace gridstride {

/// Throws std::runtime_error with `what` and CUDA's words when a call failed.
void check_cuda(cudaError_t status, const std::string& what);

/// What a row's rate is held against: a kernel that only reads, or one that copies.
enum class Traffic { reads, copies };

/// Where a launch leaves a result, and where on the device the right one stands.
struct BenchResult {
  void* out = nullptr;
  const void* expected = nullptr;
  std::size_t bytes = 0;  ///< a multiple of 4
};

struct BenchRow {
  std::string name;
  double bytes = 0;  ///< that any kernel for the job must move; 0 where that is not what limits it
  Traffic traffic = Traffic::copies;
  double operations = 0;       ///< of the job, where arithmetic limits it; printed in 10^9/s as …
  std::string operation = "";  ///< … "Gflop/s" for "flop"
  bool library = false;        ///< what the stages are held against: `./lab bench` shows the ratio
  std::function<void()> launch;      ///< queues the work on Bench::stream()
  std::vector<BenchResult> results;  ///< looked at once, before anything is timed
};

/// The device, what all rows share on it, and the rows.
class Bench {
 public:
  /// Measures what the device's memory does at best. `lab` names the folder of the solutions.
  explicit Bench(std::string lab);
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  cudaStream_t stream() const { return stream_; }

  /// Device memory that stays until the last row has run.
  template <class T>
  T* allocate(std::int64_t count) {
    return static_cast<T*>(allocate_bytes(static_cast<std::size_t>(count) * sizeof(T)));
  }
  Scratch scratch(std::size_t bytes) { return {allocate_bytes(bytes), bytes}; }

  /// `function` of a stage's solution, or of the baseline ("0_baseline").
  template <class Function>
  Function* stage(const std::string& stage, const std::string& function) const {
    return reinterpret_cast<Function*>(stage_function(stage, function));
  }

  /// Launches once over a poisoned output and looks at the results; throws when one is not right.
  void add(BenchRow row);

  /// Throws std::runtime_error when a result is not the expected one. add() does it; what works in
  /// place can be looked at before.
  void check(const std::string& name, const BenchResult& result);

  /// Seconds of one launch on a cold L2. Flush, start, launch and stop are queued without waiting
  /// between them, so that the flush hides the host's time.
  double time(const std::function<void()>& launch);

  double best_rate(Traffic traffic) const {  ///< bytes/s; a copy's are read and written
    return traffic == Traffic::reads ? best_read_ : best_copy_;
  }
  /// Of fp32, in operations a second: a multiplication and an addition a clock and lane.
  double peak_flops() const { return peak_flops_; }

 private:
  struct Free {
    void operator()(void* memory) const { cudaFree(memory); }
  };
  using Memory = std::unique_ptr<void, Free>;

  static Memory device_memory(std::size_t bytes);
  void* allocate_bytes(std::size_t bytes);
  void* stage_function(const std::string& stage, const std::string& function) const;
  void measure_memory();

  std::string lab_;
  std::vector<Memory> allocated_;
  Memory flush_, differences_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  double best_read_ = 0, best_copy_ = 0, peak_flops_ = 0;
};

/// Whole numbers from -8 to 8, 0 on average and well mixed: whatever is added to what, in whatever
/// order, no sum of them is ever rounded.
void fill_with_whole_numbers(float* values, std::int64_t n, cudaStream_t stream);

/// Measures the device, lets `add_rows` add its rows, runs them; returns the program's exit code.
int run_bench(const std::string& lab, int argc, char** argv, void (*add_rows)(Bench&));

}  // namespace gridstride
